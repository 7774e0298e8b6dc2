// What only an emulated device can be made to do (emulation/README.md): every call of the CUDA
// runtime fails once, in every operation and strategy.
#ifdef CUESTA_CUDA_EMULATED
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/on_device.hpp"
#include "core/workspace.hpp"
#include "cuesta/cuesta.hpp"
#include "cuesta/device.hpp"
#include "cuesta/lines.hpp"
#include "emulated/device.hpp"
#include "support/bands.hpp"
#include "support/errors.hpp"
#include "verify/drawn_request.hpp"

namespace cuesta {
namespace {

using verify::DrawnRequest;

std::vector<uint8_t> bytes_of(std::string_view operation, int number) {
  std::seed_seq seed{int(operation.size()), int(operation[0]), int(operation.back()), number};
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(400);
  for (uint8_t& byte : bytes) byte = uint8_t(random());
  return bytes;
}

// A request's answer in a space, or the error that the call ends with.
struct Answer {
  verify::Harness harness;
  std::optional<Error> error{};

  Answer(const DrawnRequest& request, Space space, std::string_view strategy)
      : harness(verify::Layout::tight, space == Space::host ? 0x5A : 0xCD, space) {
    try {
      harness.begin();
      request.run(harness, {.strategy = std::string(strategy), .threads = 1});
      harness.finish();
    } catch (const Error& told) {
      error = told;
    }
  }
  // "" if it is whole and the other's.
  std::string against(const Answer& other) const {
    if (error) return error->what();
    const std::string problem = harness.check_canaries();
    return problem.empty() ? harness.compare(other.harness, true) : problem;
  }
};

// The checks below would see memory and objects that are left, and calls that fail.
TEST(EmulatedDevice, CountsWhatIsHeldAndFailsWhatItIsTold) {
  const emulated::Held before = emulated::held();
  {
    const Image<uint8_t, Space::device> picture(64, 64);
    const Stream stream;
    EXPECT_EQ(emulated::held().bytes, before.bytes + picture.view().stride_bytes * 64);
    EXPECT_EQ(emulated::held().objects, before.objects + 1);
  }
  EXPECT_EQ(emulated::held(), before);
  emulated::fail_call(1, cudaErrorMemoryAllocation);
  EXPECT_NO_THROW((Image<uint8_t, Space::device>(8, 8)));
  EXPECT_EQ(emulated::calls(), 2)
      << "an allocation and a release, which reports the fault to nobody";
  emulated::fail_call(0, cudaErrorMemoryAllocation);
  EXPECT_THROW((Image<uint8_t, Space::device>(8, 8)), Error);
  EXPECT_NO_THROW((Image<uint8_t, Space::device>(8, 8)));
  emulated::fail_call(0, cudaErrorIllegalAddress, true);
  for (int i = 0; i < 3; ++i) EXPECT_THROW((Image<uint8_t, Space::device>(8, 8)), Error);
  emulated::fail_call(-1);
  EXPECT_NO_THROW((Image<uint8_t, Space::device>(8, 8)));
}

// What a GPU reports where peer access is off: the tests of two GPUs rely on it.
TEST(EmulatedDevice, FailsOnMemoryAndStreamsOfAnother) {
  if (list_devices().size() < 2) GTEST_SKIP() << "needs CUESTA_EMULATED_DEVICES=2";
  Image<uint8_t, Space::device> here(64, 48), dst(64, 48);
  const Stream stream;
  const GaussianOptions how{.sigma = 1.4};
  const Exec on_stream{.strategy = "plain", .stream = stream.get()}, plain{.strategy = "plain"};
  gaussian(here, dst, how, on_stream);
  const auto message_of = [](const auto& call) { return test::error_of(ErrorCode::device, call); };
  {
    const OnDevice other(1);
    EXPECT_NE(message_of([&] { gaussian(here, dst, how, plain); }).find("illegal memory access"),
              std::string::npos);
    Image<uint8_t, Space::device> there(64, 48);
    EXPECT_THROW(gaussian(here, there, how, plain), Error) << "of the source alone";
    Image<uint8_t, Space::device> more(64, 48);
    EXPECT_NO_THROW(gaussian(there, more, how, plain));
    EXPECT_NE(message_of([&] { gaussian(there, more, how, on_stream); }).find("resource handle"),
              std::string::npos);
    release_memory();
  }
  release_memory();
}

// Nobody reports the end of a stream, so memory for the streams of a thread has a bound.
TEST(EmulatedDevice, MemoryOfStreamsThatEndedIsFreed) {
  release_memory();
  const emulated::Held before = emulated::held();
  const auto call = [](void* stream) {
    Scratch({.stream = stream}, Space::device).take<uint8_t>(100000);
  };
  call(nullptr);
  const size_t one = emulated::held().bytes - before.bytes;
  ASSERT_GE(one, 100000u);
  {
    std::vector<Stream> streams(150);
    for (const Stream& stream : streams) call(stream.get());
    EXPECT_EQ(emulated::held().bytes, before.bytes + 64 * one);
    const int64_t calls = emulated::calls();
    for (size_t i = streams.size() - 64; i < streams.size(); ++i) call(streams[i].get());
    const int64_t found = emulated::calls() - calls;
    for (size_t i = 0; i < 64; ++i) call(streams[i].get());
    EXPECT_GT(emulated::calls() - calls, 2 * found) << "the last 64 streams kept their memory";
  }
  release_memory();
  EXPECT_EQ(emulated::held(), before);
}

// A handle that comes back is another stream: what ran on the one before may still use its memory.
TEST(EmulatedDevice, AStreamWithAnOldHandleGetsNewMemory) {
  constexpr size_t bytes = 5000;
  std::set<void*> handles;
  for (int i = 0; i < 1000; ++i) {
    const Stream stream;
    const bool known = !handles.insert(stream.get()).second;
    Scratch scratch({.stream = stream.get()}, Space::device);
    auto* const memory = scratch.take<uint8_t>(bytes);
    ASSERT_EQ(memory[0], 0xA5) << (known ? "memory of the stream before" : "not new");
    std::fill_n(memory, bytes, uint8_t(1));
    if (known) return release_memory();
  }
  FAIL() << "no handle came back";
}

// From the first call on, and from what is asked of a device on.
TEST(EmulatedDevice, TellsWhyThereIsNone) {
  for (const int call : {0, 1}) {
    emulated::fail_call(call, cudaErrorIllegalAddress, true);
    std::string why;
    EXPECT_TRUE(list_devices(&why).empty()) << "call " << call;
    EXPECT_EQ(why, "CUDA reports 'an illegal memory access was encountered'") << "call " << call;
  }
  emulated::fail_call(-1);
  EXPECT_FALSE(list_devices().empty());
}

// Work with the fault of any one call ends in an error, or as if there was none, and leaves
// nothing.
void fail_each_call(const std::function<bool()>& is_right) {
  emulated::fail_call(-1);
  EXPECT_TRUE(is_right());
  const int64_t calls = emulated::calls();
  int errors = 0;
  for (int64_t n = 0; n < calls; ++n) {
    const emulated::Held before = emulated::held();
    emulated::fail_call(n, cudaErrorUnknown);
    try {
      EXPECT_TRUE(is_right()) << "call " << n;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::device) << error.what();
      ++errors;
    }
    emulated::fail_call(-1);
    EXPECT_EQ(emulated::held(), before) << "call " << n << " of " << calls;
  }
  EXPECT_GT(errors, calls / 3);
}

TEST(EmulatedDevice, BandsThatFailLeaveNothing) {
  std::mt19937 random(5);
  const Image<uint8_t> src = test::drawn_noise<uint8_t>(90, 60, 1, random);
  Image<uint8_t> whole(90, 60);
  canny(src, whole, CannyOptions{}, {.strategy = "serial"});
  fail_each_call([&] {
    RoundTrip gpu(0);
    CannyResult used;
    const auto in_bands = test::canny_in_bands(src, CannyOptions{}, {20, 21, 60}, gpu.exec({}),
                                               used, test::on_gpu(gpu));
    return test::differing(in_bands, whole) == 0;
  });
}

TEST(EmulatedDevice, LinesThatFailLeaveNothing) {
  std::mt19937 random(6);
  const Image<uint8_t> src = test::drawn_noise<uint8_t>(70, 50, 1, random);
  const TraceOptions how{.min_length = 3};
  const Polylines edges = trace(src, CannyOptions{}, how), zeros = trace(src, LogOptions{}, how);
  ASSERT_FALSE(edges.empty() || zeros.empty());
  fail_each_call([&] {
    Workspace workspace;
    const Exec exec{.workspace = &workspace};
    Image<uint8_t, Space::device> there(src.size());
    upload(src, there);
    return trace(there, CannyOptions{}, how, exec) == edges &&
           trace(there, LogOptions{}, how, exec) == zeros;
  });
}

TEST(EmulatedDevice, AWorkspaceKeepsThePageLockedMemoryOfLines) {
  std::mt19937 random(7);
  const Image<uint8_t> src = test::drawn_noise<uint8_t>(70, 50, 1, random);
  Image<uint8_t, Space::device> there(src.size());
  upload(src, there);
  Workspace workspace;
  const emulated::Held before = emulated::held();
  const auto call = [&] { trace(there, CannyOptions{}, {}, {.workspace = &workspace}); };
  call();
  const emulated::Held after = emulated::held();
  EXPECT_GE(after.bytes, before.bytes + workspace.bytes(Space::device) + 2 * 70 * 50);
  for (int i = 0; i < 2; ++i) call();
  EXPECT_EQ(emulated::held(), after);
  workspace.release_memory();
  EXPECT_EQ(emulated::held(), before);
}

class EmulatedFaults : public testing::TestWithParam<std::string_view> {
 protected:
  void TearDown() override { emulated::fail_call(-1); }
};

struct Ends {
  int points = 0, errors = 0;
};

struct Fault {
  cudaError_t error;
  bool sticky;   // every later call fails too
  int64_t most;  // calls of a request that are tried, about
};

// Fails call after call of one request.
void fail_each_call(const DrawnRequest& request, std::string_view strategy, const Answer& right,
                    const Fault& fault, Ends& ends) {
  emulated::fail_call(-1);
  const std::string whole = Answer(request, Space::device, strategy).against(right);
  ASSERT_EQ(whole, "") << request.text;
  const int64_t calls = emulated::calls();
  for (int64_t n = 0; n < calls; n += std::max<int64_t>(1, calls / fault.most)) {
    SCOPED_TRACE(request.text + ", " + std::string(strategy) + ", call " + std::to_string(n));
    const emulated::Held before = emulated::held();
    emulated::fail_call(n, fault.error, fault.sticky);
    ++ends.points;
    {
      const Answer answer(request, Space::device, strategy);
      emulated::fail_call(-1);
      if (answer.error) {
        const bool no_memory = answer.error->code() == ErrorCode::out_of_memory;
        EXPECT_EQ(no_memory, fault.error == cudaErrorMemoryAllocation) << answer.error->what();
        EXPECT_TRUE(no_memory || answer.error->code() == ErrorCode::device) << answer.error->what();
        ++ends.errors;
      } else {
        EXPECT_EQ(answer.against(right), "") << "what is not told changes nothing";
      }
    }
    EXPECT_EQ(emulated::held(), before) << "something on the device was not released";
    EXPECT_EQ(Answer(request, Space::device, strategy).against(right), "") << "the next call";
    if (testing::Test::HasFailure()) return;
  }
}

TEST_P(EmulatedFaults, EndInAnErrorAndLeaveNothing) {
  ASSERT_FALSE(list_devices().empty());
  Ends ends;
  for (const StrategyDescription& row : list_strategies()) {
    if (row.operation != GetParam() || row.space != Space::device || !row.built) continue;
    int taken = 0;
    // An operation of one row takes more requests.
    for (int number = 0; number < 40 && (taken < 2 || ends.points <= 100); ++number) {
      const auto bytes = bytes_of(GetParam(), number);
      verify::Bytes source(bytes);
      const DrawnRequest request = verify::draw_request(source, GetParam(), 40);
      const Answer right(request, Space::host, "serial");
      emulated::fail_call(-1);
      if (right.error || Answer(request, Space::device, row.name).error) continue;
      ++taken;
      for (const Fault& fault :
           {Fault{cudaErrorUnknown, false, 40}, Fault{cudaErrorMemoryAllocation, false, 10},
            Fault{cudaErrorIllegalAddress, true, 10}}) {
        fail_each_call(request, row.name, right, fault, ends);
        if (HasFailure()) return;
      }
    }
  }
  std::printf("%s: %d calls failed, %d errors told\n", std::string(GetParam()).c_str(), ends.points,
              ends.errors);
  EXPECT_GT(ends.points, 100);
  EXPECT_GT(ends.errors, ends.points / 2);
}

INSTANTIATE_TEST_SUITE_P(Operations, EmulatedFaults,
                         testing::ValuesIn(verify::drawn_operations().begin(),
                                           verify::drawn_operations().end()),
                         [](const auto& given) { return std::string(given.param); });

}  // namespace
}  // namespace cuesta
#endif
