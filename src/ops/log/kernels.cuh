// What every CUDA strategy of log shares: the request by value, samples outside the picture, and
// the rule that turns responses into a result.
#pragma once

#include "core/border_sample.hpp"
#include "cuda/border.cuh"
#include "cuda/launch.cuh"
#include "ops/log/args.hpp"
#include "ops/log/window.hpp"

namespace cuesta::log_cuda {

/// The part of a request that every kernel takes by value.
struct LogRequest {
  ConstAnyView src;
  AnyView dst;
  BorderMode mode;
  int32_t outside;  // the constant border's sample
  bool crossings;
  int32_t radius;  // of the whole window
  int64_t threshold;

  /// The sample at any distance outside the picture.
  template <class T>
  __device__ int32_t sample(int32_t x, int32_t y) const {
    if (inside(x, y)) return src.as<T, Space::device>().at(x, y);
    const auto view = src.as<T, Space::device>();
    return cuda::outside_sample(view.data, view.stride_bytes, src.width, src.height, mode,
                                T(outside), x, y);
  }
  __device__ bool inside(int32_t x, int32_t y) const {
    return uint32_t(x) < uint32_t(src.width) && uint32_t(y) < uint32_t(src.height);
  }
  /// Whether the response is 0 by definition: outside the picture, or `ignore` and the window
  /// leaves it.
  __device__ bool is_void(int32_t x, int32_t y) const {
    return mode == BorderMode::ignore
               ? !inside(x - radius, y - radius) || !inside(x + radius, y + radius)
               : !inside(x, y);
  }
  /// Writes the result of the pixel; at(dx, dy) is the response of a neighbour, void ones included.
  template <class At>
  __device__ void store(int32_t x, int32_t y, At at) const {
    const auto response = [&](int32_t dx, int32_t dy) {
      return is_void(x + dx, y + dy) ? decltype(at(0, 0))(0) : at(dx, dy);
    };
    const auto centre = response(0, 0);
    if (dst.type == PixelType::s32) {
      const int64_t v = centre, least = INT32_MIN, most = INT32_MAX;
      dst.as<int32_t, Space::device>().at(x, y) = int32_t(v < least ? least : v > most ? most : v);
      return;
    }
    const bool edge =
        crossings ? log::is_zero_crossing<int64_t>(centre, response(-1, 0), response(1, 0),
                                                   response(0, -1), response(0, 1), threshold)
                  : (centre < 0 ? -int64_t(centre) : int64_t(centre)) > threshold;
    dst.as<uint8_t, Space::device>().at(x, y) = edge ? 255 : 0;
  }
};

inline LogRequest request_of(const LogArgs& args, const log::Window& window) {
  const Border& border = args.options.border;
  return {args.src,
          args.dst,
          border.mode,
          args.src.type == PixelType::u8 ? border_sample<uint8_t>(border)
                                         : border_sample<uint16_t>(border),
          args.dst.type == PixelType::u8 && args.options.mode == LogMode::zero_crossings,
          window.radius(),
          window.threshold};
}

/// Rows of a block where a row of blocks covers the picture.
inline constexpr int block_rows = 8;

}  // namespace cuesta::log_cuda
