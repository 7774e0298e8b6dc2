// The production rows of convolve on a GPU: who takes what, on long sides.
#include <gtest/gtest.h>

#ifdef CUESTA_HAS_CUDA

#include <array>
#include <string>
#include <type_traits>

#include "cuesta/device.hpp"
#include "cuesta/filter.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

// Whether a row takes call(src, dst, exec) on pictures of a type.
bool takes(std::string_view row, PixelType type, int32_t channels, const auto& call) {
  const AnyView src = placeholder(640, 480, type, channels, Space::device);
  const AnyView dst = placeholder(640, 480, type, channels, Space::device);
  const Choice choice =
      which([&](const Exec& exec) { call(src, dst, exec); }, {.strategy = std::string(row)});
  return choice.refusal.empty();
}
bool takes_gaussian(std::string_view row, PixelType type, int32_t channels, int ksize) {
  return takes(row, type, channels, [&](AnyView src, AnyView dst, const Exec& exec) {
    gaussian(src, dst, {.ksize = ksize}, exec);
  });
}
bool takes_box(std::string_view row, PixelType type) {
  return takes(row, type, 1,
               [&](AnyView src, AnyView dst, const Exec& exec) { box(src, dst, {.n = 6}, exec); });
}
bool takes_sharpening(std::string_view row, PixelType type, int32_t channels, int n) {
  return takes(row, type, channels, [&](AnyView src, AnyView dst, const Exec& exec) {
    sharpen(src, dst, {.n = n}, exec);
  });
}

TEST(ConvolveProduction, TakesWhatItsTypeFactorsAndReachAllow) {
  using enum PixelType;
  EXPECT_TRUE(takes_gaussian("mma-separable", u8, 1, 5));
  EXPECT_TRUE(takes_gaussian("mma-separable", u8, 1, 33));
  EXPECT_FALSE(takes_gaussian("mma-separable", u8, 1, 35));
  EXPECT_TRUE(takes_gaussian("mma-separable", u8, 4, 9));
  EXPECT_FALSE(takes_gaussian("mma-separable", u8, 4, 11));
  EXPECT_FALSE(takes_gaussian("mma-separable", u8, 1, 1));  // its tap is 256
  EXPECT_TRUE(takes_gaussian("mma-separable", u16, 3, 5));
  EXPECT_FALSE(takes_gaussian("mma-separable", f32, 1, 5));
  EXPECT_TRUE(takes_box("mma-separable", u8));
  EXPECT_FALSE(takes_box("mma-separable", u16));
  EXPECT_FALSE(takes_sharpening("mma-separable", u8, 1, 3));
  EXPECT_TRUE(takes_sharpening("tensor", u8, 1, 9));
  EXPECT_TRUE(takes_sharpening("tensor", u8, 1, 11));   // 11 x 11, its tap 121
  EXPECT_FALSE(takes_sharpening("tensor", u8, 1, 13));  // 169
  EXPECT_TRUE(takes_sharpening("tensor", u16, 1, 9));
  EXPECT_FALSE(takes_sharpening("tensor", u16, 1, 11));
  EXPECT_FALSE(takes_sharpening("tensor", u8, 3, 3));
  EXPECT_TRUE(takes_gaussian("tensor", u8, 1, 5));    // 1 4 6 4 1
  EXPECT_FALSE(takes_gaussian("tensor", u8, 1, 15));  // mma-separable's
  EXPECT_FALSE(takes_gaussian("tensor", u16, 1, 5));
  EXPECT_TRUE(takes_gaussian("separable-f32", f32, 1, 31));
  EXPECT_FALSE(takes_gaussian("separable-f32", f32, 1, 33));
  EXPECT_TRUE(takes_gaussian("separable-f32", f32, 3, 11));
  EXPECT_FALSE(takes_sharpening("separable-f32", f32, 1, 3));
  EXPECT_TRUE(takes_sharpening("rolling-f32", f32, 1, 9));
  EXPECT_FALSE(takes_sharpening("rolling-f32", f32, 1, 11));
  EXPECT_TRUE(takes_sharpening("rolling-f32", f32, 4, 3));
  EXPECT_FALSE(takes_sharpening("rolling-f32", f32, 4, 5));
  EXPECT_FALSE(takes_gaussian("rolling-f32", f32, 1, 5));
}

class ConvolveDevice : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (list_devices(&why).empty()) GTEST_SKIP() << "no GPU: " << why;
  }
  template <class T>
  static void expect_equal(const Image<T>& a, const Image<T>& b, const std::string& what) {
    int64_t different = 0;
    for (int32_t y = 0; y < a.height(); ++y)
      for (int32_t x = 0; x < a.width(); ++x) different += a.at(x, y) != b.at(x, y);
    EXPECT_EQ(different, 0) << what;
  }
};

// Of each row a request, from the reference's types: run(src, dst, exec) in either space.
template <class T, class Test>
void each_row(Test&& test) {
  const auto smooth = [](ConstAnyView src, AnyView dst, const Exec& exec) {
    gaussian(src, dst, {.ksize = 7}, exec);
  };
  if constexpr (std::is_same_v<T, float>) {
    test("separable-f32", smooth);
    test("rolling-f32", [](ConstAnyView src, AnyView dst, const Exec& exec) {
      sharpen(src, dst, {.n = 5}, exec);
    });
  } else {
    test("mma-separable", smooth);
    const auto with = [&](int n) {
      test("tensor", [n](ConstAnyView src, AnyView dst, const Exec& exec) {
        sharpen(src, dst, {.n = n}, exec);
      });
    };
    with(5);
    if (sizeof(T) == 1) with(11);
    test("tensor", [](ConstAnyView src, AnyView dst, const Exec& exec) {
      static const Stencil planes =
          Stencil::integers(3, 3, std::array<int32_t, 9>{300, -1, 7, 0, 991, 2, -500, 3, 129}, 900);
      correlate(src, dst, planes, {}, exec);
    });
  }
}

TEST_F(ConvolveDevice, SidesPassAGridsLimit) {
  const auto of_type = [&]<class T>(T) {
    for (const auto& [width, height] : {std::pair{7, 600000}, {600000, 7}}) {
      Image<T> picture(width, height), host(width, height), expected(width, height);
      verify::fill(picture, verify::Pattern::noise, 5);
      Image<T, Space::device> src(width, height), dst(width, height);
      upload(picture, src);
      each_row<T>([&](const char* name, const auto& run) {
        run(src, dst, {.strategy = name});
        download(dst, host);
        run(picture, expected, {});
        expect_equal(host, expected, name + std::to_string(width));
      });
    }
  };
  of_type(uint8_t());
  of_type(uint16_t());
  of_type(float());
}

}  // namespace
}  // namespace cuesta

#endif
