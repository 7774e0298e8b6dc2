// Every operation on a GPU where sizes outgrow their numbers: pictures of more than 2^31 bytes, and
// sides past the 65,535 blocks of a grid. Labels, and what counts components with them, end at 2^31
// pixels by definition; test_label_device.cpp has that end. Without a GPU these skip.
#include <gtest/gtest.h>

#ifdef CUESTA_HAS_CUDA
#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cuesta/cuesta.hpp"
#include "cuesta/device.hpp"
#include "support/pictures.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using Run = std::function<void(ConstAnyView, AnyView, const Exec&)>;
struct Request {
  std::string_view operation;
  std::string text;
  Run run;  // of u8 to u8, and of what lies no more than 64 rows away
};

const std::vector<Request>& requests() {
  static const std::vector<Request> all = {
      {"pixel", "threshold",
       [](ConstAnyView src, AnyView dst, const Exec& exec) { threshold(src, dst, 100, exec); }},
      {"convolve", "gaussian 5",
       [](ConstAnyView src, AnyView dst, const Exec& exec) {
         gaussian(src, dst, {.ksize = 5}, exec);
       }},
      {"convolve", "box 11",
       [](ConstAnyView src, AnyView dst, const Exec& exec) { box(src, dst, {.n = 11}, exec); }},
      {"median", "3",
       [](ConstAnyView src, AnyView dst, const Exec& exec) {
         median(src, dst, {.ksize = 3}, exec);
       }},
      {"median", "5",
       [](ConstAnyView src, AnyView dst, const Exec& exec) {
         median(src, dst, {.ksize = 5}, exec);
       }},
      {"sobel", "magnitude",
       [](ConstAnyView src, AnyView dst, const Exec& exec) {
         sobel(src, SobelOutputs{.magnitude = dst}, {}, exec);
       }},
      {"log", "edges",
       [](ConstAnyView src, AnyView dst, const Exec& exec) { log_edges(src, dst, {}, exec); }},
      // One threshold: an edge then depends on its own neighbours alone.
      {"canny", "one threshold",
       [](ConstAnyView src, AnyView dst, const Exec& exec) {
         canny(src, dst, {.sigma = 0, .thresholds = Thresholds::given(90, 90)}, exec);
       }},
      {"morphology", "dilate rect:15",
       [](ConstAnyView src, AnyView dst, const Exec& exec) {
         dilate(src, dst, StructuringElement::rectangle(15, 15), {}, exec);
       }},
      {"morphology", "close disk:15",
       [](ConstAnyView src, AnyView dst, const Exec& exec) {
         morph_close(src, dst, StructuringElement::disk(15), {}, exec);
       }},
      {"background", "mean", [](ConstAnyView src, AnyView dst, const Exec& exec) {
         BackgroundSubtractor model({.model = BackgroundModel::mean});
         ConstAnyView lower = src;  // another frame of the same size
         lower.data = static_cast<const char*>(src.data) + src.stride_bytes;
         lower.height = src.height - 1;
         ConstAnyView upper = src;
         upper.height = src.height - 1;
         AnyView mask = dst;
         mask.data = static_cast<char*>(dst.data) + dst.stride_bytes;
         mask.height = dst.height - 1;
         model.push(upper, BackgroundOutputs{}, 25, exec);
         model.push(lower, BackgroundOutputs{.mask = mask}, 25, exec);
       }}};
  return all;
}

/// Rows y to y + count − 1.
template <class View>
View rows_of(View picture, int32_t y, int32_t count) {
  using Byte = std::conditional_t<std::is_same_v<View, AnyView>, char, const char>;
  picture.data = static_cast<Byte*>(picture.data) + y * picture.stride_bytes;
  picture.height = count;
  return picture;
}

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
    const bool is_there = std::ranges::any_of(list_strategies(), [&](const auto& strategy) {
      return strategy.operation == one.name && strategy.space == Space::device;
    });
    EXPECT_EQ(std::ranges::any_of(requests(), [&](auto& r) { return r.operation == one.name; }),
              is_there && !counts)
        << one.name;
  }
}

// The same 64 rows again and again; the last ones of every answer, which begin past byte 2^31, are
// those of a low picture.
TEST_F(LargePictures, EndPast2To31Bytes) {
  constexpr int32_t width = 65664, height = 32768, period = 64, compared = 40;
  static_assert(int64_t(width) * (height - compared) > int64_t(1) << 31);
  constexpr size_t needed = size_t(40) << 30;
  if (list_devices()[0].memory_bytes < needed) GTEST_SKIP() << "needs 40 GiB of GPU memory";
  Image<uint8_t> low(width, 2 * period), expected(width, 2 * period), found(width, compared);
  verify::fill(rows_of(AnyView(low), 0, period), verify::Pattern::natural, 5);
  for (int32_t y = 0; y < period; ++y) std::copy_n(low.row(y), width, low.row(period + y));
  Image<uint8_t, Space::device> src(width, height), dst(width, height);
  for (int32_t y = 0; y < height; y += 2 * period)
    upload(low, rows_of(AnyView(src), y, 2 * period));
  const auto same = [&](const ConstAnyView& reference) {
    return test::equal(rows_of(reference, 2 * period - compared, compared), found);
  };
  const auto bring = [&] {
    download(rows_of(ConstAnyView(dst), height - compared, compared), found);
  };
  for (const Request& one : requests()) {
    SCOPED_TRACE(std::string(one.operation) + " " + one.text);
    one.run(low, expected, {});
    Workspace workspace;  // gives its memory back
    one.run(src, dst, {.workspace = &workspace});
    bring();
    EXPECT_TRUE(same(expected));
  }
  // The same bytes as a mask, and its dilation.
  const auto bits_of = [](auto picture) {
    picture.width *= 8, picture.type = PixelType::bit;
    return picture;
  };
  const StructuringElement disk = StructuringElement::disk(15);
  dilate(bits_of(ConstAnyView(low)), bits_of(AnyView(expected)), disk);
  dilate(bits_of(ConstAnyView(src)), bits_of(AnyView(dst)), disk);
  bring();
  EXPECT_TRUE(same(expected)) << "dilate disk:15 of bits";
}

TEST_F(LargePictures, SidesPassAGridsLimit) {
  for (const auto& [width, height] : {std::pair{11, 600011}, {600011, 11}}) {
    Image<uint8_t> picture(width, height), expected(width, height), found(width, height);
    verify::fill(picture, verify::Pattern::natural, 7);
    Image<uint8_t, Space::device> src(width, height), dst(width, height);
    upload(picture, src);
    for (const Request& one : requests()) {
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
      MotionOptions options;
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
