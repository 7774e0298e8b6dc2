// What every CUDA strategy of sobel does with a gradient, and how a request becomes template
// arguments.
#pragma once

#include <type_traits>

#include "core/border_sample.hpp"
#include "core/gradient.hpp"
#include "cuda/border.cuh"
#include "cuda/launch.cuh"
#include "ops/sobel/args.hpp"

namespace cuesta::sobel_cuda {

/// The part of a request that every kernel takes by value. `outside` is the constant border's
/// sample.
struct Request {
  ConstAnyView src;
  SobelOutputs out;
  Norm norm;
  BorderMode mode;
  int32_t outside;
};

template <class T>
Request request_of(const SobelArgs& args) {
  const Border& border = args.options.border;
  return {args.src, args.out, args.options.norm, border.mode, border_sample<T>(border)};
}

/// Calls body(T{}, integral_constant<K>) for the source type and the aperture of the request.
template <class Body>
void for_type_and_aperture(const SobelArgs& args, Body&& body) {
  const auto with = [&](auto sample) {
    switch (args.options.aperture) {
      case 3: return body(sample, std::integral_constant<int, 3>());
      case 5: return body(sample, std::integral_constant<int, 5>());
      default: return body(sample, std::integral_constant<int, 7>());
    }
  };
  args.src.type == PixelType::u8 ? with(uint8_t()) : with(uint16_t());
}

/// The sample at any distance outside the picture.
template <class T>
__device__ int32_t sample(const Request& r, int32_t x, int32_t y) {
  const auto src = r.src.as<T, Space::device>();
  if (uint32_t(x) < uint32_t(src.width) && uint32_t(y) < uint32_t(src.height)) return src.at(x, y);
  return cuda::outside_sample(src.data, src.stride_bytes, src.width, src.height, r.mode,
                              T(r.outside), x, y);
}

/// True where `ignore` gives gradient 0: the window of radius r leaves the picture.
__device__ inline bool leaves(const Request& q, int32_t x, int32_t y, int32_t r) {
  return q.mode == BorderMode::ignore &&
         (x < r || y < r || x + r >= q.src.width || y + r >= q.src.height);
}

__device__ inline void store_gradient(const AnyView& out, int32_t x, int32_t y, int32_t g) {
  if (out.type == PixelType::s16)
    out.as<int16_t, Space::device>().at(x, y) = int16_t(min(max(g, -32768), 32767));
  if (out.type == PixelType::s32) out.as<int32_t, Space::device>().at(x, y) = g;
}

__device__ inline void store_magnitude(const AnyView& out, Norm norm, int32_t x, int32_t y,
                                       int32_t gx, int32_t gy) {
  const int64_t squares = int64_t(gx) * gx + int64_t(gy) * gy;
  int64_t m;
  if (norm == Norm::l1) {
    m = int64_t(abs(gx)) + abs(gy);
  } else {
    // The double root is off by one at most; the integers put it right.
    m = int64_t(sqrt(double(squares)));
    m -= m * m > squares;
    m += (m + 1) * (m + 1) <= squares;
  }
  if (out.type == PixelType::u8)
    out.as<uint8_t, Space::device>().at(x, y) = uint8_t(m < 255 ? m : 255);
  if (out.type == PixelType::u16)
    out.as<uint16_t, Space::device>().at(x, y) = uint16_t(m < 65535 ? m : 65535);
  if (out.type == PixelType::f32) {
    out.as<float, Space::device>().at(x, y) =
        norm == Norm::l1 ? float(m) : float(sqrt(double(squares)));
  }
}

/// Writes whatever is wanted of one pixel's gradient.
__device__ inline void store(const Request& q, int32_t x, int32_t y, int32_t gx, int32_t gy) {
  store_gradient(q.out.gx, x, y, gx);
  store_gradient(q.out.gy, x, y, gy);
  if (q.out.magnitude.data) store_magnitude(q.out.magnitude, q.norm, x, y, gx, gy);
  if (q.out.direction.type == PixelType::u8) {
    q.out.direction.as<uint8_t, Space::device>().at(x, y) = gradient::octant<int64_t>(gx, gy);
  }
  if (q.out.direction.type == PixelType::f32)
    q.out.direction.as<float, Space::device>().at(x, y) = atan2f(float(gy), float(gx));
}

}  // namespace cuesta::sobel_cuda
