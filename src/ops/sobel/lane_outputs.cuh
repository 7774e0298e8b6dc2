// What the marching strategies of sobel make of a lane's gradients: whatever is wanted of
// neighbouring columns of a row.
#pragma once

#include "cuda/instructions.cuh"
#include "cuda/lane_rows.cuh"
#include "ops/sobel/outputs.cuh"

namespace cuesta::sobel_cuda {

/// What is written: an integer magnitude alone; gradients too, and magnitudes to f32; or anything:
/// directions, and magnitudes l2 past has_wide_roots(), which take registers.
enum class Wanted { magnitude, gradients, any };

/// Whether a magnitude is a root that integer_magnitude() does not take.
inline bool has_wide_roots(const SobelArgs& args) {
  const AnyView& out = args.out.magnitude;
  const bool small = args.src.type == PixelType::u8 && args.options.aperture == 3;
  return out && args.options.norm == Norm::l2 && out.type != PixelType::u8 && !small;
}

__device__ inline float magnitude_of(float v) { return fabsf(v); }
__device__ inline int32_t magnitude_of(int32_t v) { return abs(v); }
/// A whole number of 16 bits, or of 17 with its sign, in the low half of a word.
__device__ inline uint32_t low_half(float v) { return __float_as_uint(v + 12582912.0f); }
__device__ inline uint32_t low_half(int32_t v) { return uint32_t(v); }
__device__ inline int32_t as_integer(float v) {  // |v| < 2^22
  return int32_t(__float_as_uint(v + 12582912.0f) - 0x4B400000u);
}
__device__ inline int32_t as_integer(int32_t v) { return v; }

/// The integer magnitude, saturated to `most`. The root's half unit more, which no floor shows,
/// keeps roots of squares away from where their error counts: below 256 for sums of any size
/// (what is rounded is past it), and below 1,443 by the exact root.
template <bool Small, class S>
__device__ uint32_t integer_magnitude(S gx, S gy, Norm norm, int32_t most) {
  if (norm == Norm::l1) return low_half(min(magnitude_of(gx) + magnitude_of(gy), S(most)));
  const float x = float(gx), y = float(gy), squares = fmaf(x, x, fmaf(y, y, 0.5f));
  const float root = Small ? __fsqrt_rn(squares) : cuda::approximate_root(fminf(squares, 65025.5f));
  return __float_as_uint(fminf(root, float(most) + 0.25f) + 8388607.5f);
}

/// The integer magnitude l2 of any gradients, saturated to 65,535. Doubles hold the squares, and no
/// root below 2^16 is rounded up to a whole number.
template <class S>
__device__ uint32_t wide_magnitude(S gx, S gy) {
  const double x = double(gx), y = double(gy);
  return min(uint32_t(__dsqrt_rn(fmin(fma(x, x, y * y), 4294967295.0))), 65535u);
}
/// The same to f32, the root rounded once to a double.
template <class S>
__device__ float wide_root(S gx, S gy) {
  const double x = double(gx), y = double(gy);
  return float(__dsqrt_rn(fma(x, x, y * y)));
}

/// gradient::octant() of whole numbers below 2^24. A fused product's sign is that of the exact sum.
__device__ inline uint32_t octant(float gx, float gy) {
  constexpr float low = float(gradient::tan_22_5), high = float(gradient::tan_22_5 + (1 << 16));
  const float ax = fabsf(gx), ay = fabsf(gy) * 32768.0f;
  const uint32_t slope = gx * gy < 0 ? 3 : 1;
  return fmaf(ax, -low, ay) < 0 ? 0 : fmaf(ax, -high, ay) > 0 ? 2 : slope;
}
__device__ inline uint32_t octant(int32_t gx, int32_t gy) {
  return gradient::octant<int64_t>(gx, gy);
}

/// Four magnitudes l1 of integers, saturated, as bytes.
__device__ inline uint32_t four_magnitudes(const int32_t* gx, const int32_t* gy) {
  const auto m = [&](int i) { return __sad(gx[i], 0, __sad(gy[i], 0, 0)); };
  return cuda::saturate_u8(m(0), m(1), cuda::saturate_u8(m(2), m(3), 0));
}

/// How a kernel writes: samples T, aperture K, rows at multiples of 16 bytes, and no border near.
template <class T, int K, bool Aligned, bool Plain>
struct OutputWay {
  using Sample = T;
  static constexpr int aperture = K;
  static constexpr bool aligned = Aligned, plain = Plain;
};

/// Writes results of the gradients of a lane's columns of row y. Every lane of the warp calls it.
template <class Way, Wanted W, class Lane, class S, int Columns>
struct LaneOutputs {
  const SobelRequest<typename Way::Sample>& q;
  const Lane& lane;
  int32_t y;
  S (&gx)[Columns];
  S (&gy)[Columns];

  static constexpr bool bytes = sizeof(typename Way::Sample) == 1;
  static constexpr bool small = bytes && Way::aperture == 3;  // squares are exact in f32
  static constexpr bool narrow = bytes && Way::aperture < 7;  // gradients fit 16 bits

  __device__ char* row_of(const AnyView& out) const {
    return static_cast<char*>(out.data) + y * out.stride_bytes;
  }

