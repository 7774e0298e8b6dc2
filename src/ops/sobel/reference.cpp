// Sobel as the definition reads: a window, two sums, what is wanted of them. No cleverness.
#include "ops/sobel/reference.hpp"

#include <algorithm>
#include <cmath>

#include "core/border_sample.hpp"
#include "core/gradient.hpp"

namespace cuesta {
namespace {

struct Gradient {
  int64_t x = 0, y = 0;
};

template <class T>
Gradient gradient_at(const SobelArgs& args, int32_t x, int32_t y) {
  const auto src = args.src.as<T>();
  const int k = args.options.aperture, r = k / 2;
  const auto [derivative, smoothing] = gradient::taps(k);
  const Border& border = args.options.border;
  if (border.mode == BorderMode::ignore &&
      (x < r || y < r || x + r >= src.width || y + r >= src.height)) {
    return {};
  }
  const int64_t outside = border_sample<T>(border);
  Gradient sum;
  for (int j = 0; j < k; ++j) {
    const int32_t sy = map_index(border.mode, y + j - r, src.height);
    for (int i = 0; i < k; ++i) {
      const int32_t sx = map_index(border.mode, x + i - r, src.width);
      const int64_t v = sx < 0 || sy < 0 ? outside : src.at(sx, sy);
      sum.x += v * derivative[i] * smoothing[j];
      sum.y += v * smoothing[i] * derivative[j];
    }
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
  if (out.type == PixelType::f32) out.as<float>().at(x, y) = std::atan2(float(gy), float(gx));
}

template <class T>
void reference_rows(const SobelArgs& args, int32_t first, int32_t end) {
  for (int32_t y = first; y < end; ++y) {
    for (int32_t x = 0; x < args.src.width; ++x) {
      const auto [gx, gy] = gradient_at<T>(args, x, y);
      store_gradient(args.out.gx, x, y, gx);
      store_gradient(args.out.gy, x, y, gy);
      if (args.out.magnitude) store_magnitude(args.out.magnitude, args.options.norm, x, y, gx, gy);
      if (args.out.direction) store_direction(args.out.direction, x, y, gx, gy);
    }
  }
}

}  // namespace

void sobel_reference_rows(const SobelArgs& args, int32_t first, int32_t end) {
  args.src.type == PixelType::u8 ? reference_rows<uint8_t>(args, first, end)
                                 : reference_rows<uint16_t>(args, first, end);
}

void sobel_serial(const SobelArgs& args, Call&) { sobel_reference_rows(args, 0, args.src.height); }

}  // namespace cuesta
