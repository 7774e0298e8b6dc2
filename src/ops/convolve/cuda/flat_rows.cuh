// What the production kernels take of a request, by value: pictures as rows of samples, whatever
// the number of channels. Taps then are `channels` samples apart.
#pragma once

#include <algorithm>

#include "core/border_sample.hpp"
#include "cuda/launch.cuh"
#include "cuda/tile_rows.hpp"
#include "ops/convolve/rounding.hpp"

namespace cuesta::convolve_cuda {

/// map_index for an index at most a few windows outside: a step at a time, in little code.
__device__ inline int32_t near_index(BorderMode mode, int32_t i, int32_t n) {
  if (uint32_t(i) < uint32_t(n)) return i;
  if (mode == BorderMode::constant || mode == BorderMode::ignore) return -1;
  if (mode == BorderMode::replicate || n == 1) return min(max(i, 0), n - 1);
  const int32_t twice = mode == BorderMode::reflect ? 1 : 0;
  do {
    if (mode == BorderMode::wrap)
      i += i < 0 ? n : -n;
    else
      i = (i < 0 ? 0 : 2 * n - 2) + (i < 0 ? -twice : twice) - i;
  } while (uint32_t(i) >= uint32_t(n));
  return i;
}

template <class T, class Out = T>
struct FlatRequest {
  ImageView<const T, Space::device> src;  // width · channels samples wide, of one channel
  ImageView<Out, Space::device> dst;
  int32_t channels;
  BorderMode mode;
  T outside;
  int32_t width, height, anchor_x, anchor_y;  // of the window

  explicit FlatRequest(const ConvolveArgs& args)
      : channels(args.src.channels),
        mode(args.border.mode),
        outside(border_sample<T>(args.border)),
        width(args.width),
        height(args.height),
        anchor_x(args.anchor_x),
        anchor_y(args.anchor_y) {
    const auto from = args.src.as<T, Space::device>();
    const auto to = args.dst.as<Out, Space::device>();
    src = {from.data, from.width * channels, from.height, 1, from.stride_bytes};
    dst = {to.data, to.width * channels, to.height, 1, to.stride_bytes};
  }

  /// Where the sample that stands for x is in its row, x from −256 pixels on; −1 where there is
  /// none.
  __device__ int32_t place(int32_t x) const {
    if (channels == 1) return near_index(mode, x, src.width);
    const int32_t column = (x + 256 * channels) / channels - 256;
    const int32_t mapped = near_index(mode, column, src.width / channels);
    return mapped < 0 ? -1 : mapped * channels + (x - column * channels);
  }
  /// Where row y at any distance outside is; −1 where it has none.
  __device__ int32_t place_row(int32_t y) const { return near_index(mode, y, src.height); }
  /// Whether `ignore` clears a row or a sample of every row: the window leaves the picture.
  __device__ bool is_void_row(int32_t y) const {
    return mode == BorderMode::ignore && (y < anchor_y || y - anchor_y + height > src.height);
  }
  __device__ bool is_void_sample(int32_t x) const {
    return mode == BorderMode::ignore &&
           (x < anchor_x * channels || x >= src.width - (width - 1 - anchor_x) * channels);
  }
  /// Whether rows of both pictures may be read and written in aligned pieces of 16 bytes that begin
  /// at the same samples.
  bool is_aligned() const {
    const auto offset = [](const auto& view) {
      return reinterpret_cast<uintptr_t>(view.data) % 16;
    };
    return src.stride_bytes % 16 == 0 && dst.stride_bytes % 16 == 0 && offset(src) == offset(dst);
  }
};

/// Of f32 pictures, with what follows the sum.
struct FloatRequest : FlatRequest<float> {
  convolution::Finish finish;
  bool changes;  // whether results are anything but the sum

  explicit FloatRequest(const ConvolveArgs& args)
      : FlatRequest(args),
        finish(args),
        changes(args.absolute || args.offset != 0 || mode == BorderMode::ignore) {}
};

/// How far the window reaches to any side, in rows or in columns of `samples` each.
inline int64_t reach_of(const ConvolveArgs& args, int32_t samples) {
  const auto reach = [](int32_t n, int32_t anchor) { return std::max(anchor, n - 1 - anchor); };
  return std::max(int64_t(reach(args.width, args.anchor_x)) * samples,
                  int64_t(reach(args.height, args.anchor_y)));
}
/// The same, in samples of a row or in rows.
inline int64_t reach_of(const ConvolveArgs& args) { return reach_of(args, args.src.channels); }
/// The same, in columns or in rows.
inline int64_t columns_of(const ConvolveArgs& args) { return reach_of(args, 1); }

/// Places in rows and columns are counted in 32 bits, and past the end.
inline std::string_view flat_rows_take(const ConvolveArgs& args) {
  constexpr int64_t most = INT32_MAX - 4096;
  return int64_t(args.src.width) * args.src.channels > most || args.src.height > most
             ? "sides above 2^31 - 4,096 samples"
             : std::string_view();
}

/// The same, and what tiles in shared memory take.
inline std::string_view tiled_rows_take(const ConvolveArgs& args) {
  const auto why = flat_rows_take(args);
  return why.empty() ? cuda::tiles_take(args.src) : why;
}

/// What rows of f32 that add products in the window's order refuse, sizes aside.
inline std::string_view ordered_sums_take(const ConvolveArgs& args) {
  if (args.src.type != PixelType::f32 || args.dst.type != PixelType::f32)
    return "types other than f32 to f32";
  return args.equal ? "windows of many equal taps" : std::string_view();
}

}  // namespace cuesta::convolve_cuda
