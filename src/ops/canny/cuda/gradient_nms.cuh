// The production gradient and suppression: source to two masks, candidates and strong pixels, in
// one kernel, one bit a pixel. Also the histogram of magnitudes that automatic thresholds ask for.
// Windows wider than the fused one go through gaussian() before. cuda/nms_march.hpp has what a lane
// does. blockIdx.z is the picture.
//
// From device memory: 1 byte read and 1/4 written a pixel, and what strips and their aprons read
// twice, mostly from the caches.
#pragma once

#include "cuesta/filter.hpp"
#include "ops/canny/cuda/chunks.hpp"
#include "ops/canny/cuda/masks.cuh"
#include "ops/canny/cuda/nms_march.hpp"

namespace cuesta::canny_cuda {

inline Masks masks_of(const CannyArgs& args, Call& call) {
  const int32_t words = canny_nms::mask_bytes(args.src.width) / 4;
  const size_t all = size_t(words) * size_t(args.src.height) * size_t(args.count);
  return {call.scratch().take<uint32_t>(all), call.scratch().take<uint32_t>(all), args.src.width,
          args.src.height, words};
}

// ---- batches in device memory

/// A batch's pictures in device memory; blockIdx.z is the picture.
template <class T>
struct DeviceBatch {
  DeviceImage<T> first;
  ptrdiff_t step;  // bytes

