// The production rows of convolve on a GPU: who takes what, on long sides.
#include <gtest/gtest.h>

#ifdef CUESTA_HAS_CUDA

#include <array>
#include <bit>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "core/one_nan.hpp"
#include "cuesta/device.hpp"
#include "cuesta/filter.hpp"
#include "cuesta/strategies.hpp"
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
  EXPECT_TRUE(takes_box("mma-separable", u16));
  EXPECT_TRUE(takes_gaussian("mma-long", u8, 1, 35));
  EXPECT_TRUE(takes_gaussian("mma-long", u8, 4, 255));
  EXPECT_TRUE(takes_gaussian("mma-long", u16, 3, 121));
  EXPECT_FALSE(takes_gaussian("mma-long", f32, 1, 35));
  EXPECT_TRUE(takes_sharpening("tensor-rows", u8, 3, 3));
  EXPECT_TRUE(takes_sharpening("tensor-rows", u8, 4, 11));   // reaches 20 samples
  EXPECT_FALSE(takes_sharpening("tensor-rows", u8, 4, 13));  // its tap 168
  EXPECT_TRUE(takes_sharpening("tensor-rows", u16, 3, 9));
  EXPECT_TRUE(takes_sharpening("tensor-rows", u16, 1, 11));
  EXPECT_FALSE(takes_sharpening("tensor-rows", u16, 1, 13));
  EXPECT_FALSE(takes_sharpening("tensor-rows", f32, 3, 3));
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
  EXPECT_TRUE(takes_gaussian("separable-f32", f32, 1, 63));
  EXPECT_FALSE(takes_gaussian("separable-f32", f32, 1, 65));
  EXPECT_TRUE(takes_gaussian("separable-f32", f32, 4, 25));
  EXPECT_FALSE(takes_gaussian("separable-f32", f32, 3, 27));
  EXPECT_TRUE(takes_gaussian("separable-f32", f32, 3, 11));
  EXPECT_FALSE(takes_sharpening("separable-f32", f32, 1, 3));
  EXPECT_TRUE(takes_sharpening("tiles-f32", f32, 1, 9));
  EXPECT_FALSE(takes_sharpening("tiles-f32", f32, 1, 11));
  EXPECT_TRUE(takes_sharpening("tiles-f32", f32, 4, 3));
  EXPECT_TRUE(takes_sharpening("tiles-f32", f32, 4, 9));
  EXPECT_FALSE(takes_gaussian("tiles-f32", f32, 1, 5));
  EXPECT_TRUE(takes_gaussian("long-f32", f32, 4, 255));
  EXPECT_FALSE(takes_gaussian("long-f32", u8, 1, 35));
  EXPECT_FALSE(takes_sharpening("long-f32", f32, 1, 3));
  EXPECT_TRUE(takes_sharpening("blocks", f32, 4, 9));
  EXPECT_FALSE(takes_sharpening("blocks", f32, 4, 11));
  EXPECT_TRUE(takes_sharpening("pairwise", f32, 1, 11));
  EXPECT_TRUE(takes_sharpening("pairwise", f32, 4, 255));
  EXPECT_FALSE(takes_sharpening("pairwise", f32, 1, 9));
  EXPECT_FALSE(takes_sharpening("pairwise", u16, 1, 31));
  EXPECT_FALSE(takes_gaussian("pairwise", f32, 1, 31));
  EXPECT_TRUE(takes_sharpening("running", u8, 1, 13));
  EXPECT_FALSE(takes_sharpening("running", u8, 1, 9));  // 9 rows
  EXPECT_TRUE(takes_sharpening("running", u16, 4, 255));
  EXPECT_FALSE(takes_sharpening("running", f32, 1, 31));
  EXPECT_FALSE(takes_gaussian("running", u8, 1, 31));
  EXPECT_TRUE(takes_sharpening("blocks", u16, 3, 63));
  EXPECT_FALSE(takes_gaussian("blocks", f32, 1, 5));
}

