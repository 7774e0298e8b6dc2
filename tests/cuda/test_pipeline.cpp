// Pictures through a GPU, a picture in each phase: results, their order, errors. Without a GPU
// these skip, and say why.
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "core/pipeline.hpp"
#include "cuesta/device.hpp"
#include "cuesta/edges.hpp"
#include "cuesta/error.hpp"
#include "support/pictures.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using test::equal;

constexpr int32_t width = 131, height = 67;
const PictureShape shape{PixelType::u8, {width, height}};

class PipelineDevice : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    const auto gpus = list_devices(&why);
    if (gpus.empty()) GTEST_SKIP() << "no GPU: " << why;
    for (const DeviceInfo& gpu : gpus) all_.push_back(gpu.index);
  }
  std::vector<int> all_;
};

Image<uint8_t> picture(int64_t number) {
  Image<uint8_t> made(width, height);
  verify::fill(made, verify::Pattern::natural, uint64_t(number + 1));
  return made;
}

void edges(ConstAnyView source, AnyView result, const Exec& exec) {
  canny(source, result, {.thresholds = Thresholds::given(20, 60)}, exec);
}

void send(Pipeline& pipeline, int64_t number) {
  copy(picture(number), pipeline.source());
  pipeline.submit();
}

TEST_F(PipelineDevice, ShowsEveryResultInOrder) {
  for (const std::vector<int>& devices : {std::vector<int>{}, all_}) {
    for (const int in_flight : {1, 2, 5}) {
      int64_t shown = 0;
      Pipeline pipeline(shape, shape, edges,
                        [&](int64_t number, ConstAnyView result) {
                          EXPECT_EQ(number, shown++);
                          Image<uint8_t> wanted(width, height);
                          edges(picture(number), wanted, {.strategy = "serial"});
                          EXPECT_TRUE(equal(result, wanted)) << number;
                        },
                        {.devices = devices, .in_flight = in_flight});
      for (const int64_t count : {3, 17}) {  // again after finish()
        const int64_t until = shown + count;
        for (int64_t number = shown; number < until; ++number) send(pipeline, number);
        pipeline.finish();
        EXPECT_EQ(shown, until);
      }
    }
  }
}

TEST_F(PipelineDevice, KeepsWhatLiesInAPlace) {
  Image<uint8_t> wanted(width, height);
  edges(picture(0), wanted, {.strategy = "serial"});
  int64_t shown = 0;
  Pipeline pipeline(shape, shape, edges, [&](int64_t, ConstAnyView result) {
    ++shown;
    EXPECT_TRUE(equal(result, wanted));
  });
  for (int i = 0; i < 3; ++i) send(pipeline, 0);
  for (int i = 0; i < 4; ++i) {
    pipeline.source();
    pipeline.submit();
  }
  pipeline.finish();
  EXPECT_EQ(shown, 7);
}

TEST_F(PipelineDevice, AnErrorDropsItsPictureAlone) {
  const int before = current_device();
  std::vector<int64_t> shown;
  bool fails = false;
  Pipeline pipeline(
      shape, shape,
      [&](ConstAnyView source, AnyView result, const Exec& exec) {
        if (fails) throw std::runtime_error("work");
        edges(source, result, exec);
      },
      [&](int64_t number, ConstAnyView) { shown.push_back(number); },
      {.devices = all_, .in_flight = 2});
  send(pipeline, 0);
  fails = true;
  EXPECT_THROW(send(pipeline, 1), std::runtime_error);
  fails = false;
  send(pipeline, 1);
  pipeline.finish();
  EXPECT_EQ(shown, (std::vector<int64_t>{0, 1}));
  EXPECT_THROW(pipeline.submit(), Error) << "without source()";
  EXPECT_EQ(current_device(), before);
}

TEST_F(PipelineDevice, EndsWithPicturesOnTheirWay) {
  Pipeline pipeline(shape, shape, edges, [](int64_t, ConstAnyView) { FAIL() << "was shown"; });
  send(pipeline, 0);
  send(pipeline, 1);
}

TEST(Pipeline, SaysWhatCannotBe) {
  const auto done = [](int64_t, ConstAnyView) {};
  try {
    Pipeline pipeline(shape, shape, edges, done, {.in_flight = 0});
    FAIL() << "0 pictures in flight";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument) << error.what();
    EXPECT_NE(std::string(error.what()).find("in_flight is 0"), std::string::npos);
  }
  if (list_devices().empty()) {
    EXPECT_THROW(Pipeline(shape, shape, edges, done), Error);
  }
}

}  // namespace
}  // namespace cuesta