  __device__ DeviceImage<T> here() const {
    DeviceImage<T> picture = first;
    using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
    picture.data =
        reinterpret_cast<T*>(reinterpret_cast<Byte*>(first.data) + ptrdiff_t(blockIdx.z) * step);
    return picture;
  }
  operator DeviceBatch<const T>() const requires(!std::is_const_v<T>) { return {first, step}; }
};
/// In the call's scratch memory, one below the other.
template <class T>
DeviceBatch<T> device_batch(const CannyArgs& args, Call& call) {
  DeviceImage<T> all = device_image<T>(call, args.src.width, args.src.height * args.count);
  all.height = args.src.height;
  return {all, all.stride_bytes * all.height};
}

/// Every picture smoothed by itself, as its border is its own.
inline DeviceBatch<const uint8_t> smoothed(const CannyArgs& args, Call& call) {
  const auto all = device_batch<uint8_t>(args, call);
  const ConstBatch from(args.src, args.count, args.src_step);
  const Batch to(all.first, args.count, all.step);
  for (int32_t i = 0; i < args.count; ++i) {
    gaussian(from[i], to[i], {.sigma = args.options.sigma, .ksize = args.options.ksize},
             call.nested());
  }
  return all;
}

// ---- the kernel

/// A warp's lanes, each in its thread.
template <class LaneType>
struct Warp {
  LaneType lane{};
  template <class F>
  __device__ void each(F&& f) {
    f(lane);
  }
  __device__ void exchange() {
    lane.from_left = __shfl_up_sync(~0u, lane.to_right, 1);
    lane.from_right = __shfl_down_sync(~0u, lane.to_left, 1);
  }
  template <class F>
  __device__ uint32_t broadcast(int i, F&& f) {
    return __shfl_sync(~0u, f(lane), i);
  }
};

/// What the kernel writes: masks as bytes of 8 pixels, or bins; those of each picture after those
/// of the one before.
struct NmsOutput {
  uint8_t *candidates, *strong;
  uint32_t* bins;
  int32_t bins_per_picture;
};

inline constexpr int nms_warps = 4;       // a block
inline constexpr int shared_bins = 2048;  // magnitudes beyond are counted in device memory at once

/// Blocks that a multiprocessor's registers are to hold: they cut the registers of a thread.
constexpr int nms_blocks(int k, int half, Norm norm) {
  return k == 3 || (k == 5 && half == 0 && norm == Norm::l1) ? 4 : 3;
}

template <int K, int Half, Norm N, bool Count>
__global__ void __launch_bounds__(nms_warps* canny_nms::lanes, nms_blocks(K, Half, N))
    gradient_nms(const __grid_constant__ canny_nms::Job first_job,
                 const __grid_constant__ canny_nms::LimitTable limits, NmsOutput out,
                 int rows_per_warp) {
  using namespace canny_nms;
  using L = Lane<K, Half, N>;
  const Job job = limits.with(first_job.picture(blockIdx.z), blockIdx.z);
  // Rows of the masks, and bins, before this picture's: a piece has fewer than 2^20, and 2^26.
  const int32_t above = int32_t(blockIdx.z) * job.height;
  const int32_t bins_before = int32_t(blockIdx.z) * out.bins_per_picture;
  __shared__ uint32_t counted[Count ? shared_bins : 1];
  if constexpr (Count) {
    for (int i = int(threadIdx.y) * lanes + int(threadIdx.x); i < shared_bins;
         i += nms_warps * lanes)
      counted[i] = 0;
    __syncthreads();
  }

  const int32_t across = strips(job.width), row_bytes = mask_bytes(job.width);
  const int64_t number = int64_t(blockIdx.x) * nms_warps + threadIdx.y;
  const int64_t first_row = number / across * rows_per_warp;
  const int32_t base = int32_t(number % across) * warp_pixels - lane_pixels;
  const bool any = first_row < job.height;
  const int32_t first = int32_t(any ? first_row : 0);
  const int32_t end = min(first + rows_per_warp, job.height);

  Warp<L> warp;
  warp.lane.x = base + int32_t(threadIdx.x) * lane_pixels;
  const bool makes = threadIdx.x > 0 && threadIdx.x < lanes - 1;
  const int32_t byte = warp.lane.x / lane_pixels;
  const bool stores = makes && byte < row_bytes;
  uint32_t zeros = 0;
  if (any && base + lane_pixels < job.width) {
    march<L, Half>(
        warp, job, base, first, end,
        [&](int32_t, L& lane) {
          if constexpr (Count) {
            if (!makes) return;
#pragma unroll
            for (int i = 0; i < lane_pixels; ++i) {
              if (!(lane.valid[i / 2] >> (16 * (i % 2)) & 1)) continue;
              const int32_t bin = bin_of(int32_t(lane.magnitude(i)), N);
              // Flat parts must not queue for one counter.
              if (bin == 0)
                ++zeros;
              else if (bin < shared_bins)
                atomicAdd(counted + bin, 1u);
              else
                atomicAdd(out.bins + (bins_before + bin), 1u);
            }
          }
        },
        [&](int32_t y, L& lane) {
          if (Count) return;
          uint32_t candidates, strong;
          lane.find_maxima(job, candidates, strong);
          if (!stores) return;
          const ptrdiff_t at = ptrdiff_t(above + y) * row_bytes + byte;
          out.candidates[at] = uint8_t(candidates);
          out.strong[at] = uint8_t(strong);
        });
  } else if (any && !Count && stores) {
    // The masks' last words end in a strip that the picture does not reach.
    for (int32_t y = first; y < end; ++y) {
      const ptrdiff_t at = ptrdiff_t(above + y) * row_bytes + byte;
      out.candidates[at] = out.strong[at] = 0;
    }
  }

  if constexpr (Count) {
    if (zeros > 0) atomicAdd(counted, zeros);
    __syncthreads();
    for (int i = int(threadIdx.y) * lanes + int(threadIdx.x); i < shared_bins;
         i += nms_warps * lanes) {
      if (counted[i] > 0) atomicAdd(out.bins + (bins_before + i), counted[i]);
    }
  }
}

/// Whether all pictures have one pair of thresholds, once they are found.
inline bool share_thresholds(const CannyArgs& args) {
  return std::all_of(args.result, args.result + args.count, [&](const CannyResult& one) {
    return one.low == args.result->low && one.high == args.result->high;
  });
}

/// The limits of pictures [begin, begin + count). The kernel compares with the least magnitude that
/// counts; l1's lanes hold 15 bits.
inline canny_nms::LimitTable limit_table(const CannyArgs& args, int32_t begin, int32_t count,
                                         bool shared) {
  const int32_t most = args.options.norm == Norm::l1 ? 32766 : INT32_MAX - 1;
  canny_nms::LimitTable table;
  table.shared = shared;
  for (int32_t i = 0; i < (shared ? 1 : count); ++i) {
    const Limits limits = limits_of(args, begin + i);
    table.low[i] = uint32_t(std::min(limits.low, most)) + 1;
    table.high[i] = uint32_t(std::min(limits.high, most)) + 1;
  }
  return table;
}

template <int K, int Half, bool Count>
void launch_gradient_nms(const CannyArgs& args, const canny_nms::Job& job, const NmsOutput& out,
                         Call& call) {
  using namespace canny_nms;
  const auto kernel = args.options.norm == Norm::l1 ? gradient_nms<K, Half, Norm::l1, Count>
                                                    : gradient_nms<K, Half, Norm::l2, Count>;
  int blocks = 0;  // a multiprocessor
  cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, nms_warps * lanes, 0),
              "canny");
  const int resident = std::max(1, blocks) * nms_warps * cuda::multiprocessors();
  const ptrdiff_t mask = ptrdiff_t(mask_bytes(job.width)) * job.height;
  const bool shared = Count || share_thresholds(args);
  const int32_t most = shared ? args.count : LimitTable::most;
  for (int32_t begin = 0; begin < args.count; begin += most) {
    const int32_t count = std::min(most, args.count - begin);
    const int32_t rows = canny_nms::rows_per_warp(job.width, job.height, count, resident);
    const int64_t warps = int64_t(strips(job.width)) * ((job.height + rows - 1) / rows);
    cuda::launch("canny", kernel,
                 dim3(unsigned((warps + nms_warps - 1) / nms_warps), 1, unsigned(count)),
                 dim3(lanes, nms_warps), 0, cuda::stream_of(call), job.picture(unsigned(begin)),
                 Count ? LimitTable() : limit_table(args, begin, count, shared),
                 NmsOutput{out.candidates + mask * begin, out.strong + mask * begin, out.bins,
                           out.bins_per_picture},
                 rows);
  }
}

