// Masks of the kernels of `vectors`: what is set, then how it is written, as bytes or as bits.
#pragma once

#include "cuda/lane_rows.cuh"
#include "ops/pixel/vector_samples.cuh"
#include "ops/shared/pixel_arithmetic.hpp"

namespace cuesta::pixel_cuda {

/// Samples above a limit: of integers those whose sum with `complement` carries.
template <class T>
struct Above {
  uint32_t complement, all;  // in every sample; all: whatever the sample

  static Above of(double limit) {
    const int32_t most = pixel::limit_of<T>(limit);  // −1 .. 65,536
    constexpr uint32_t one = sizeof(T) == 1 ? 0x01010101u : 0x00010001u;
    constexpr int32_t largest = std::numeric_limits<T>::max();
    if (most < 0) return {0, ~0u};
    return {most >= largest ? 0 : uint32_t(largest - most) * one, 0};
  }
  /// Every sample's highest bit.
  __device__ uint32_t signs(uint32_t v) const {
    constexpr uint32_t rest = sizeof(T) == 1 ? 0x7F7F7F7Fu : 0x7FFF7FFFu;
    const uint32_t sum = (v & rest) + (complement & rest);
    return (v & complement) | ((v | complement) & sum);
  }
  __device__ bool one(T v) const {
    return all || v + (complement & std::numeric_limits<T>::max()) > std::numeric_limits<T>::max();
  }
};
template <>
struct Above<float> {
  float limit;
  static Above of(double limit) { return {pixel::limit_of<float>(limit)}; }
  __device__ bool one(float v) const { return v > limit; }
};

template <class T>
struct Samples {
  using Sample = T;
  Plane a;
  Above<T> above;

  template <int Words>
  __device__ void load(int64_t x, int64_t y, uint32_t (&v)[Words]) const {
    cuda::load_bytes(a.row(y) + x * int64_t(sizeof(T)), a.limit, v);
  }
  __device__ bool one(int64_t x, int64_t y) const { return above.one(a.samples<const T>(y)[x]); }
};
template <class T>
struct Differences {
  using Sample = T;
  Plane a, b;
  Above<T> above;

  template <int Words>
  __device__ void load(int64_t x, int64_t y, uint32_t (&v)[Words]) const {
    uint32_t w[Words];
    cuda::load_bytes(a.row(y) + x * int64_t(sizeof(T)), a.limit, v);
    cuda::load_bytes(b.row(y) + x * int64_t(sizeof(T)), b.limit, w);
#pragma unroll
    for (int i = 0; i < Words; ++i) v[i] = differences<T>(v[i], w[i]);
  }
  __device__ bool one(int64_t x, int64_t y) const {
    return above.one(difference(a.samples<const T>(y)[x], b.samples<const T>(y)[x]));
  }
};

template <class Set>
struct MaskBytes : ToSamples<uint8_t> {
  Set set;

  __device__ void many(int64_t x, int64_t y) const {
    using T = typename Set::Sample;
    constexpr int size = sizeof(T);
    uint32_t v[4 * size], out[4];
    set.load(x, y, v);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if constexpr (size == 1) {
        out[i] = cuda::permute_bytes<0xBA98>(set.above.signs(v[i]), 0) | set.above.all;
      } else if constexpr (size == 2) {
        out[i] =
            cuda::permute_bytes<0xFDB9>(set.above.signs(v[2 * i]), set.above.signs(v[2 * i + 1])) |
            set.above.all;
      } else {
        out[i] = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k)
          if (set.above.one(__uint_as_float(v[4 * i + k]))) out[i] |= 0xFFu << 8 * k;
      }
    }
    store(x, y, {out[0], out[1], out[2], out[3]});
  }
  __device__ void one(int64_t x, int64_t y) const {
    dst.samples<uint8_t>(y)[x] = set.one(x, y) ? 255 : 0;
  }
};

/// 16 bits a thread, to the end of the row's last word; those past the width are 0.
template <class Set>
struct MaskBits {
  using T = typename Set::Sample;
  static constexpr int size = sizeof(T), pixels = 16;
  Set set;
  Plane dst;
  int64_t width;

  __device__ int before(int64_t) const { return 0; }
  __device__ void many(int64_t x, int64_t y) const {
    uint32_t bits = 0;
    if (x + pixels <= width) {
      constexpr int words = pixels * size / 4;
      uint32_t v[words];
      set.load(x, y, v);
#pragma unroll
      for (int i = words - 1; i >= 0; --i) {
        if constexpr (size == 4) {
          bits |= uint32_t(set.above.one(__uint_as_float(v[i]))) << i;
        } else {
          // The product brings the signs, in order, to its top.
          constexpr uint32_t all = size == 1 ? 0x80808080u : 0x80008000u;
          constexpr uint32_t gather = size == 1 ? 0x00204081u : 0x00008001u;
          const uint32_t signs = (set.above.signs(v[i]) | set.above.all) & all;
          bits = __funnelshift_l(signs * gather, bits, 4 / size);
        }
      }
    } else {
      for (int i = 0; i < pixels; ++i)
        if (x + i < width) bits |= uint32_t(set.one(x + i, y)) << i;
    }
    dst.samples<uint16_t>(y)[x / pixels] = uint16_t(bits);
  }
  __device__ void one(int64_t, int64_t) const {}  // rows end with a word
};

struct Unpack : ToSamples<uint8_t> {
  Plane a;

  __device__ void many(int64_t x, int64_t y) const {
    const auto* words = a.samples<const uint32_t>(y) + x / 32;
    const int begin = int(x % 32);
    const uint32_t bits = __funnelshift_r(__ldg(words), begin > 16 ? __ldg(words + 1) : 0, begin);
    uint32_t out[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)  // bit k of four to byte k
      out[i] = ((bits >> 4 * i & 15) * 0x00204081u & 0x01010101u) * 255;
    store(x, y, {out[0], out[1], out[2], out[3]});
  }
  __device__ void one(int64_t x, int64_t y) const {
    dst.samples<uint8_t>(y)[x] = a.samples<const uint32_t>(y)[x / 32] >> x % 32 & 1 ? 255 : 0;
  }
};

}  // namespace cuesta::pixel_cuda
