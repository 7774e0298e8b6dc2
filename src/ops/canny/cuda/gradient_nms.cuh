// The production gradient and suppression for every aperture, with a mask or without, and with
// windows up to 5: source to two masks, candidates and strong pixels, in one kernel, one bit a
// pixel. Also the histogram of magnitudes that automatic thresholds ask for. cuda/nms_march.hpp has
// what a lane does. blockIdx.z is the picture.
//
// From device memory: 1 byte read and 1/4 written a pixel, and what strips and their aprons read
// twice, mostly from the caches.
#pragma once

#include "cuda/overlap.cuh"
#include "ops/canny/cuda/masks.cuh"
#include "ops/canny/cuda/nms_march.hpp"

namespace cuesta::canny_cuda {

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

inline constexpr int shared_bins = 2048;  // magnitudes beyond are counted in device memory at once

/// Blocks that a multiprocessor's registers are to hold: they cut the registers of a thread.
constexpr int nms_blocks(int k, int half, Norm norm) {
  return k == 3 || (k == 5 && half == 0 && norm == Norm::l1) ? 4 : 3;
}

/// Sets the block's bins to 0; all its threads call it.
__device__ __forceinline__ void clear_bins(uint32_t* counted) {
  using canny_nms::lanes;
  for (int i = int(threadIdx.y) * lanes + int(threadIdx.x); i < shared_bins; i += nms_warps * lanes)
    counted[i] = 0;
  __syncthreads();
}
/// Adds the block's bins to the picture's; all its threads call it.
__device__ __forceinline__ void add_bins(uint32_t* counted, uint32_t zeros, const NmsOutput& out,
                                         int32_t bins_before) {
  using canny_nms::lanes;
  if (zeros > 0) atomicAdd(counted, zeros);
  __syncthreads();
  for (int i = int(threadIdx.y) * lanes + int(threadIdx.x); i < shared_bins;
       i += nms_warps * lanes) {
    if (counted[i] > 0) atomicAdd(out.bins + (bins_before + i), counted[i]);
  }
}
/// Counts a lane's magnitudes, those of 0 in `zeros`: flat parts must not queue for one counter.
template <Norm N, class L>
__device__ __forceinline__ void count_lane(const L& lane, uint32_t* counted, uint32_t& zeros,
                                           const NmsOutput& out, int32_t bins_before) {
#pragma unroll
  for (int i = 0; i < canny_nms::lane_pixels; ++i) {
    if (!(lane.valid[i / 2] >> (16 * (i % 2)) & 1)) continue;
    const int32_t bin = bin_of(int32_t(lane.magnitude(i)), N);
    if (bin == 0)
      ++zeros;
    else if (bin < shared_bins)
      atomicAdd(counted + bin, 1u);
    else
      atomicAdd(out.bins + (bins_before + bin), 1u);
  }
}

template <int K, int Half, Norm N, bool Count>
__global__ void __launch_bounds__(nms_warps* canny_nms::lanes, nms_blocks(K, Half, N))
    gradient_nms(const __grid_constant__ canny_nms::Job first_job,
                 const __grid_constant__ canny_nms::LimitTable limits, NmsOutput out,
                 int rows_per_warp) {
  using namespace canny_nms;
  using L = Lane<K, Half, N>;
  cuda::wait_for_before();
  const Job job = limits.with(first_job.picture(blockIdx.z), blockIdx.z);
  // Rows of the masks, and bins, before this picture's: a piece has fewer than 2^20, and 2^26.
  const int32_t above = int32_t(blockIdx.z) * job.height;
  const int32_t bins_before = int32_t(blockIdx.z) * out.bins_per_picture;
  __shared__ uint32_t counted[Count ? shared_bins : 1];
  if constexpr (Count) clear_bins(counted);

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
            if (makes) count_lane<N>(lane, counted, zeros, out, bins_before);
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

  if constexpr (Count) add_bins(counted, zeros, out, bins_before);
}

}  // namespace cuesta::canny_cuda
