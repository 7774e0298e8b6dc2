// Two GPUs: at once, each from its own thread with its own workspace, and in turn from one thread.
// Both give one GPU's answers, byte for byte. With fewer than two these skip.
#include <gtest/gtest.h>

#ifdef CUESTA_HAS_CUDA
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/device_memory.hpp"
#include "core/on_device.hpp"
#include "cuesta/cuesta.hpp"
#include "cuesta/device.hpp"
#include "support/errors.hpp"
#include "verify/drawn_request.hpp"
#include "verify/harness.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using verify::Harness, verify::Layout;

struct Answer {
  std::unique_ptr<Harness> pictures;
  std::string refused;  // or why there is none
};

// The drawn requests of an operation, one after the other, on one GPU.
std::vector<Answer> answers_of(int gpu, std::string_view operation, int number) {
  use_device(gpu);
  const auto all = verify::drawn_operations();
  verify::Random random(uint64_t(std::ranges::find(all, operation) - all.begin()) + 77);
  Workspace workspace;
  std::vector<Answer> answers;
  for (int i = 0; i < number; ++i) {
    std::vector<uint8_t> drawn(160);
    for (uint8_t& byte : drawn) byte = uint8_t(random.next());
    verify::Bytes bytes(drawn);
    const auto request = verify::draw_request(bytes, operation, 700);
    Answer& answer = answers.emplace_back();
    // Rows are otherwise on the second GPU: what is beside a picture may not show.
    answer.pictures = std::make_unique<Harness>(Layout((i + gpu) % verify::layout_count),
                                                uint8_t(0x5A + gpu), Space::device);
    try {
      answer.pictures->begin();
      request.run(*answer.pictures, {.workspace = i % 3 ? &workspace : nullptr});
      answer.pictures->finish();
    } catch (const Error& error) {
      answer.refused = error.what();
    }
  }
  return answers;
}

class TwoGpus : public testing::TestWithParam<std::string_view> {};

TEST_P(TwoGpus, GiveOneGpusAnswers) {
  std::string why;
  const size_t gpus = list_devices(&why).size();
  if (gpus < 2) GTEST_SKIP() << "needs two GPUs, there are " << gpus << ". " << why;
  constexpr int number = 200;
  std::vector<Answer> first, second;
  const auto on = [&](int gpu, std::vector<Answer>& answers) {
    return std::thread([&answers, gpu] { answers = answers_of(gpu, GetParam(), number); });
  };
  std::thread one = on(0, first), other = on(1, second);
  one.join();
  other.join();
  ASSERT_EQ(first.size(), second.size());
  int answered = 0;
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].refused, second[i].refused) << "request " << i;
    if (!first[i].refused.empty() || !second[i].refused.empty()) continue;
    ++answered;
    EXPECT_EQ(second[i].pictures->check_canaries(), "") << "request " << i;
    EXPECT_EQ(second[i].pictures->compare(*first[i].pictures, false), "") << "request " << i;
  }
  EXPECT_GT(answered, number / 2) << "options are drawn that nothing takes";
}

INSTANTIATE_TEST_SUITE_P(Operations, TwoGpus,
                         testing::ValuesIn(verify::drawn_operations().begin(),
                                           verify::drawn_operations().end()),
                         [](const auto& given) { return std::string(given.param); });

// One thread that works on GPU 0, on GPU 1 and on GPU 0 again, on the default streams.
class OneThreadOnTwoGpus : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    const size_t gpus = list_devices(&why).size();
    if (gpus < 2) GTEST_SKIP() << "needs two GPUs, there are " << gpus << ". " << why;
    before_ = current_device();
    verify::fill(picture_, verify::Pattern::blobs, 7);
  }
  void TearDown() override {
    release_memory();
    if (before_ >= 0) use_device(before_);
  }

  // Reads a picture of u8 and writes another.
  using Operation = std::function<void(ConstAnyView, AnyView, const Exec&)>;
  static std::vector<std::pair<std::string, Operation>> operations() {
    return {
        {"canny",
         [](ConstAnyView src, AnyView dst, const Exec& exec) { canny(src, dst, {}, exec); }},
        {"median", [](ConstAnyView src, AnyView dst,
                      const Exec& exec) { median(src, dst, {.ksize = 15}, exec); }},
        {"gaussian", [](ConstAnyView src, AnyView dst,
                        const Exec& exec) { gaussian(src, dst, {.sigma = 3}, exec); }},
        {"morphology",
         [](ConstAnyView src, AnyView dst, const Exec& exec) {
           morph_open(src, dst, StructuringElement::disk(7), {}, exec);
         }},
        {"log", [](ConstAnyView src, AnyView dst,
                   const Exec& exec) { log_edges(src, dst, {.sigma = 3}, exec); }},
        {"label",
         [](ConstAnyView src, AnyView dst, const Exec& exec) {
           std::vector<Component> found;
           label(src, {}, &found, {}, exec);
           copy(src, dst, exec.stream);  // what counts is that the call ends well
           EXPECT_FALSE(found.empty());
         }},
    };
  }

  Image<uint8_t> on_host(const Operation& operation) {
    Image<uint8_t> result(picture_.size());
    operation(picture_, result, {});
    return result;
  }
  Image<uint8_t> on_gpu(int gpu, const Operation& operation, const Exec& exec) {
    use_device(gpu);
    Image<uint8_t, Space::device> source(picture_.size()), there(picture_.size());
    upload(picture_, source);
    operation(source, there, exec);
    Image<uint8_t> result(picture_.size());
    download(there, result);
    return result;
  }
  static bool same(const Image<uint8_t>& a, const Image<uint8_t>& b) {
    for (int32_t y = 0; y < a.height(); ++y)
      if (!std::equal(a.row(y), a.row(y) + a.width(), b.row(y))) return false;
    return true;
  }

  Image<uint8_t> picture_{190, 120};

 private:
  int before_ = -1;
};

