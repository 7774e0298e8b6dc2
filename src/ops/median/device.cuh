// What both device strategies read a picture through.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/border_sample.hpp"
#include "core/memory.hpp"
#include "cuda/bit_rows.cuh"
#include "cuda/launch.cuh"
#include "ops/median/args.hpp"
#include "ops/median/order.hpp"
#include "ops/median/reference.hpp"

namespace cuesta::median_cuda {

/// The part of a request that every kernel takes by value. f32 is read and written as the integers
/// that order it.
struct MedianRequest {
  ConstAnyView src;
  AnyView dst;
  int32_t ksize, radius, half;
  BorderMode mode;
  int32_t outside;  // the constant border's key, or its bit
  const char* end;  // past the last sample of the source
};

template <class T>
__device__ int32_t key_of(T sample) {
  if constexpr (std::is_same_v<T, float>)
    return medians::turned(__float_as_int(sample));
  else
    return sample;
}

inline MedianRequest request_of(const MedianArgs& args) {
  const Border& border = args.options.border;
  int32_t outside = 0;
  switch (args.src.type) {
    case PixelType::u8: outside = border_sample<uint8_t>(border); break;
    case PixelType::u16: outside = border_sample<uint16_t>(border); break;
    case PixelType::f32: {
      const auto sample = border_sample<float>(border);
      std::memcpy(&outside, &sample, sizeof(sample));
      outside = medians::turned(outside);
      break;
    }
    default: outside = median_border_bit(border);
  }
  const auto* first = static_cast<const char*>(args.src.data);
  const char* last_row =
      first + std::max<ptrdiff_t>(0, (args.src.height - 1) * args.src.stride_bytes);
  return {args.src,
          args.dst,
          args.options.ksize,
          args.radius(),
          args.half(),
          args.options.border.mode,
          outside,
          last_row + detail::row_bytes(args.src)};
}

/// The key of channel c of pixel (x, y), at any distance outside the picture.
template <class T>
__device__ int32_t key_at(const MedianRequest& q, int32_t x, int32_t y, int32_t c) {
  const int32_t sx = map_index(q.mode, x, q.src.width), sy = map_index(q.mode, y, q.src.height);
  return sx < 0 || sy < 0 ? q.outside : key_of(q.src.as<T, Space::device>().at(sx, sy, c));
}

template <class T>
__device__ T sample_of(int32_t key) {
  if constexpr (std::is_same_v<T, float>)
    return __int_as_float(medians::turned(key));
  else
    return T(key);
}
template <class T>
__device__ void store_key(const MedianRequest& q, int32_t x, int32_t y, int32_t c, int32_t key) {
  q.dst.as<T, Space::device>().at(x, y, c) = sample_of<T>(key);
}

__device__ inline bool leaves(const MedianRequest& q, int32_t x, int32_t y) {
  return q.mode == BorderMode::ignore && medians::leaves(x, y, q.src.width, q.src.height, q.radius);
}

using cuda::bit_row;
__device__ inline int32_t bit_at(const MedianRequest& q, int32_t x, int32_t y) {
  const int32_t sx = map_index(q.mode, x, q.src.width), sy = map_index(q.mode, y, q.src.height);
  return sx < 0 || sy < 0 ? q.outside : int32_t(bit_row(q.src, sy)[sx / 32] >> (sx % 32) & 1);
}
/// Words of 32 pixels in a row of a mask.
CUESTA_HOST_DEVICE constexpr int32_t half_words(int32_t width) { return (width + 63) / 64 * 2; }

constexpr int block_threads = 256, warps = block_threads / 32;

/// Blocks of `block_threads` for `threads` of them at most, all there are where a grid ends.
inline unsigned linear_blocks(int64_t threads) {
  return unsigned(std::min<int64_t>((threads + block_threads - 1) / block_threads, 1 << 30));
}

/// Calls body(T{}) for the sample type of a picture that is no mask.
template <class Body>
void for_type(PixelType type, Body&& body) {
  switch (type) {
    case PixelType::u8: return body(uint8_t());
    case PixelType::u16: return body(uint16_t());
    default: return body(float());
  }
}

}  // namespace cuesta::median_cuda
