// What every CUDA row of canny shares: what it takes, its thresholds, device pictures in scratch.
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>

#include "cuda/instructions.cuh"
#include "cuda/launch.cuh"
#include "cuesta/stencil.hpp"
#include "ops/canny/args.hpp"
#include "ops/canny/thresholds.hpp"
#include "ops/shared/gradient.hpp"

namespace cuesta::canny_cuda {

template <class T>
using DeviceImage = ImageView<T, Space::device>;

/// A picture in the call's scratch memory, rows padded to 64 bytes.
template <class T>
DeviceImage<T> device_image(Call& call, int32_t width, int32_t height) {
  return call.scratch().image<T, Space::device>(width, height);
}

/// A batch's pictures in device memory; blockIdx.z is the picture. No data: no pictures.
template <class T>
struct DeviceBatch {
  DeviceImage<T> first;
  ptrdiff_t step;  // bytes

  CUESTA_HOST_DEVICE DeviceImage<T> picture(uint32_t i) const {
    DeviceImage<T> one = first;
    using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
    if (first.data)
      one.data = reinterpret_cast<T*>(reinterpret_cast<Byte*>(first.data) + ptrdiff_t(i) * step);
    return one;
  }
  __device__ DeviceImage<T> here() const { return picture(blockIdx.z); }
  operator DeviceBatch<const T>() const
    requires(!std::is_const_v<T>)
  {
    return {first, step};
  }
};
/// A thread's pixel of one channel of `src`.
template <class T, class To = T>
struct TakeChannel {
  DeviceImage<const T> src;
  DeviceImage<To> plane;
  int32_t channel;

  __device__ void operator()(int32_t x, int32_t y) const { plane.at(x, y) = src.at(x, y, channel); }
};

/// The smoothing window as a kernel's argument, which is in a constant bank. Size 1 smooths
/// nothing.
struct Taps {
  int32_t size = 1;
  uint16_t values[255] = {256};
};
inline Taps taps_of(const CannyOptions& options) {
  Taps taps;
  if (*options.sigma <= 0 || options.ksize == 1) return taps;
  int32_t values[255];
  gaussian_taps_q8(std::span(values, size_t(options.ksize)), *options.sigma);
  taps.size = options.ksize;
  std::copy_n(values, options.ksize, taps.values);
  // A window with nothing beside its centre.
  if (taps.values[taps.size / 2] == 256) taps = {};
  return taps;
}

/// A maximum of the gradient is a candidate above low, strong above high. Maxima are above a
/// neighbour and so at least 1, on u8 below 2^29: limits fit 32 bits when cut to 0 … 2^31 − 1.
struct Limits {
  int32_t low, high;
};
inline Limits limits_of(const CannyArgs& args, int32_t picture = 0) {
  const CannyLimits limits = canny_limits(args, args.result[picture]);
  const auto cut = [](int64_t t) { return int32_t(std::clamp<int64_t>(t, 0, INT32_MAX)); };
  return {cut(limits.low), cut(limits.high)};
}

inline bool has_automatic_thresholds(const CannyArgs& args) {
  for (int32_t i = 0; i < args.count; ++i)
    if (args.thresholds_of(i).is_automatic()) return true;
  return false;
}

/// Bins of the magnitude histogram: on u8 l1 reaches twice the largest gradient, l2's root less,
/// and that of the structure tensor of three channels the root of 6 times it.
inline int32_t bins_of(const CannyArgs& args) {
  if (args.src.type != PixelType::u8) return canny_bins;
  const int32_t k = args.options.aperture, times = args.src.channels == 1 ? 2 : 3;
  return times * (k == 3 ? 1020 : k == 5 ? 12240 : 10200) + 1;
}

/// Whether all pictures have one pair of thresholds, once they are found.
inline bool share_thresholds(const CannyArgs& args) {
  return std::all_of(args.result, args.result + args.count, [&](const CannyResult& one) {
    return one.low == args.result->low && one.high == args.result->high;
  });
}

/// `n` cleared bins on the device, filled by `count`.
template <class Bin, class Count>
Bin* device_bins(size_t n, Call& call, Count&& count) {
  Bin* bins = call.scratch().take<Bin>(n);
  cuda::check(cudaMemsetAsync(bins, 0, n * sizeof(Bin), cuda::stream_of(call)), "canny");
  count(bins);
  return bins;
}

/// Waits for what is in device memory, and gives it in the host's scratch memory.
template <class T>
std::span<const T> fetched(const T* from, size_t n, Scratch& host, Call& call) {
  const cudaStream_t stream = cuda::stream_of(call);
  T* to = host.take<T>(n);
  cuda::check(cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyDeviceToHost, stream), "canny");
  cuda::check(cudaStreamSynchronize(stream), "canny");
  return {to, n};
}