// The automatic choice for `call`, and whether it is a production row.
void expect_production(const std::string& what, PixelType type, int32_t channels,
                       const auto& call) {
  for (const BorderMode mode : {BorderMode::reflect101, BorderMode::constant, BorderMode::ignore}) {
    const AnyView src = placeholder(640, 480, type, channels, Space::device);
    const AnyView dst = placeholder(640, 480, type, channels, Space::device);
    const Choice choice = which([&](const Exec& exec) { call(src, dst, Border{mode, 3}, exec); });
    EXPECT_EQ(choice.tier, Tier::production)
        << what << " of " << channels << " x " << name_of(type) << ": " << choice.strategy;
  }
}

TEST(ConvolveProduction, OrdinaryRequestsNeedNoPlainRow) {
  for (const PixelType type : {PixelType::u8, PixelType::u16, PixelType::f32}) {
    for (const int32_t channels : {1, 2, 3, 4}) {
      for (const int n : {3, 5, 7, 9, 15, 21, 31, 33, 49, 61, 97, 121, 255}) {
        const std::string side = std::to_string(n);
        expect_production("gaussian " + side, type, channels,
                          [n](AnyView src, AnyView dst, const Border& border, const Exec& exec) {
                            gaussian(src, dst, {.ksize = n, .border = border}, exec);
                          });
        expect_production("box " + side, type, channels,
                          [n](AnyView src, AnyView dst, const Border& border, const Exec& exec) {
                            box(src, dst, {.n = n, .border = border}, exec);
                          });
        // Past 31 sums of u16 with such taps exceed 31 bits.
        if (n > (type == PixelType::u16 ? 31 : 61)) continue;
        expect_production("sharpen " + side, type, channels,
                          [n](AnyView src, AnyView dst, const Border& border, const Exec& exec) {
                            sharpen(src, dst, {.n = n, .border = border}, exec);
                          });
        std::vector<int32_t> taps(size_t(n) * size_t(n));
        for (size_t i = 0; i < taps.size(); ++i) taps[i] = int32_t(i * 37 % 256) - 128;
        const Stencil whole = Stencil::integers(n, n, taps, 64);
        const std::vector<float> floats(taps.begin(), taps.end());
        const Stencil full = type == PixelType::f32 ? Stencil::floats(n, n, floats) : whole;
        expect_production("stencil " + side, type, channels,
                          [&](AnyView src, AnyView dst, const Border& border, const Exec& exec) {
                            correlate(src, dst, full, {.border = border}, exec);
                          });
      }
      expect_production("laplacian", type, channels,
                        [](AnyView src, AnyView dst, const Border& border, const Exec& exec) {
                          laplacian(src, dst, {.border = border}, exec);
                        });
    }
  }
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
  test("blocks",
       [](ConstAnyView src, AnyView dst, const Exec& exec) { sharpen(src, dst, {.n = 9}, exec); });
  if constexpr (std::is_same_v<T, float>) {
    test("pairwise", [](ConstAnyView src, AnyView dst, const Exec& exec) {
      sharpen(src, dst, {.n = 13}, exec);
    });
    test("separable-f32", smooth);
    test("long-f32", smooth);
    test("tiles-f32", [](ConstAnyView src, AnyView dst, const Exec& exec) {
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
    test("mma-long", [](ConstAnyView src, AnyView dst, const Exec& exec) {
      gaussian(src, dst, {.ksize = 49}, exec);
    });
    test("tensor-rows", [](ConstAnyView src, AnyView dst, const Exec& exec) {
      sharpen(src, dst, {.n = 5}, exec);
    });
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

// Equal bits, or both no number: which of those it is no definition says.
int64_t different_floats(const Image<float>& a, const Image<float>& b) {
  int64_t different = 0;
  for (int32_t y = 0; y < a.height(); ++y) {
    for (int32_t x = 0; x < a.width(); ++x) {
      const float v = a.at(x, y), w = b.at(x, y);
      different += std::bit_cast<uint32_t>(v) != std::bit_cast<uint32_t>(w) && (v == v || w == w);
    }
  }
  return different;
}

// Windows with taps of 0, which show where a sample is infinite or no number and where a sum is −0.
// Scaled, their products are lost below the smallest denormal.
Stencil stencil_with_zeros(int n, bool factors, float scale) {
  std::vector<float> taps;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      const int row = i == n / 2 ? 0 : i - n / 2, column = j % 3 ? j + 1 : 0;
      taps.push_back(scale * float(factors ? column * row : (5 * i + 7 * j + i * j) % 4 - 1));
    }
  }
  return Stencil::floats(n, n, taps);
}

TEST_F(ConvolveDevice, TapsOfZeroAreLeftOutWhereItShows) {
  constexpr int32_t width = 700, height = 300;
  static constexpr uint32_t odd[] = {0x7F800000, 0xFF800000, 0x7FC00000, 0x80000000,
                                     0x00000001, 0x80000003, 0x7F7FFFFF, 0x00000000};
  enum class Kind { numbers, some_odd, tiny };
  for (const Kind kind : {Kind::numbers, Kind::some_odd, Kind::tiny}) {
    Image<float> picture(width, height), host(width, height), expected(width, height);
    uint32_t drawn = 1;
    for (int32_t y = 0; y < height; ++y) {
      for (int32_t x = 0; x < width; ++x) {
        drawn = drawn * 1664525u + 1013904223u;
        float& v = picture.at(x, y);
        v = float(drawn >> 8) / float(1 << 16) - 90;
        if (kind == Kind::tiny) v *= 0x1p-140f;
        if (kind == Kind::some_odd && drawn >> 20 == 7)
          v = std::bit_cast<float>(odd[drawn >> 8 & 7]);
      }
    }
    Image<float, Space::device> src(width, height), dst(width, height);
    upload(picture, src);
    for (const bool factors : {false, true}) {
      for (const int n : {3, 5, 7, 9, 15, 31}) {
        if (!factors && n > 15) continue;
        const Stencil stencil = stencil_with_zeros(n, factors, kind == Kind::tiny ? 0x1p-12f : 1);
        const FilterOptions options{.border = {BorderMode::constant, 3.5}};
        correlate(picture, expected, stencil, options, {.strategy = "rows"});
        const auto check = [&](const char* strategy) {
          correlate(src, dst, stencil, options, {.strategy = strategy});
          download(dst, host);
          EXPECT_EQ(different_floats(host, expected), 0)
              << strategy << ", " << n << ", picture " << int(kind);
        };
        check(factors ? "long-f32" : "blocks");
        if (factors || n <= 9) check(factors ? "separable-f32" : "tiles-f32");
      }
    }
  }
}

// An emulated device makes its host's NaNs, a GPU one alone.
float as_gpus_have(float value) {
#ifdef CUESTA_CUDA_EMULATED
  return with_one_nan(value);
#else
  return value;
#endif
}

// Windows whose factors have no tap of 0: every width that tiles serve, whole rows and a part at an
// odd address, of samples some of which are infinite or no number.
TEST_F(ConvolveDevice, FactorsWithoutZerosEqualTheRows) {
  constexpr int32_t width = 701, height = 131;
  Image<float> picture(width, height), host(width, height), expected(width, height);
  verify::fill(picture, verify::Pattern::noise, 3);
  picture.at(17, 60) = std::numeric_limits<float>::infinity();
  picture.at(650, 5) = std::numeric_limits<float>::quiet_NaN();
  Image<float, Space::device> src(width, height), dst(width, height);
  upload(picture, src);
  for (int n = 3; n <= 31; n += 2) {
    for (const BorderMode border : {BorderMode::reflect101, BorderMode::constant}) {
      for (const Rect part : {Rect{0, 0, width, height}, Rect{1, 2, 469, 77}}) {
        const GaussianOptions options{.ksize = n, .border = {border, 3.5}};
        gaussian(src.view().region(part), dst.view().region(part), options,
                 {.strategy = "separable-f32"});
        download(dst, host);
        gaussian(picture.view().region(part), expected.view().region(part), options,
                 {.strategy = "rows"});
        int64_t different = 0;
        for (int32_t y = part.y; y < part.y + part.height; ++y)
          for (int32_t x = part.x; x < part.x + part.width; ++x)
            different += std::bit_cast<uint32_t>(as_gpus_have(host.at(x, y))) !=
                         std::bit_cast<uint32_t>(expected.at(x, y));
        EXPECT_EQ(different, 0) << n << " taps, " << part.width << " wide, border " << int(border);
      }
    }
  }
}

}  // namespace
}  // namespace cuesta

#endif
