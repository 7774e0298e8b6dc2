// Every operation on a GPU where sizes outgrow their numbers: pictures of more than 2^31 bytes, and
// sides past the 65,535 blocks of a grid. Labels, and what counts components with them, end at 2^31
// pixels by definition; test_label_device.cpp has that end. Without a GPU these skip.
#include <gtest/gtest.h>

#ifdef CUESTA_HAS_CUDA
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cuesta/cuesta.hpp"
#include "cuesta/device.hpp"
#include "support/large_pictures.hpp"
#include "support/pictures.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using test::large_requests;
using test::LargeRequest;
using test::rows_of;

class LargePictures : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (list_devices(&why).empty()) GTEST_SKIP() << "no GPU: " << why;
  }
};

TEST(LargePicturesList, HasEveryOperation) {
  for (const OperationDescription& one : list_operations()) {
    const bool counts = one.name == "label" || one.name == "motion";
    EXPECT_EQ(
        std::ranges::any_of(large_requests(), [&](auto& r) { return r.operation == one.name; }),
        !counts)
        << one.name;
  }
}

// The same 64 rows again and again; the last ones of every answer are those of a low picture.
class Repeated {
 public:
  static constexpr int32_t period = 64, compared = 40;
  Image<uint8_t> low;
  Image<uint8_t, Space::device> src, dst;

  Repeated(int32_t width, int32_t height)
      : low(width, 2 * period), src(width, height), dst(width, height), found_(width, compared) {
    verify::fill(rows_of(AnyView(low), 0, period), verify::Pattern::natural, 5);
    for (int32_t y = 0; y < period; ++y) std::copy_n(low.row(y), width, low.row(period + y));
    for (int32_t y = 0; y < height; y += 2 * period)
      upload(low, rows_of(AnyView(src), y, 2 * period));
  }
  bool ends_as(const ConstAnyView& reference) {
    download(rows_of(ConstAnyView(dst), dst.height() - compared, compared), found_);
    return test::equal(rows_of(reference, 2 * period - compared, compared), found_);
  }
  bool ends_right(const LargeRequest& request) {
    Image<uint8_t> expected(low.width(), low.height());
    request.run(low, expected, {});
    Workspace workspace;  // gives its memory back
    request.run(src, dst, {.workspace = &workspace});
    return ends_as(expected);
  }

 private:
  Image<uint8_t> found_;
};

constexpr size_t large_memory = size_t(48) << 30;

// Their last rows begin past byte 2^31.
TEST_F(LargePictures, EndPast2To31Bytes) {
  constexpr int32_t width = 65664, height = 32768;
  static_assert(int64_t(width) * (height - Repeated::compared) > int64_t(1) << 31);
  if (list_devices()[0].memory_bytes < large_memory) GTEST_SKIP() << "needs 48 GiB of GPU memory";
  Repeated tall(width, height);
  for (const LargeRequest& one : large_requests())
    EXPECT_TRUE(tall.ends_right(one)) << one.operation << " " << one.text;
  // The same bytes as a mask, and its dilation.
  const auto bits_of = [](auto picture) {
    picture.width *= 8, picture.type = PixelType::bit;
    return picture;
  };
  const StructuringElement disk = StructuringElement::disk(15);
  Image<uint8_t> expected(width, tall.low.height());
  dilate(bits_of(ConstAnyView(tall.low)), bits_of(AnyView(expected)), disk);
  dilate(bits_of(ConstAnyView(tall.src)), bits_of(AnyView(tall.dst)), disk);
  EXPECT_TRUE(tall.ends_as(expected)) << "dilate disk:15 of bits";
}

TEST_F(LargePictures, EdgesEndPast2To32Pixels) {
  constexpr int32_t width = 65664, height = 65664;
  static_assert(int64_t(width) * (height - Repeated::compared) > int64_t(1) << 32);
  if (list_devices()[0].memory_bytes < large_memory) GTEST_SKIP() << "needs 48 GiB of GPU memory";
  Repeated square(width, height);
  const Choice canny_by = which([&](const Exec& exec) {
    canny(square.src, square.dst, {.thresholds = Thresholds::given(90, 90)}, exec);
  });
  EXPECT_EQ(canny_by.strategy, "fused");
  for (const LargeRequest& one : large_requests()) {
    if (one.operation != "canny" && one.operation != "sobel" && one.operation != "log") continue;
    EXPECT_TRUE(square.ends_right(one)) << one.operation << " " << one.text;
  }
}

TEST_F(LargePictures, SidesPassAGridsLimit) {
  for (const auto& [width, height] : {std::pair{11, 600011}, {600011, 11}}) {
    Image<uint8_t> picture(width, height), expected(width, height), found(width, height);
    verify::fill(picture, verify::Pattern::natural, 7);
    Image<uint8_t, Space::device> src(width, height), dst(width, height);
    upload(picture, src);
    for (const LargeRequest& one : large_requests()) {
      SCOPED_TRACE(std::string(one.operation) + " " + one.text + " " + std::to_string(width));
      std::fill_n(expected.row(0), width, uint8_t(1));  // what `background` leaves
      upload(expected, dst);
      one.run(picture, expected, {});
      one.run(src, dst, {});
      download(dst, found);
      EXPECT_TRUE(test::equal(expected, found));
    }
    threshold(picture, expected, 100);
    threshold(src, dst, 100);
    std::vector<Component> here, there;
    EXPECT_GT(label(expected, {}, &here), 0);
    label(dst, {}, &there);
    EXPECT_EQ(here, there);
    std::vector<std::vector<Detection>> detections;
    for (const Space space : {Space::host, Space::device}) {
      MotionOptions options = MotionOptions::of(BackgroundModel::first);
      options.close = StructuringElement::disk(3);
      options.open = StructuringElement::rectangle(1, 1);
      MotionDetector detector(options);
      const ConstAnyView still = space == Space::host ? ConstAnyView(picture) : ConstAnyView(src);
      const ConstAnyView moved = space == Space::host ? ConstAnyView(expected) : ConstAnyView(dst);
      EXPECT_TRUE(detector.push(still).empty());
      const auto found_here = detector.push(moved);
      detections.emplace_back(found_here.begin(), found_here.end());
    }
    EXPECT_FALSE(detections[0].empty());
    EXPECT_EQ(detections[0], detections[1]);
  }
}

}  // namespace
}  // namespace cuesta
#endif