/// `count` fills `n` cleared bins on the device; waits for them, and gives them in the host's
/// scratch memory.
template <class Bin, class Count>
std::span<const Bin> counted_bins(size_t n, Scratch& host, Call& call, Count&& count) {
  return fetched<Bin>(device_bins<Bin>(n, call, count), n, host, call);
}

/// What was counted of a band's rows.
template <class Bin>
void add_bins(std::span<const Bin> counted, const CannyBandBins& sums) {
  for (size_t i = 0; i < counted.size(); ++i) sums.counts[i] += counted[i];
}

/// The thresholds of one picture whose bins the host has.
template <class Bin>
CannyResult automatic_of(const CannyArgs& args, int32_t picture, std::span<const Bin> bins,
                         Scratch& host) {
  const std::span<uint64_t> wide(host.take<uint64_t>(bins.size()), bins.size());
  std::copy(bins.begin(), bins.end(), wide.begin());
  return canny_automatic(args.part(picture, 1).options, args.src.type, wide);
}

/// Sets args.result of the pictures whose thresholds are given.
inline void take_given_thresholds(const CannyArgs& args) {
  for (int32_t i = 0; i < args.count; ++i)
    if (!args.thresholds_of(i).is_automatic())
      args.result[i] = canny_given(args.part(i, 1).options);
}

/// Sets args.result. Given thresholds cost nothing; automatic ones call `count` to fill cleared
/// bins on the device, `n` for each picture in turn, and wait for them once: the call returns the
/// thresholds (docs/dev/decisions/0004).
template <class Bin, class Count>
void find_thresholds(const CannyArgs& args, int32_t n, Call& call, Count&& count) {
  take_given_thresholds(args);
  if (!has_automatic_thresholds(args)) return;
  Scratch host(call.nested(), Space::host);
  const auto counted = counted_bins<Bin>(size_t(n) * size_t(args.count), host, call, count);
  for (int32_t i = 0; i < args.count; ++i)
    if (args.thresholds_of(i).is_automatic())
      args.result[i] =
          automatic_of<Bin>(args, i, counted.subspan(size_t(n) * size_t(i), size_t(n)), host);
}

// ---- one pixel

/// round(g / 16), half to even.
__device__ inline int32_t sixteenth(int32_t g) { return (g + 7 + ((g >> 4) & 1)) >> 4; }

/// |gx| + |gy|, or gx² + gy².
__device__ inline int32_t magnitude(int32_t gx, int32_t gy, Norm norm) {
  return norm == Norm::l1 ? abs(gx) + abs(gy) : gx * gx + gy * gy;
}

/// floor(√m) of m below 2^33, from its low 32 bits and a float within 2^-22 of it: the float's root
/// is off by one at most, and the integers put it right.
__device__ inline int32_t floored_root(uint32_t low_bits, float near) {
  const auto root = int32_t(cuda::approximate_root(near));
  const auto over = int32_t(low_bits - uint32_t(root) * uint32_t(root));
  return root + (over > 2 * root) - (over < 0);
}

/// The histogram's bin of a magnitude: itself, or its floored root.
__device__ inline int32_t bin_of(int32_t magnitude, Norm norm) {
  return norm == Norm::l1 ? magnitude : floored_root(uint32_t(magnitude), float(magnitude));
}

}  // namespace cuesta::canny_cuda
