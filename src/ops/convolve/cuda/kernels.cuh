// What the rungs of convolve share: the request by value, where taps and samples come from, the
// rounding. A rung's kernel makes the pixels whose window is inside the picture; the others are
// frame.cu's.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/border_sample.hpp"
#include "cuda/kept.cuh"
#include "cuda/launch.cuh"
#include "ops/convolve/args.hpp"

namespace cuesta::convolve_cuda {

/// Taps and sums of a sample type. Sums of u8 and u16 fit 32 bits: `supports` has seen to it.
template <class T>
using Tap = std::conditional_t<std::is_same_v<T, float>, float, int32_t>;

__device__ inline int32_t multiply_add(int32_t tap, int32_t sample, int32_t sum) {
  return sum + tap * sample;
}
__device__ inline float multiply_add(float tap, float sample, float sum) {
  return __fmaf_rn(tap, sample, sum);
}

/// The part of a request that every kernel takes by value.
template <class T>
struct ConvolveRequest {
  ImageView<const T, Space::device> src;
  ImageView<T, Space::device> dst;
  int32_t width, height, anchor_x, anchor_y;  // of the window
  BorderMode mode;
  T outside;  // the constant border's sample
  int32_t divisor;
  bool half_up, absolute;
  int32_t offset;

  __device__ bool columns_inside(int32_t x) const {
    return x >= anchor_x && x - anchor_x + width <= src.width;
  }
  __device__ bool rows_inside(int32_t y) const {
    return y >= anchor_y && y - anchor_y + height <= src.height;
  }
  /// Whether a rung's kernel makes the pixel: its whole window is inside the picture. Of the
  /// others those of `ignore` become 0 here.
  __device__ bool makes(int32_t x, int32_t y) const {
    if (columns_inside(x) && rows_inside(y)) return true;
    if (mode == BorderMode::ignore && inside(x, y)) dst.at(x, y) = 0;
    return false;
  }
  __device__ bool inside(int32_t x, int32_t y) const {
    return uint32_t(x) < uint32_t(src.width) && uint32_t(y) < uint32_t(src.height);
  }

