// The gradient and suppression of canny for u8 and aperture 3, without a mask: source to two masks,
// one bit a pixel, or the histogram of magnitudes. Smoothing comes before. A warp walks 30 lanes'
// columns down, with an apron of a lane on either side (half_lane.cuh); rows are read three ahead.
// blockIdx.z is the picture.
//
// From device memory: 1 byte read and 1/4 written a pixel, and what strips and their aprons read
// twice, mostly from the caches. What binds: issue.
#pragma once

#include <type_traits>

#include "ops/canny/cuda/half_lane.cuh"
#include "ops/canny/cuda/masks.cuh"
#include "ops/canny/cuda/nms_march.hpp"

namespace cuesta::canny_half {

using canny_nms::Job;

/// The least compute capability whose instructions a lane needs: for older ones the kernel is
/// empty.
inline constexpr int least_major = 8;

// ---- reading

/// How a warp meets the picture: all that it reads lies inside it, in whole words of a lane; inside
/// it, anyhow; or partly outside.
enum class Meets { aligned, inside, edge };

/// W words on their way from memory, of which the first `shift` bits are others'.
template <int W>
struct Ahead {
  uint32_t words[W], shift;
};

/// The 4 W bytes from x of a row, from the last aligned address before them; outside they are the
/// row's first or last.
template <Meets M, int W>
__device__ inline void read(const uint8_t* row, int32_t width, int32_t x, Ahead<W>& to) {
  if constexpr (M == Meets::aligned) {
    if constexpr (W == 4) {
      const uint4 v = __ldg(reinterpret_cast<const uint4*>(row + x));
      to.words[0] = v.x, to.words[1] = v.y, to.words[2] = v.z, to.words[3] = v.w;
    } else {
      const uint2 v = __ldg(reinterpret_cast<const uint2*>(row + x));
      to.words[0] = v.x, to.words[1] = v.y;
    }
    return;
  }
  const auto back = int32_t(reinterpret_cast<uintptr_t>(row) & 3);  // x is a multiple of 4
  to.shift = uint32_t(back) * 8;
  x -= back;
  if (M == Meets::inside || (x >= 0 && x + 4 * W <= width)) {
#pragma unroll
    for (int i = 0; i < W; ++i)
      to.words[i] = packed::load(reinterpret_cast<const uint32_t*>(row + x) + i);
  } else if (x + 4 * W <= 0 || x >= width) {
    const uint32_t all = row[x < 0 ? 0 : width - 1] * 0x01010101u;
#pragma unroll
    for (int i = 0; i < W; ++i) to.words[i] = all;
  } else {
#pragma unroll
    for (int i = 0; i < W; ++i) {
      to.words[i] = 0;
#pragma unroll
      for (int k = 0; k < 4; ++k)
        to.words[i] |= uint32_t(row[min(max(x + 4 * i + k, 0), width - 1)]) << (8 * k);
    }
  }
}
/// What was read; its last bytes are the first that the next lane read. The last lane's are not
/// used: of its pixels only the first and its neighbours are.
template <Meets M, int W>
__device__ inline void take(const Ahead<W>& from, uint32_t (&row)[W]) {
  const uint32_t beyond = M == Meets::aligned ? 0 : __shfl_down_sync(~0u, from.words[0], 1);
#pragma unroll
  for (int i = 0; i < W; ++i) {
    row[i] =
        M == Meets::aligned
            ? from.words[i]
            : packed::shift_pair(from.words[i], i + 1 < W ? from.words[i + 1] : beyond, from.shift);
  }
}

// ---- the walk

/// Walks a lane whose first column is x down rows [first, end): measured(y, lane, turn) with every
/// row of magnitudes, found(y, candidates, strong) with every row of maxima.
template <Norm N, Meets M, class Measured, class Found>
__device__ inline void walk(const Job& job, int32_t low, int32_t high, int32_t x, int32_t first,
                            int32_t end, Measured&& measured, Found&& found) {
  constexpr int ahead = 3, words = Lane<N>::pixels / 4;
  Lane<N> lane = {};
  const auto limits = Lane<N>::limits(
      low, high, [&](int i) { return M != Meets::edge || uint32_t(x + i) < uint32_t(job.width); });
  Ahead<words> next[ahead];
  const auto load = [&](int32_t y, Ahead<words>& to) {
    const int32_t row = min(M == Meets::edge ? max(y, 0) : y, job.height - 1);
    read<M>(job.src + ptrdiff_t(row) * job.src_stride, job.width, x, to);
  };
#pragma unroll
  for (int i = 0; i < ahead; ++i) load(first - 2 + i, next[i]);
    // Row r comes in, three to a round: the rows of magnitudes turn their names by themselves.
#pragma unroll 1
  for (int32_t y = first - 2; y < end + 2; y += 3) {
    const auto step = [&]<int turn>(std::integral_constant<int, turn> this_turn) {
      const int32_t r = y + turn;
      uint32_t row[words], gx[Lane<N>::P], gy[Lane<N>::P];
      take<M>(next[turn], row);
      load(r + ahead, next[turn]);
      lane.template measure<turn>(
          row, limits, M != Meets::edge || uint32_t(r - 1) < uint32_t(job.height), gx, gy);
      if (r - 1 >= first && r - 1 < end) measured(r - 1, lane, this_turn);
      found(r - 2, lane, limits, this_turn);
      lane.directions.find(gx, gy);
    };
    step(std::integral_constant<int, 0>());
    step(std::integral_constant<int, 1>());
    step(std::integral_constant<int, 2>());
  }
}

// ---- the kernel

inline constexpr int magnitudes = 2041;  // 0 to 2,040; l2's roots are fewer

/// Strips of a picture: they cover its masks, whose rows may end behind its own.
template <Norm N>
constexpr int32_t strips(int32_t width) {
  constexpr int32_t columns = 30 * Lane<N>::pixels;
  return int32_t((int64_t(canny_nms::mask_bytes(width)) * 8 + columns - 1) / columns);
}

template <Norm N, bool Count>
__global__ void __launch_bounds__(canny_cuda::nms_warps * 32, N == Norm::l1 ? 3 : 4)
    gradient_nms_half(const __grid_constant__ Job first_job,
                      const __grid_constant__ canny_nms::LimitTable table,
                      canny_cuda::NmsOutput out, int32_t rows_per_warp) {
#if __CUDA_ARCH__ >= 800
  using L = Lane<N>;
  using Group = typename L::Group;
  const Job job = table.with(first_job.picture(blockIdx.z), blockIdx.z);
  __shared__ uint32_t counted[Count ? magnitudes : 1];
  const int lane = int(threadIdx.x), thread = int(threadIdx.y) * 32 + lane;
  if constexpr (Count) {
    for (int i = thread; i < magnitudes; i += canny_cuda::nms_warps * 32) counted[i] = 0;
    __syncthreads();
  }
  const int32_t across = strips<N>(job.width);
  const int64_t number = int64_t(blockIdx.x) * canny_cuda::nms_warps + threadIdx.y;
  const int64_t first_row = number / across * rows_per_warp;
  const int32_t base = int32_t(number % across) * (30 * L::pixels) - L::pixels;
  const int32_t x = base + lane * L::pixels;
  const bool makes = lane > 0 && lane < 31;
  if (first_row < job.height) {
    const int32_t first = int32_t(first_row), end = min(first + rows_per_warp, job.height);
    const int32_t low = Count ? 0 : int32_t(job.above_low) - 1;
    const int32_t high = Count ? 0 : int32_t(job.above_high) - 1;
    const ptrdiff_t groups = canny_nms::mask_bytes(job.width) / ptrdiff_t(sizeof(Group));
    const bool stores = makes && x / L::pixels < groups;
    const ptrdiff_t from = (ptrdiff_t(blockIdx.z) * job.height + first) * groups + x / L::pixels;
    Group* candidates = reinterpret_cast<Group*>(out.candidates) + from;
    Group* strong = reinterpret_cast<Group*>(out.strong) + from;
    uint32_t zeros = 0;
    const auto measured = [&](int32_t, const L& l, auto turn) {
      if (!Count || !makes) return;
      zeros += uint32_t(max(min(job.width - x, L::pixels), 0));
#pragma unroll
      for (int i = 0; i < L::pixels; ++i) {
        // Flat parts must not queue for one counter; outside the picture there is nothing.
        const int32_t m = l.template magnitude<turn>(i);
        if (m == 0) continue;
        atomicAdd(counted + canny_cuda::bin_of(m, N), 1u);
        --zeros;
      }
    };
    const auto found = [&](int32_t y, const L& l, const typename L::Limits& limits, auto turn) {
      if (Count) return;
      uint32_t c, s;
      l.template find_maxima<turn>(limits, c, s);
      if (!stores || y < first || y >= end) return;
      *candidates = Group(c);
      *strong = Group(s);
      candidates += groups;
      strong += groups;
    };
    const bool inside =
        base > 0 && base + 32 * L::pixels <= job.width && first >= 2 && end + 2 <= job.height;
    const auto address = reinterpret_cast<uintptr_t>(job.src) | uintptr_t(job.src_stride);
    if (!inside)
      walk<N, Meets::edge>(job, low, high, x, first, end, measured, found);
    else if (address % L::pixels == 0)
      walk<N, Meets::aligned>(job, low, high, x, first, end, measured, found);
    else
      walk<N, Meets::inside>(job, low, high, x, first, end, measured, found);
    if constexpr (Count) {
      zeros = __reduce_add_sync(~0u, zeros);
      if (lane == 0) atomicAdd(counted, zeros);
    }
  }
  if constexpr (Count) {
    __syncthreads();
    uint32_t* bins = out.bins + ptrdiff_t(blockIdx.z) * out.bins_per_picture;
    for (int i = thread; i < magnitudes; i += canny_cuda::nms_warps * 32)
      if (counted[i] != 0) atomicAdd(bins + i, counted[i]);
  }
#endif
}

}  // namespace cuesta::canny_half
