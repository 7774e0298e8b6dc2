// What every CUDA strategy of sobel does with a gradient, and how a request becomes template
// arguments.
#pragma once

#include <type_traits>

#include "core/border_sample.hpp"
#include "cuda/border.cuh"
#include "cuda/instructions.cuh"
#include "cuda/launch.cuh"
#include "ops/shared/gradient.hpp"
#include "ops/sobel/args.hpp"
#include "ops/sobel/sums.hpp"

namespace cuesta::sobel_cuda {

using namespace sobel_sums;

/// The part of a request that every kernel takes by value; T is the source's sample type.
template <class T>
struct SobelRequest {
  ConstAnyView src;
  SobelOutputs out;
  Norm norm;
  BorderMode mode;
  T outside;  // the constant border's sample

  __device__ auto samples() const { return src.as<T, Space::device>(); }
};

template <class T>
SobelRequest<T> request_of(const SobelArgs& args) {
  const Border& border = args.options.border;
  return {args.src, args.out, args.options.norm, border.mode, border_sample<T>(border)};
}

/// Calls body(integral_constant<K>) for the aperture of the request.
template <class Body>
void for_aperture(const SobelArgs& args, Body&& body) {
  switch (args.options.aperture) {
    case 3: return body(std::integral_constant<int, 3>());
    case 5: return body(std::integral_constant<int, 5>());
    default: return body(std::integral_constant<int, 7>());
  }
}

/// Calls body(T{}, integral_constant<K>) for the source type and the aperture of the request.
template <class Body>
void for_type_and_aperture(const SobelArgs& args, Body&& body) {
  for_aperture(args, [&](auto k) {
    switch (args.src.type) {
      case PixelType::u8: return body(uint8_t(), k);
      case PixelType::u16: return body(uint16_t(), k);
      default: return body(float(), k);
    }
  });
}

/// The sample at any distance outside the picture.
template <class T>
__device__ Sum<T> sample(const SobelRequest<T>& r, int32_t x, int32_t y) {
  const auto src = r.samples();
  if (uint32_t(x) < uint32_t(src.width) && uint32_t(y) < uint32_t(src.height)) return src.at(x, y);
  return cuda::outside_sample(src.data, src.stride_bytes, src.width, src.height, r.mode, r.outside,
                              x, y);
}

/// True where `ignore` gives gradient 0: the window of radius r leaves the picture.
template <class T>
__device__ bool leaves(const SobelRequest<T>& q, int32_t x, int32_t y, int32_t r) {
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

/// sobel_sums::angle(), out of line: it is longer than all else that most requests need.
__device__ __noinline__ inline float angle_apart(float gx, float gy) {
  return sobel_sums::angle(gx, gy);
}
struct DivideInRange {
  __device__ float operator()(float a, float b) const { return cuda::quotient_in_range(a, b); }
};
/// The same in line, of whole gradients, and of others where no quotient leaves its range.
__device__ __forceinline__ float angle_of_whole(float gx, float gy) {
  return sobel_sums::angle(gx, gy, DivideInRange());
}
__device__ __forceinline__ float angle_of(float gx, float gy) {
  constexpr float least = 0x1p-60f, most = 0x1p60f;
  const float big = fmaxf(fabsf(gx), fabsf(gy)), small = fminf(fabsf(gx), fabsf(gy));
  const auto in_range = [](float v) { return v == 0 || (v >= least && v <= most); };
  return in_range(big) && in_range(small) ? angle_of_whole(gx, gy) : angle_apart(gx, gy);
}

__device__ inline void store_direction(const AnyView& out, int32_t x, int32_t y, int32_t gx,
                                       int32_t gy) {
  if (out.type == PixelType::u8)
    out.as<uint8_t, Space::device>().at(x, y) = gradient::octant<int64_t>(gx, gy);
  if (out.type == PixelType::f32)
    out.as<float, Space::device>().at(x, y) = angle_apart(float(gx), float(gy));
}

/// Writes whatever is wanted of one pixel's gradient.
template <class T>
__device__ void store(const SobelRequest<T>& q, int32_t x, int32_t y, int32_t gx, int32_t gy) {
  store_gradient(q.out.gx, x, y, gx);
  store_gradient(q.out.gy, x, y, gy);
  if (q.out.magnitude.data) store_magnitude(q.out.magnitude, q.norm, x, y, gx, gy);
  store_direction(q.out.direction, x, y, gx, gy);
}
// Of an f32 source every output is f32.
__device__ inline void store(const SobelRequest<float>& q, int32_t x, int32_t y, float gx,
                             float gy) {
  const auto put = [&](const AnyView& out, float value) {
    out.as<float, Space::device>().at(x, y) = value;
  };
  if (q.out.gx.data) put(q.out.gx, with_one_nan(gx));
  if (q.out.gy.data) put(q.out.gy, with_one_nan(gy));
  if (q.out.magnitude.data) put(q.out.magnitude, magnitude(q.norm, gx, gy));
  if (q.out.direction.data) put(q.out.direction, angle_apart(gx, gy));
}

}  // namespace cuesta::sobel_cuda