TEST_F(OneThreadOnTwoGpus, ScratchMemoryIsEachGpusOwn) {
  for (const auto& [name, operation] : operations()) {
    SCOPED_TRACE(name);
    const Image<uint8_t> right = on_host(operation);
    for (const int gpu : {0, 1, 0, 1}) EXPECT_TRUE(same(on_gpu(gpu, operation, {}), right)) << gpu;
  }
}

TEST_F(OneThreadOnTwoGpus, AWorkspaceIsRefusedOnTheOther) {
  for (const auto& [name, operation] : operations()) {
    SCOPED_TRACE(name);
    const Image<uint8_t> right = on_host(operation);
    Workspace workspace;
    const Exec exec{.workspace = &workspace};
    EXPECT_TRUE(same(on_gpu(0, operation, exec), right));
    if (workspace.bytes(Space::device) == 0) continue;  // nothing that could be misused
    EXPECT_EQ(test::error_of(ErrorCode::invalid_argument,
                             [&, &work = operation] { (void)on_gpu(1, work, exec); }),
              "the workspace holds memory of GPU 0 and the call runs on GPU 1; give each GPU a "
              "workspace, or call release_memory() first");
    // The host's part is no GPU's.
    use_device(1);
    Image<uint8_t> result(picture_.size());
    operation(picture_, result, exec);
    EXPECT_TRUE(same(result, right));
    EXPECT_TRUE(same(on_gpu(0, operation, exec), right)) << "a refusal changes nothing";
    workspace.release_memory();
    EXPECT_TRUE(same(on_gpu(1, operation, exec), right));
    EXPECT_THROW((void)on_gpu(0, operation, exec), Error);
  }
}

TEST_F(OneThreadOnTwoGpus, APictureMadeAnewIsOfTheGpuInUse) {
  AnyImage picture;
  for (const int gpu : {0, 1, 1, 0}) {
    use_device(gpu);
    const AnyView made = picture.create({64, 48}, 1, PixelType::u8, Space::device);
    EXPECT_EQ(detail::device_of(made.data), gpu);
    EXPECT_EQ(picture.create({64, 48}, 1, PixelType::u8, Space::device).data, made.data);
  }
}

TEST_F(OneThreadOnTwoGpus, WhatLearnsFromFramesStaysOrStartsOver) {
  const auto masks = [&](BackgroundSubtractor& model, int gpu) {
    return on_gpu(gpu,
                  [&](ConstAnyView src, AnyView dst, const Exec& exec) {
                    model.push(src, {.mask = dst}, 25, exec);
                  },
                  {});
  };
  BackgroundSubtractor model, fresh;
  const Image<uint8_t> first = masks(model, 0), second = masks(model, 0);
  EXPECT_EQ(
      test::error_of(ErrorCode::input, [&] { (void)masks(model, 1); }),
      "background: frame is on GPU 1 after frames on GPU 0; call reset() before changing GPU");
  model.reset();
  EXPECT_TRUE(same(masks(model, 1), first));
  EXPECT_TRUE(same(masks(model, 1), second));

  const auto detections = [&](MotionDetector& detector, int gpu) {
    std::vector<Detection> found;
    (void)on_gpu(gpu,
                 [&](ConstAnyView src, AnyView dst, const Exec& exec) {
                   const auto seen = detector.push(src, exec);
                   found.assign(seen.begin(), seen.end());
                   copy(src, dst, exec.stream);
                 },
                 {});
    return found;
  };
  MotionOptions options;
  options.warm_up = 2;
  options.relearn = 0;
  options.steady = 4;
  MotionDetector detector(options);
  // A square that comes after the warm-up and moves.
  const auto push_some = [&](int gpu) {
    size_t all = 0;
    for (int i = 0; i < 5; ++i) {
      verify::fill(picture_, verify::Pattern::natural, 3);
      for (int32_t y = 40; i >= 2 && y < 80; ++y)
        std::fill_n(picture_.row(y) + 20 * i, 40, uint8_t(y % 2 ? 255 : 0));
      all += detections(detector, gpu).size();
    }
    return all;
  };
  const size_t wanted = push_some(0);
  EXPECT_GT(wanted, 0u);
  EXPECT_EQ(test::error_of(ErrorCode::input, [&] { (void)push_some(1); }),
            "motion: frame is on GPU 1 after frames on GPU 0; call reset() before changing GPU");
  for (const int gpu : {1, 0}) {
    detector.reset();
    EXPECT_EQ(push_some(gpu), wanted) << gpu;
  }
}

}  // namespace
}  // namespace cuesta
#endif