template <bool Count>
void launch_gradient_nms(const CannyArgs& args, const canny_nms::Job& job, bool smooths,
                         const NmsOutput& out, Call& call) {
  constexpr int half = canny_nms::fused_half;
  switch (args.options.aperture) {
    case 3:
      return smooths ? launch_gradient_nms<3, half, Count>(args, job, out, call)
                     : launch_gradient_nms<3, 0, Count>(args, job, out, call);
    case 5:
      return smooths ? launch_gradient_nms<5, half, Count>(args, job, out, call)
                     : launch_gradient_nms<5, 0, Count>(args, job, out, call);
    default:
      return smooths ? launch_gradient_nms<7, half, Count>(args, job, out, call)
                     : launch_gradient_nms<7, 0, Count>(args, job, out, call);
  }
}

inline Masks masks_before_hysteresis(const CannyArgs& args, Call& call) {
  call.stage("gradient and suppression");
  const Masks masks = masks_of(args, call);
  const Taps taps = taps_of(args.options);
  const bool wide = taps.size > canny_nms::fused_window;
  const DeviceBatch<const uint8_t> src =
      wide ? smoothed(args, call)
           : DeviceBatch<const uint8_t>{args.src.as<uint8_t, Space::device>(), args.src_step};

  canny_nms::Job job;
  job.src = src.first.data;
  job.src_stride = src.first.stride_bytes;
  job.src_step = src.step;
  job.mask = static_cast<const uint8_t*>(args.options.mask.data);
  job.mask_stride = args.options.mask.stride_bytes;
  job.mask_step = args.mask_step;
  job.width = args.src.width;
  job.height = args.src.height;
  const bool smooths = !wide && taps.size > 1;
  if (smooths) {
    const int half = taps.size / 2;
    for (int i = 0; i <= half; ++i) job.taps[canny_nms::fused_half - half + i] = taps.values[i];
  }
  find_thresholds(args, call, [&](uint32_t* bins) {
    launch_gradient_nms<true>(args, job, smooths, {nullptr, nullptr, bins, bins_of(args.options)},
                              call);
  });
  launch_gradient_nms<false>(args, job, smooths,
                             {reinterpret_cast<uint8_t*>(masks.candidates),
                              reinterpret_cast<uint8_t*>(masks.strong), nullptr, 0},
                             call);
  return masks;
}

/// Pictures of a batch that go through the kernels together.
inline int32_t pictures_per_chunk(const CannyArgs& args) {
  bool counts = false;
  for (int32_t i = 0; i < args.count; ++i) counts |= args.thresholds_of(i).is_automatic();
  const bool wide = args.options.sigma > 0 && args.options.ksize > canny_nms::fused_window;
  return canny_chunks::pictures_per_chunk(canny_chunks::scratch_bytes(
      args.src.width, args.src.height, wide, counts ? bins_of(args.options) : 0));
}

}  // namespace cuesta::canny_cuda