  /// Rounds, takes |.|, adds the offset, saturates, writes.
  __device__ void store(int32_t x, int32_t y, Tap<T> sum) const {
    if constexpr (std::is_same_v<T, float>) {
      const float value = absolute ? fabsf(sum) : sum;
      dst.at(x, y) = offset ? value + float(offset) : value;
    } else {
      int32_t quotient = sum / divisor, rest = sum % divisor;
      if (rest < 0) --quotient, rest += divisor;
      const int32_t to_next = divisor - rest;
      quotient += rest > to_next || (rest == to_next && (half_up || quotient % 2 != 0));
      const int64_t value = int64_t(absolute ? abs(quotient) : quotient) + offset;
      constexpr int64_t most = std::numeric_limits<T>::max();
      dst.at(x, y) = T(value < 0 ? 0 : value > most ? most : value);
    }
  }
};

template <class T>
ConvolveRequest<T> request_of(const ConvolveArgs& args) {
  return {args.src.as<T, Space::device>(),
          args.dst.as<T, Space::device>(),
          args.width,
          args.height,
          args.anchor_x,
          args.anchor_y,
          args.border.mode,
          border_sample<T>(args.border),
          int32_t(args.divisor),
          args.rounding == Rounding::half_up,
          args.absolute,
          args.offset};
}

/// The whole window, row-major, also of a stencil that came as factors.
template <class T>
std::vector<Tap<T>> window_of(const ConvolveArgs& args) {
  std::vector<Tap<T>> taps(size_t(args.width) * size_t(args.height));
  for (int32_t j = 0; j < args.height; ++j) {
    for (int32_t i = 0; i < args.width; ++i) {
      Tap<T>& tap = taps[size_t(j) * size_t(args.width) + size_t(i)];
      if constexpr (std::is_same_v<T, float>)
        tap = args.floats.at(i, j, args.width);
      else
        tap = args.integers.at(i, j, args.width);
    }
  }
  return taps;
}

/// A factor of a stencil that has them.
template <class T>
std::vector<Tap<T>> factor_of(const ConvolveArgs& args, bool column) {
  if constexpr (std::is_same_v<T, float>) {
    const auto taps = column ? args.floats.column : args.floats.row;
    return {taps.begin(), taps.end()};
  } else {
    const auto taps = column ? args.integers.column : args.integers.row;
    return {taps.begin(), taps.end()};
  }
}

/// Taps in global memory: the caller's workspace has them from the call before.
template <class T>
const Tap<T>* global_taps(const std::vector<Tap<T>>& taps, Call& call) {
  return cuda::upload_once<Tap<T>>(taps, call, "convolve: uploading taps");
}

/// Taps by value. A kernel's argument is in a constant bank, which serves a warp that reads one
/// address in one go.
template <class T>
struct ConstantTaps {
  static constexpr int most = 15 * 15;
  Tap<T> values[most];
};
template <class T>
ConstantTaps<T> constant_taps(const std::vector<Tap<T>>& taps) {
  ConstantTaps<T> constant{};
  std::copy(taps.begin(), taps.end(), constant.values);
  return constant;
}

/// K, or what the request says where K is 0.
template <int K>
__device__ constexpr int side(int asked) {
  return K ? K : asked;
}

/// Σ tap(n) · at(i, j) over the window, row-major: the contract's order for floats.
/// K is the side of the window where it is known when compiling, and the loops unroll; 0: ask the
/// request, and they do not.
template <int K, class T, class Taps, class At>
__device__ Tap<T> window_sum(const ConvolveRequest<T>& q, Taps taps, At at) {
  const int width = side<K>(q.width), height = side<K>(q.height);
  Tap<T> sum = 0;
#pragma unroll(K ? K : 1)
  for (int j = 0; j < height; ++j) {
#pragma unroll(K ? K : 1)
    for (int i = 0; i < width; ++i) sum = multiply_add(taps[j * width + i], at(i, j), sum);
  }
  return sum;
}

/// The sum of a pixel whose samples come from global memory.
template <int K, class T, class Taps>
__device__ Tap<T> global_sum(const ConvolveRequest<T>& q, const Taps& taps, int32_t x, int32_t y) {
  const int32_t left = x - q.anchor_x, top = y - q.anchor_y;
  return window_sum<K>(q, taps, [&](int i, int j) { return q.src.at(left + i, top + j); });
}

/// The sum of 1 × n or n × 1 taps.
template <int K, class T, class Taps, class At>
__device__ Tap<T> line_sum(int length, const Taps& taps, At at) {
  Tap<T> sum = 0;
#pragma unroll(K ? K : 1)
  for (int i = 0; i < side<K>(length); ++i) sum = multiply_add(taps[i], at(i), sum);
  return sum;
}

/// Calls body(T{}) for the source type.
template <class Body>
void for_type(const ConvolveArgs& args, Body&& body) {
  switch (args.src.type) {
    case PixelType::u8: return body(uint8_t());
    case PixelType::u16: return body(uint16_t());
    default: return body(float());
  }
}

/// Calls body(T{}, integral_constant<K>) for the source type and the papers' windows, K = 3, 5 and
/// 9; 0 for any other.
template <class Body>
void for_window(const ConvolveArgs& args, Body&& body) {
  for_type(args, [&](auto sample) {
    switch (args.width == args.height ? args.width : 0) {
      case 3: return body(sample, std::integral_constant<int, 3>());
      case 5: return body(sample, std::integral_constant<int, 5>());
      case 9: return body(sample, std::integral_constant<int, 9>());
      default: return body(sample, std::integral_constant<int, 0>());
    }
  });
}

/// The same; with unroll=all every odd K from 3 to 15, as of the papers' curves.
template <class Body>
void for_window(const ConvolveArgs& args, const Call& call, Body&& body) {
  const bool square = args.width == args.height && args.width > 5;
  const bool all = square && call.parameters().text("unroll") == "all";
  for_type(args, [&](auto sample) {
    switch (all ? args.width : 0) {
      case 7: return body(sample, std::integral_constant<int, 7>());
      case 11: return body(sample, std::integral_constant<int, 11>());
      case 13: return body(sample, std::integral_constant<int, 13>());
      case 15: return body(sample, std::integral_constant<int, 15>());
      default: return for_window(args, body);
    }
  });
}

}  // namespace cuesta::convolve_cuda