  /// Border mode `ignore`: no gradients where the window leaves the picture.
  __device__ void clear_rim() const {
    constexpr int r = Way::aperture / 2;
    const bool zero_row = y < r || y >= q.src.height - r;
#pragma unroll
    for (int i = 0; i < Columns; ++i)
      if (zero_row || (lane.first && i < r) || (lane.last && i >= Columns - r)) gx[i] = gy[i] = 0;
  }

  template <class Of>
  __device__ void store_bytes(const AnyView& out, Of&& byte_of) const {
    uint32_t words[Columns / 4];
#pragma unroll
    for (int i = 0; i < Columns / 4; ++i)
      words[i] = __byte_perm(__byte_perm(byte_of(4 * i), byte_of(4 * i + 1), 0x0040),
                             __byte_perm(byte_of(4 * i + 2), byte_of(4 * i + 3), 0x0040), 0x5410);
    cuda::store_lanes<Way::aligned, Way::plain>(row_of(out), lane.x0, words, lane);
  }
  template <class Of>
  __device__ void store_halves(const AnyView& out, Of&& half_of) const {
#pragma unroll
    for (int part = 0; part < Columns / 8; ++part) {
      uint32_t words[4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        words[i] = __byte_perm(half_of(8 * part + 2 * i), half_of(8 * part + 2 * i + 1), 0x5410);
      cuda::store_lanes<Way::aligned, Way::plain>(row_of(out) + 16 * part, 2 * int64_t(lane.x0),
                                                  words, lane);
    }
  }
  template <class Of>
  __device__ void store_words(const AnyView& out, Of&& word_of) const {
    uint32_t words[Columns];
#pragma unroll
    for (int i = 0; i < Columns; ++i) words[i] = word_of(i);
    cuda::store_lane_words<Way::aligned, Way::plain>(row_of(out), words, lane);
  }

  __device__ void store_magnitude(const AnyView& out) const {
    if constexpr (std::is_same_v<S, int32_t>) {
      if (out.type == PixelType::u8 && q.norm == Norm::l1) {
        uint32_t words[Columns / 4];
#pragma unroll
        for (int i = 0; i < Columns / 4; ++i) words[i] = four_magnitudes(gx + 4 * i, gy + 4 * i);
        return cuda::store_lanes<Way::aligned, Way::plain>(row_of(out), lane.x0, words, lane);
      }
    }
    if (out.type == PixelType::u8)
      store_bytes(out, [&](int i) { return integer_magnitude<small>(gx[i], gy[i], q.norm, 255); });
    else if (W != Wanted::any || small || q.norm == Norm::l1)
      store_halves(out,
                   [&](int i) { return integer_magnitude<small>(gx[i], gy[i], q.norm, 65535); });
    else
      store_halves(out, [&](int i) { return wide_magnitude(gx[i], gy[i]); });
  }
  __device__ void store_float_magnitude(const AnyView& out) const {
    store_words(out, [&](int i) {
      if (q.norm == Norm::l1)
        return __float_as_uint(float(magnitude_of(gx[i]) + magnitude_of(gy[i])));
      if constexpr (W == Wanted::any && !small)
        return __float_as_uint(wide_root(gx[i], gy[i]));
      else
        return __float_as_uint(
            __fsqrt_rn(fmaf(float(gx[i]), float(gx[i]), float(gy[i]) * float(gy[i]))));
    });
  }
  __device__ void store_gradient(const AnyView& out, const S (&g)[Columns]) const {
    if (out.type == PixelType::s16)
      store_halves(out, [&](int i) {
        return low_half(narrow ? g[i] : min(max(g[i], S(-32768)), S(32767)));
      });
    else
      store_words(out, [&](int i) { return uint32_t(as_integer(g[i])); });
  }
  __device__ void store_direction(const AnyView& out) const {
    if (out.type == PixelType::f32)
      store_words(
          out, [&](int i) { return __float_as_uint(angle_of_whole(float(gx[i]), float(gy[i]))); });
    else
      store_bytes(out, [&](int i) { return octant(gx[i], gy[i]); });
  }
};

/// Writes what W names of the gradients of a lane's columns of row y.
template <class Way, Wanted W, int Columns, class S, class Lane>
__device__ void write_outputs(const SobelRequest<typename Way::Sample>& q, const Lane& lane,
                              int32_t y, S (&gx)[Columns], S (&gy)[Columns]) {
  const LaneOutputs<Way, W, Lane, S, Columns> to{q, lane, y, gx, gy};
  if (!Way::plain && q.mode == BorderMode::ignore) to.clear_rim();
  if constexpr (W == Wanted::magnitude) {
    to.store_magnitude(q.out.magnitude);
  } else {
    if (q.out.gx.data) to.store_gradient(q.out.gx, gx);
    if (q.out.gy.data) to.store_gradient(q.out.gy, gy);
    if (q.out.magnitude.data) {
      if (q.out.magnitude.type == PixelType::f32)
        to.store_float_magnitude(q.out.magnitude);
      else
        to.store_magnitude(q.out.magnitude);
    }
    if constexpr (W == Wanted::any) {
      if (q.out.direction.data) to.store_direction(q.out.direction);
    }
  }
}

}  // namespace cuesta::sobel_cuda
