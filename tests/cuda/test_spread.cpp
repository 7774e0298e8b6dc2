// Batches in host memory over GPUs are the host's own results, and errors are the first picture's.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "cuesta/cuesta.hpp"
#include "support/errors.hpp"
#include "support/pictures.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using test::equal, test::error_of;

// Pictures below each other in one.
struct Many {
  Many(Size size, int32_t count)
      : all(size.width, size.height * count),
        batch(AnyView(all).region({0, 0, size.width, size.height}), count,
              all.view().stride_bytes * size.height) {}
  Image<uint8_t> all;
  Batch batch;
};

void edges(ConstAnyView src, AnyView dst, const Exec& call) {
  canny(src, dst, {.thresholds = Thresholds::automatic(AutoThreshold::otsu)}, call);
}

void compare(const std::vector<int>& devices) {
  for (const int32_t count : {1, 2, 3, 7, 20}) {
    Many source({61, 40}, count), made({61, 40}, count), wanted({61, 40}, count);
    verify::fill(source.all, verify::Pattern::natural, uint64_t(count));
    for (int32_t i = 0; i < count; ++i)
      edges(source.batch[i], wanted.batch[i], {.strategy = "serial"});
    Workspace own;
    spread(source.batch, made.batch, edges, {.workspace = &own, .devices = devices});
    EXPECT_TRUE(equal(made.all, wanted.all)) << count << " pictures over " << devices.size();
  }
}

TEST(Spread, WithoutGpusIsPictureAfterPicture) { compare({}); }

TEST(Spread, SaysWhatCannotBe) {
  Many source({8, 8}, 3), made({8, 8}, 2);
  const auto call = [&](const Batch& to, const Exec& exec) {
    return error_of(ErrorCode::invalid_argument, [&] { spread(source.batch, to, edges, exec); });
  };
  EXPECT_NE(call(made.batch, {}).find("spread: "), std::string::npos);
  EXPECT_NE(call(source.batch, {}).find("spread: "), std::string::npos);
  EXPECT_EQ(error_of(ErrorCode::invalid_argument, [] { devices_named("gpu"); }),
            "device is gpu; it must be cpu, cuda, cuda:N (N counts from 0) or cuda:all");
  for (const char* name : {"", "cuda:", "cuda:-1", "cuda:1x", "CPU", "cuda:all "})
    EXPECT_THROW(devices_named(name), Error) << name;
  EXPECT_EQ(devices_named("cpu"), std::vector<int>());
  EXPECT_NE(error_of(ErrorCode::device, [] { devices_named("cuda:99"); }).find("cuda:99: "),
            std::string::npos);
}

class SpreadDevice : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    for (const DeviceInfo& gpu : list_devices(&why)) all_.push_back(gpu.index);
    if (all_.empty()) GTEST_SKIP() << "no GPU: " << why;
  }
  std::vector<int> all_;
};

TEST_F(SpreadDevice, AnyNumberOfGpusGivesTheHostsResults) {
  EXPECT_EQ(devices_named("cuda:all"), all_);
  EXPECT_EQ(devices_named("cuda"), std::vector<int>{0});
  for (size_t n = 1; n <= all_.size(); ++n) compare({all_.begin(), all_.begin() + ptrdiff_t(n)});
}

TEST_F(SpreadDevice, TheFirstPictureThatFailsIsTold) {
  Many source({16, 16}, 12), made({16, 16}, 12);
  verify::fill(source.all, verify::Pattern::natural, 1);
  for (int32_t i = 0; i < 12; ++i) source.all.at(0, 16 * i) = uint8_t(i);
  const auto failing = [](ConstAnyView src, AnyView dst, const Exec& call) {
    Image<uint8_t> back(16, 16);
    download(src, back, call.stream);
    if (back.at(0, 0) >= 2) throw std::runtime_error("picture " + std::to_string(back.at(0, 0)));
    edges(src, dst, call);
  };
  for (int times = 0; times < 5; ++times) {
    try {
      spread(source.batch, made.batch, failing, {.devices = all_});
      FAIL() << "nothing failed";
    } catch (const std::runtime_error& fault) {
      EXPECT_EQ(std::string(fault.what()), "picture 2");
    }
  }
}

TEST_F(SpreadDevice, TellsWhatWouldRun) {
  Many source({16, 16}, 3), made({16, 16}, 3);
  const Choice choice = which(
      [&](const Exec& exec) { spread(source.batch, made.batch, edges, exec); }, {.devices = all_});
  EXPECT_EQ(choice.space, Space::device);
  EXPECT_TRUE(choice.strategy.starts_with("march-")) << choice.strategy;
}

}  // namespace
}  // namespace cuesta
