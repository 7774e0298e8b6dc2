// Every operation on a GPU where sizes outgrow their numbers: pictures of more than 2^31 bytes, and
// sides past the 65,535 blocks of a grid. Labels, and what counts components with them, end at 2^31
// pixels by definition; test_label_device.cpp has that end. Without a GPU these skip.
#include <gtest/gtest.h>

#ifdef CUESTA_HAS_CUDA
#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuesta/cuesta.hpp"
#include "cuesta/device.hpp"
#include "support/large_pictures.hpp"
#include "support/pictures.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using test::counts_labels;
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
    const bool counts = counts_labels(one.name);
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
  EXPECT_EQ(canny_by.strategy, "march-fp16");
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

// Large enough for what is chosen at odd addresses by size: a sample past an aligned one, rows of
// an odd length. Of the answers the samples beside the rows are compared, too.
template <class T>
void expect_equal_at_odd_addresses(
    int32_t width, int32_t height,
    const std::vector<std::pair<std::string, std::function<void(ConstAnyView, AnyView)>>>& calls) {
  const int32_t apart = width + 2;
  const auto oddly = [&](auto& memory) {
    using View = decltype(memory.view());
    return View(memory.row(0) + 1, width, height, 1, ptrdiff_t(apart) * ptrdiff_t(sizeof(T)));
  };
  Image<T> from(apart * height + 1, 1), expected(apart * height + 1, 1),
      found(apart * height + 1, 1);
  Image<T, Space::device> src(apart * height + 1, 1), dst(apart * height + 1, 1);
  verify::fill(from, verify::Pattern::noise, 3);
  upload(from, src);
  for (const auto& [text, call] : calls) {
    std::fill_n(expected.row(0), expected.width(), T(1));
    upload(expected, dst);
    call(oddly(from), oddly(expected));
    call(oddly(src), oddly(dst));
    download(dst, found);
    EXPECT_TRUE(std::equal(found.row(0), found.row(0) + found.width(), expected.row(0)))
        << text << " " << width << " x " << height;
  }
}

TEST_F(LargePictures, AtOddAddresses) {
  std::vector<std::pair<std::string, std::function<void(ConstAnyView, AnyView)>>> calls;
  for (const auto& [name, border] : {std::pair{"reflect101", Border(BorderMode::reflect101)},
                                     {"wrap", Border(BorderMode::wrap)},
                                     {"constant", Border(BorderMode::constant, 77)},
                                     {"ignore", Border(BorderMode::ignore)}}) {
    for (const int ksize : {15, 31})
      calls.emplace_back("gaussian " + std::to_string(ksize) + " " + name,
                         [=](ConstAnyView src, AnyView dst) {
                           gaussian(src, dst, {.ksize = ksize, .border = border});
                         });
    calls.emplace_back(std::string("box 8 ") + name, [=](ConstAnyView src, AnyView dst) {
      box(src, dst, {.n = 8, .border = border});
    });
    for (const char* element : {"rect:15", "rect:3", "disk:15"})
      calls.emplace_back(std::string("dilate ") + element + " " + name,
                         [=](ConstAnyView src, AnyView dst) {
                           dilate(src, dst, StructuringElement::parse(element), {.border = border});
                         });
  }
  for (const char* element : {"rect:15", "disk:15"})
    calls.emplace_back(std::string("dilate ") + element, [=](ConstAnyView src, AnyView dst) {
      dilate(src, dst, StructuringElement::parse(element));
    });
  for (const auto& [width, height] : {std::pair{8189, 8192}, {8191, 1031}, {2995, 2909}})
    expect_equal_at_odd_addresses<uint8_t>(width, height, calls);
  for (const auto& [width, height] : {std::pair{8189, 4200}, {449, 9001}})
    expect_equal_at_odd_addresses<uint16_t>(width, height, calls);
}

}  // namespace
}  // namespace cuesta
#endif
