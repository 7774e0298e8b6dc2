// Sobel of f32 pictures: the order of its sums, and what becomes of infinities, NaNs and denormals.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "core/border_sample.hpp"
#include "cuesta/filter.hpp"
#include "ops/shared/gradient.hpp"
#include "ops/sobel/reference.hpp"
#include "support/planted.hpp"

namespace cuesta {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr uint32_t the_nan = 0x7FFFFFFF;

uint32_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }

struct Outputs {
  Image<float> gx, gy, magnitude, direction;
};

// Every host strategy; `simd` makes no direction.
Outputs outputs_of(ConstAnyView src, const SobelOptions& options, std::string_view strategy) {
  const int32_t w = src.width, h = src.height;
  Outputs o{Image<float>(w, h), Image<float>(w, h), Image<float>(w, h), Image<float>(w, h)};
  SobelOutputs out{.gx = o.gx, .gy = o.gy, .magnitude = o.magnitude};
  if (strategy != "simd") out.direction = o.direction;
  sobel(src, out, options, {.strategy = std::string(strategy)});
  return o;
}
constexpr std::string_view strategies[] = {"serial", "rows", "simd"};

Image<float> zeros(int32_t width, int32_t height) {
  Image<float> out(width, height);
  for (int32_t y = 0; y < height; ++y) std::fill_n(out.row(y), width, 0.0f);
  return out;
}

// The one definition of f32 sums by factors: the gradients are those of correlate.
RC_GTEST_PROP(SobelFloats, GradientsAreCorrelateOfTheirStencils, ()) {
  Image<float> src(*rc::gen::inRange(1, 150), *rc::gen::inRange(1, 40));
  verify::fill(src,
               *rc::gen::element(verify::Pattern::natural, verify::Pattern::noise,
                                 verify::Pattern::extremes),
               *rc::gen::arbitrary<uint32_t>());
  const SobelOptions options{
      *rc::gen::element(3, 5, 7),
      Norm::l1,
      {*rc::gen::element(BorderMode::reflect101, BorderMode::constant, BorderMode::ignore), 0.3}};
  Image<float> gx(src.width(), src.height()), gy(src.width(), src.height());
  const FilterOptions same{.border = options.border};
  correlate(src, gx, stencils::sobel(1, 0, options.aperture), same, {.strategy = "serial"});
  correlate(src, gy, stencils::sobel(0, 1, options.aperture), same, {.strategy = "serial"});
  for (const auto strategy : strategies) {
    const Outputs o = outputs_of(src, options, strategy);
    for (int32_t y = 0; y < src.height(); ++y) {
      for (int32_t x = 0; x < src.width(); ++x) {
        RC_ASSERT(bits_of(o.gx.at(x, y)) == bits_of(gx.at(x, y)));
        RC_ASSERT(bits_of(o.gy.at(x, y)) == bits_of(gy.at(x, y)));
      }
    }
  }
}

// Gray levels as floats: exact, so equal to those of integers.
RC_GTEST_PROP(SobelFloats, WholeSamplesGiveTheIntegersGradients, ()) {
  Image<uint8_t> bytes(*rc::gen::inRange(1, 100), *rc::gen::inRange(1, 40));
  verify::fill(bytes, verify::Pattern::noise, *rc::gen::arbitrary<uint32_t>());
  Image<float> floats(bytes.width(), bytes.height());
  for (int32_t y = 0; y < bytes.height(); ++y)
    for (int32_t x = 0; x < bytes.width(); ++x) floats.at(x, y) = bytes.at(x, y);
  const SobelOptions options{*rc::gen::element(3, 5, 7), *rc::gen::element(Norm::l1, Norm::l2), {}};
  Image<int32_t> gx(bytes.width(), bytes.height());
  Image<float> magnitude(bytes.width(), bytes.height());
  sobel(bytes, {.gx = gx, .magnitude = magnitude}, options, {.strategy = "serial"});
  for (const auto strategy : strategies) {
    const Outputs o = outputs_of(floats, options, strategy);
    for (int32_t y = 0; y < bytes.height(); ++y) {
      for (int32_t x = 0; x < bytes.width(); ++x) {
        RC_ASSERT(o.gx.at(x, y) == float(gx.at(x, y)));
        // The squares of larger windows pass 2^24.
        if (options.norm == Norm::l1 || options.aperture == 3)
          RC_ASSERT(o.magnitude.at(x, y) == magnitude.at(x, y));
      }
    }
  }
}

