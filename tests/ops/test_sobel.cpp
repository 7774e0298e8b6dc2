#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <string>

#include "ops/sobel/reference.hpp"
#include "support/planted.hpp"

namespace cuesta {
namespace {

struct Gradients {
  Image<int32_t> gx, gy;
  Image<uint8_t> magnitude, direction;
};

Gradients gradients_of(ConstAnyView src, const SobelOptions& options, bool with_direction = true) {
  const int32_t w = src.width, h = src.height;
  Gradients g{Image<int32_t>(w, h), Image<int32_t>(w, h), Image<uint8_t>(w, h),
              Image<uint8_t>(w, h)};
  SobelOutputs out{.gx = g.gx, .gy = g.gy, .magnitude = g.magnitude};
  if (with_direction) out.direction = g.direction;
  sobel(src, out, options);
  return g;
}

SobelOptions any_options() {
  return {*rc::gen::element(3, 3, 5, 7),
          *rc::gen::element(Norm::l1, Norm::l2),
          {*rc::gen::element(BorderMode::reflect101, BorderMode::replicate, BorderMode::reflect,
                             BorderMode::wrap, BorderMode::ignore),
           0}};
}

Image<uint8_t> any_picture(int least = 1) {
  Image<uint8_t> out(*rc::gen::inRange(least, 150), *rc::gen::inRange(least, 60));
  verify::fill(out,
               *rc::gen::element(verify::Pattern::natural, verify::Pattern::noise,
                                 verify::Pattern::extremes),
               *rc::gen::arbitrary<uint32_t>());
  return out;
}

RC_GTEST_PROP(Sobel, ConstantsVanish, ()) {
  Image<uint8_t> src(*rc::gen::inRange(1, 150), *rc::gen::inRange(1, 60));
  const auto value = uint8_t(*rc::gen::inRange(0, 256));
  for (int32_t y = 0; y < src.height(); ++y) std::fill_n(src.row(y), src.width(), value);
  auto options = any_options();
  const auto g = gradients_of(src, options);
  Image<uint8_t> alone(src.width(), src.height());
  sobel(src, {.magnitude = alone}, options);
  for (int32_t y = 0; y < src.height(); ++y) {
    for (int32_t x = 0; x < src.width(); ++x) {
      RC_ASSERT(g.gx.at(x, y) == 0);
      RC_ASSERT(g.gy.at(x, y) == 0);
      RC_ASSERT(g.magnitude.at(x, y) == 0);
      RC_ASSERT(alone.at(x, y) == 0);
    }
  }
}

RC_GTEST_PROP(Sobel, TransposingSwapsTheGradients, ()) {
  const auto src = any_picture();
  const auto options = any_options();
  Image<uint8_t> turned(src.height(), src.width());
  for (int32_t y = 0; y < src.height(); ++y)
    for (int32_t x = 0; x < src.width(); ++x) turned.at(y, x) = src.at(x, y);
  const auto g = gradients_of(src, options), t = gradients_of(turned, options);
  for (int32_t y = 0; y < src.height(); ++y) {
    for (int32_t x = 0; x < src.width(); ++x) {
      RC_ASSERT(g.gx.at(x, y) == t.gy.at(y, x));
      RC_ASSERT(g.gy.at(x, y) == t.gx.at(y, x));
      RC_ASSERT(g.magnitude.at(x, y) == t.magnitude.at(y, x));
    }
  }
}

RC_GTEST_PROP(Sobel, ShiftsWithThePicture, ()) {
  const auto src = any_picture(16);
  const auto options = any_options();
  const Rect part{*rc::gen::inRange(0, src.width() / 2), *rc::gen::inRange(0, src.height() / 2),
                  src.width() / 2, src.height() / 2};
  const auto whole = gradients_of(src, options);
  const auto inner = gradients_of(src.view().region(part), options);
  const int32_t r = options.aperture / 2;
  for (int32_t y = r; y < part.height - r; ++y) {
    for (int32_t x = r; x < part.width - r; ++x) {
      RC_ASSERT(inner.gx.at(x, y) == whole.gx.at(part.x + x, part.y + y));
      RC_ASSERT(inner.gy.at(x, y) == whole.gy.at(part.x + x, part.y + y));
      RC_ASSERT(inner.magnitude.at(x, y) == whole.magnitude.at(part.x + x, part.y + y));
    }
  }
}

// The magnitude alone goes another way than with the gradients beside it.
RC_GTEST_PROP(Sobel, MagnitudeFollowsFromTheGradients, ()) {
  const auto src = any_picture();
  const auto options = any_options();
  const auto g = gradients_of(src, options);
  Image<uint8_t> alone(src.width(), src.height());
  sobel(src, {.magnitude = alone}, options);
  for (int32_t y = 0; y < src.height(); ++y) {
    for (int32_t x = 0; x < src.width(); ++x) {
      const double gx = g.gx.at(x, y), gy = g.gy.at(x, y);
      const double m = options.norm == Norm::l1 ? std::abs(gx) + std::abs(gy)
                                                : std::floor(std::sqrt(gx * gx + gy * gy));
      RC_ASSERT(g.magnitude.at(x, y) == std::min(m, 255.0));
      RC_ASSERT(alone.at(x, y) == std::min(m, 255.0));
    }
  }
}

TEST(Sobel, DirectionsOfRamps) {
  // Slopes along the eight neighbours, and the octant code of each.
  const struct {
    int dx, dy, code;
  } ramps[] = {{1, 0, 0}, {-1, 0, 0},  {0, 1, 2},  {0, -1, 2},
               {1, 1, 1}, {-1, -1, 1}, {1, -1, 3}, {-1, 1, 3}};
  for (const auto& ramp : ramps) {
    Image<uint8_t> src(21, 21);
    for (int32_t y = 0; y < 21; ++y)
      for (int32_t x = 0; x < 21; ++x)
        src.at(x, y) = uint8_t(120 + ramp.dx * x * 2 + ramp.dy * y * 2);
    for (const int aperture : {3, 5, 7}) {
      const auto g = gradients_of(src, {.aperture = aperture});
      EXPECT_EQ(g.direction.at(10, 10), ramp.code) << ramp.dx << "," << ramp.dy;
    }
  }
}

void expect_refused(ConstAnyView src, const SobelOutputs& out, const SobelOptions& options,
                    const char* words) {
  try {
    sobel(src, out, options);
    ADD_FAILURE() << "nothing was thrown where '" << words << "' was expected";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(Sobel, RefusesBadInput) {
  Image<uint8_t> src(20, 10), magnitude(20, 10), small(19, 10), color(20, 10, 3);
  Image<int16_t> gx(20, 10);
  Image<float> real(20, 10);
  expect_refused({}, {.gx = gx}, {}, "sobel: src has no data; its pointer must not be null");
  expect_refused(gx, {.magnitude = magnitude}, {}, "sobel: src is s16");
  expect_refused(color, {.gx = gx}, {}, "sobel: src has 3 channels");
  expect_refused(src, {}, {}, "no output is set");
  expect_refused(src, {.gx = magnitude}, {}, "sobel: gx is u8");
  expect_refused(src, {.gy = real}, {}, "sobel: gy is f32");
  expect_refused(src, {.magnitude = gx}, {}, "sobel: magnitude is s16");
  expect_refused(src, {.direction = gx}, {}, "sobel: direction is s16");
  expect_refused(src, {.magnitude = small}, {}, "the sizes must match");
  expect_refused(src, {.magnitude = src}, {}, "overlap in memory");
  for (const int aperture : {-3, 0, 1, 2, 4, 9})
    expect_refused(src, {.gx = gx}, {.aperture = aperture},
                   ("sobel: aperture is " + std::to_string(aperture)).c_str());
}

TEST(SobelFaults, AreCaught) {
  verify::expect_caught<SobelArgs>(
      [](const SobelArgs& args, Call& call) {
        SobelArgs wrong = args;
        wrong.options.border.mode = BorderMode::replicate;
        sobel_serial(wrong, call);
      },
      "a border that always replicates");
  verify::expect_caught<SobelArgs>(
      [](const SobelArgs& args, Call& call) {
        SobelArgs wrong = args;
        wrong.options.norm = Norm::l1;
        sobel_serial(wrong, call);
      },
      "a norm that is always l1");
  verify::expect_caught<SobelArgs>(
      [](const SobelArgs& args, Call&) { sobel_reference_rows(args, 0, args.src.height - 1); },
      "a last row left out");
}

}  // namespace
}  // namespace cuesta
