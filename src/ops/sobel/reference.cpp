// Sobel as the definition reads: sums down the columns of a window, sums of those across, what is
// wanted of the two. No cleverness.
#include "ops/sobel/reference.hpp"

#include <algorithm>
#include <cmath>

#include "core/border_sample.hpp"
#include "ops/shared/gradient.hpp"
#include "ops/sobel/sums.hpp"

namespace cuesta {
namespace {

using namespace sobel_sums;

template <class T>
struct Gradient {
  Sum<T> x = 0, y = 0;
};

template <class T>
Gradient<T> gradient_at(const SobelArgs& args, int32_t x, int32_t y) {
  const auto src = args.src.as<T>();
  const int k = args.options.aperture, r = k / 2;
  const auto [derivative, smoothing] = gradient::taps(k);
  const Border& border = args.options.border;
  if (border.mode == BorderMode::ignore &&
      (x < r || y < r || x + r >= src.width || y + r >= src.height)) {
    return {};
  }
  const T outside = border_sample<T>(border);
  Gradient<T> sum;
  for (int i = 0; i < k; ++i) {
    const int32_t sx = map_index(border.mode, x + i - r, src.width);
    Sum<T> smooth = 0, derive = 0;
    for (int j = 0; j < k; ++j) {
      const int32_t sy = map_index(border.mode, y + j - r, src.height);
      const Sum<T> v = sx < 0 || sy < 0 ? outside : src.at(sx, sy);
      smooth = add_tap(smooth, smoothing[j], v);
      derive = add_tap(derive, derivative[j], v);
    }
    sum.x = add_tap(sum.x, derivative[i], smooth);
    sum.y = add_tap(sum.y, smoothing[i], derive);
  }
  return sum;
}

void store_gradient(AnyView out, int32_t x, int32_t y, int64_t g) {
  if (out.type == PixelType::s16)
    out.as<int16_t>().at(x, y) = int16_t(std::clamp<int64_t>(g, -32768, 32767));
  if (out.type == PixelType::s32) out.as<int32_t>().at(x, y) = int32_t(g);
}

void store_magnitude(AnyView out, Norm norm, int32_t x, int32_t y, int64_t gx, int64_t gy) {
  const int64_t squares = gx * gx + gy * gy;
  const int64_t m = norm == Norm::l1 ? std::abs(gx) + std::abs(gy) : gradient::floor_sqrt(squares);
  if (out.type == PixelType::u8) out.as<uint8_t>().at(x, y) = uint8_t(std::min<int64_t>(m, 255));
  if (out.type == PixelType::u16)
    out.as<uint16_t>().at(x, y) = uint16_t(std::min<int64_t>(m, 65535));
  if (out.type == PixelType::f32) {
    out.as<float>().at(x, y) = norm == Norm::l1 ? float(m) : float(std::sqrt(double(squares)));
  }
}

void store_direction(AnyView out, int32_t x, int32_t y, int64_t gx, int64_t gy) {
  if (out.type == PixelType::u8) out.as<uint8_t>().at(x, y) = gradient::octant(gx, gy);
  if (out.type == PixelType::f32) out.as<float>().at(x, y) = angle(float(gx), float(gy));
}

void store(const SobelArgs& args, int32_t x, int32_t y, int32_t gx, int32_t gy) {
  store_gradient(args.out.gx, x, y, gx);
  store_gradient(args.out.gy, x, y, gy);
  if (args.out.magnitude) store_magnitude(args.out.magnitude, args.options.norm, x, y, gx, gy);
  if (args.out.direction) store_direction(args.out.direction, x, y, gx, gy);
}
// Of an f32 source every output is f32.
void store(const SobelArgs& args, int32_t x, int32_t y, float gx, float gy) {
  const auto put = [&](AnyView out, float value) { out.as<float>().at(x, y) = value; };
  if (args.out.gx) put(args.out.gx, with_one_nan(gx));
  if (args.out.gy) put(args.out.gy, with_one_nan(gy));
  if (args.out.magnitude) put(args.out.magnitude, magnitude(args.options.norm, gx, gy));
  if (args.out.direction) put(args.out.direction, angle(gx, gy));
}

template <class T>
void reference_rows(const SobelArgs& args, int32_t first, int32_t end) {
  for (int32_t y = first; y < end; ++y) {
    for (int32_t x = 0; x < args.src.width; ++x) {
      const auto [gx, gy] = gradient_at<T>(args, x, y);
      store(args, x, y, gx, gy);
    }
  }
}

}  // namespace

void sobel_reference_rows(const SobelArgs& args, int32_t first, int32_t end) {
  switch (args.src.type) {
    case PixelType::u8: return reference_rows<uint8_t>(args, first, end);
    case PixelType::u16: return reference_rows<uint16_t>(args, first, end);
    default: return reference_rows<float>(args, first, end);
  }
}

void sobel_serial(const SobelArgs& args, Call&) { sobel_reference_rows(args, 0, args.src.height); }

}  // namespace cuesta