TEST(SobelFloats, AnInfinityReachesWhereItsTapIsNot0) {
  Image<float> src = zeros(7, 7);
  src.at(3, 3) = infinity;
  for (const auto strategy : strategies) {
    for (const Norm norm : {Norm::l1, Norm::l2}) {
      const Outputs o = outputs_of(src, {.norm = norm}, strategy);
      EXPECT_EQ(o.gx.at(2, 3), infinity) << strategy;
      EXPECT_EQ(o.gx.at(4, 3), -infinity) << strategy;
      EXPECT_EQ(o.gy.at(2, 2), infinity) << strategy;
      EXPECT_EQ(o.gx.at(3, 3), 0) << strategy;
      EXPECT_EQ(o.gx.at(3, 2), 0) << strategy;
      EXPECT_EQ(o.magnitude.at(3, 3), 0) << strategy;
      EXPECT_EQ(o.magnitude.at(4, 3), infinity) << strategy;
      EXPECT_EQ(o.magnitude.at(5, 3), 0) << strategy;
    }
  }
}

TEST(SobelFloats, EveryNanIsTheSameOne) {
  Image<float> src = zeros(9, 7);
  src.at(1, 3) = src.at(3, 3) = infinity;           // between them ∞ − ∞
  src.at(6, 3) = std::bit_cast<float>(0xFFC01234);  // one that says something
  for (const auto strategy : strategies) {
    for (const Norm norm : {Norm::l1, Norm::l2}) {
      const Outputs o = outputs_of(src, {.norm = norm}, strategy);
      EXPECT_EQ(bits_of(o.gx.at(2, 3)), the_nan) << strategy;
      EXPECT_EQ(bits_of(o.magnitude.at(2, 3)), the_nan) << strategy;
      EXPECT_EQ(bits_of(o.gx.at(7, 3)), the_nan) << strategy;
      EXPECT_EQ(bits_of(o.gy.at(7, 2)), the_nan) << strategy;
      EXPECT_EQ(bits_of(o.magnitude.at(7, 2)), the_nan) << strategy;
      EXPECT_EQ(bits_of(o.gx.at(6, 3)), 0u) << strategy;
      if (strategy != "simd") {
        EXPECT_EQ(bits_of(o.direction.at(2, 3)), the_nan) << strategy;
        EXPECT_EQ(bits_of(o.direction.at(6, 3)), 0u) << strategy;
      }
    }
  }
}

TEST(SobelFloats, DenormalsCount) {
  constexpr float least = std::numeric_limits<float>::denorm_min();
  Image<float> src(12, 8);
  for (int32_t y = 0; y < 8; ++y)
    for (int32_t x = 0; x < 12; ++x) src.at(x, y) = float(x) * least;
  for (const auto strategy : strategies) {
    const Outputs o = outputs_of(src, {}, strategy);
    EXPECT_EQ(o.gx.at(5, 4), 8 * least) << strategy;
    EXPECT_EQ(o.gy.at(5, 4), 0) << strategy;
    EXPECT_EQ(o.magnitude.at(5, 4), 8 * least) << strategy;
  }
}

// The root is of squares in f32, paper 003's.
TEST(SobelFloats, LargeGradientsHaveAnInfiniteL2Magnitude) {
  Image<float> src = zeros(7, 7);
  src.at(3, 3) = 1e20f;
  for (const auto strategy : strategies) {
    EXPECT_EQ(outputs_of(src, {}, strategy).magnitude.at(2, 3), 2e20f) << strategy;
    EXPECT_EQ(outputs_of(src, {.norm = Norm::l2}, strategy).magnitude.at(2, 3), infinity)
        << strategy;
  }
}

void expect_refused(ConstAnyView src, const SobelOutputs& out, const Exec& exec,
                    const char* words) {
  try {
    sobel(src, out, {}, exec);
    ADD_FAILURE() << "nothing was thrown where '" << words << "' was expected";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(SobelFloats, AllOutputsAreFloatsOrNoneIs) {
  Image<float> src(20, 10), real(20, 10);
  Image<int16_t> small(20, 10);
  Image<int32_t> large(20, 10);
  Image<uint8_t> bytes(20, 10), octants(20, 10);
  Image<uint16_t> words(20, 10);
  verify::fill(src, verify::Pattern::noise, 1);
  verify::fill(bytes, verify::Pattern::noise, 1);
  expect_refused(src, {.gx = small}, {}, "sobel: gx is s16; for an f32 source it must be f32");
  expect_refused(src, {.gy = large}, {}, "sobel: gy is s32; for an f32 source it must be f32");
  expect_refused(src, {.magnitude = words}, {},
                 "sobel: magnitude is u16; for an f32 source it must be f32");
  expect_refused(src, {.direction = octants}, {},
                 "sobel: direction is u8; for an f32 source it must be f32");
  expect_refused(src, {.gx = src}, {}, "overlap in memory");
  expect_refused(bytes, {.gx = real}, {}, "sobel: gx is f32; it must be s16, s32");
}

TEST(SobelFloats, NewPicturesAreOfFloats) {
  Image<float> src(33, 9);
  verify::fill(src, verify::Pattern::natural, 3);
  const Outputs o = outputs_of(src, {}, "serial");
  const auto made = sobel_gradients(src);
  static_assert(std::is_same_v<decltype(made.gx), Image<float>>);
  const auto any = sobel_gradients(ConstAnyView(src));
  const Image<float> magnitude = sobel(src);
  ASSERT_EQ(any.gy.view().type, PixelType::f32);
  for (int32_t y = 0; y < 9; ++y) {
    for (int32_t x = 0; x < 33; ++x) {
      EXPECT_EQ(made.gx.at(x, y), o.gx.at(x, y));
      EXPECT_EQ(any.gy.view().as<float>().at(x, y), o.gy.at(x, y));
      EXPECT_EQ(magnitude.at(x, y), o.magnitude.at(x, y));
    }
  }
}

TEST(SobelFloatFaults, AreCaught) {
  verify::expect_caught<SobelArgs>(
      [](const SobelArgs& args, Call& call) {
        sobel_serial(args, call);
        if (args.src.type != PixelType::f32 || !args.out.gx) return;
        const auto gx = args.out.gx.as<float>();
        for (int32_t y = 0; y < gx.height; ++y)
          for (int32_t x = 0; x < gx.width; ++x)
            if (std::isnan(gx.at(x, y))) gx.at(x, y) = -gx.at(x, y);
      },
      "the NaN that this processor makes of ∞ − ∞");
  verify::expect_caught<SobelArgs>(
      [](const SobelArgs& args, Call& call) {
        sobel_serial(args, call);
        if (args.src.type != PixelType::f32 || !args.out.gx) return;
        const auto gx = args.out.gx.as<float>();
        for (int32_t y = 0; y < gx.height; ++y)
          for (int32_t x = 0; x < gx.width; ++x)
            if (std::fpclassify(gx.at(x, y)) == FP_SUBNORMAL) gx.at(x, y) = 0;
      },
      "denormals flushed to 0");
  verify::expect_caught<SobelArgs>(
      [](const SobelArgs& args, Call& call) {
        sobel_serial(args, call);
        if (args.src.type != PixelType::f32 || !args.out.gx) return;
        const auto src = args.src.as<float>();
        const auto gx = args.out.gx.as<float>();
        const int k = args.options.aperture, r = k / 2;
        const auto taps = gradient::taps(k);
        for (int32_t y = r; y + r < src.height; ++y) {
          for (int32_t x = r; x + r < src.width; ++x) {
            float sum = 0;
            for (int j = 0; j < k; ++j) {
              float across = 0;
              for (int i = 0; i < k; ++i) {
                if (const int tap = taps.derivative[i])
                  across = std::fma(float(tap), src.at(x + i - r, y + j - r), across);
              }
              sum = std::fma(float(taps.smoothing[j]), across, sum);
            }
            if (!std::isnan(sum)) gx.at(x, y) = sum;
          }
        }
      },
      "sums across before those down");
}

}  // namespace
}  // namespace cuesta
