// Strategy `mma-march`: the kernel and its plan. mma_march.cu says what it does.
#pragma once

#include "cuda/limits.hpp"
#include "ops/convolve/cuda/factors.hpp"
#include "ops/convolve/cuda/march_lane.cuh"
#include "ops/convolve/cuda/march_ring.cuh"

namespace cuesta::convolve_mma {

/// The bands across of all lanes, for those that do not hold them.
template <class K>
__device__ __forceinline__ void share_band(const MarchTaps& taps, uint4* to) {
  const int lane = int(threadIdx.x) % 32;
  for (int i = int(threadIdx.x) / 32; i < K::across; i += K::warps) {
    MarchBand<1> band;
    band.load(MarchLane<K>::first_across(taps) + 32 * i, 0, lane / 4, lane % 4);
    const auto& word = band.pair[0].word;
    to[32 * i + lane] = make_uint4(word[0], word[1], word[2], word[3]);
  }
}

/// One step: sums across of 16 rows, and 16 rows of results once there are as many.
template <int Turn, class K, class Feed>
__device__ __forceinline__ void march_step(MarchLane<K>& own, Feed& feed, MarchResults<K>& results,
                                           int k, uint32_t parity, int from, int to, int lag) {
  feed.template step<Turn>(k, parity);
  const auto& shifts = feed.ring.shift[Turn];
  const int row = dealt_place(own.g, 0);
  const uint32_t shift[2] = {K::aligned ? 0u : shifts[row] & 15u,
                             K::aligned ? 0u : shifts[row + 2] & 15u};
  MarchSums h;
  feed.template release<Turn>(own.take(feed.place(Turn) + from, Feed::row_bytes, shift, h));
  if constexpr (!K::runs) own.start_sums();
  own.template add<Turn % K::groups>(h);
  if constexpr (K::runs) own.template subtract<Turn>(h, k >= lag);
  if (k < lag) return;
  own.leave_at(results.next() + to, MarchResults<K>::pitch);
  results.finish();
}

/// A warp's march down its strip.
template <class K, bool Completes>
__device__ __forceinline__ void march_down(MarchLane<K>& own, MarchResults<K>& results,
                                           MarchFeed<K, Completes>& feed, int lag) {
  const int column = own.warp_left - feed.left + 4 * own.t;
  const int to = own.g * MarchResults<K>::pitch + column;
  const int from = own.g * MarchFeed<K, Completes>::row_bytes + column +
                   (K::aligned ? (16 - reach_of_products(K::across) % 16) % 16 : 0);
  uint32_t parity = 0;
#pragma unroll 1
  for (int k0 = 0; k0 < feed.steps; k0 += K::stages, parity ^= 1) {
    const auto step = [&]<int Turn>() {
      if (k0 + Turn >= feed.steps) return false;
      march_step<Turn>(own, feed, results, k0 + Turn, parity, from, to, lag);
      return true;
    };
    [&]<int... Turn>(std::integer_sequence<int, Turn...>) {
      (void)(step.template operator()<Turn>() && ...);
    }(std::make_integer_sequence<int, K::stages>());
  }
  results.leave_all();
}

template <class K>
__global__ void __launch_bounds__(32 * K::warps, K::blocks)
    mma_march_kernel(const __grid_constant__ typename K::Request q,
                     const __grid_constant__ MarchPlan plan,
                     const __grid_constant__ MarchTaps bands) {
#if __CUDA_ARCH__ >= 900
  CUESTA_DYNAMIC_SHARED(__align__(128) uint8_t, shared);
  using Results = MarchResults<K>;
  __shared__ MarchRing<K> ring;
  __shared__ WarpBarrier made[Results::slots];
  __shared__ MarchTaps taps;
  __shared__ uint4 shared_band[K::shares ? 32 * K::across : 1];
  const int32_t left = int32_t(blockIdx.x) * K::columns, top = int32_t(blockIdx.y) * plan.rows;
  const int32_t here = min(plan.rows, q.dst.height - top), first = top - plan.above;
  const int steps = (here + step_rows - 1) / step_rows + plan.lag;
  if (threadIdx.x == 0) {
    for (auto& slot : made) slot.init(K::warps);
    ring.init();
  }
  __syncthreads();
  MarchFeed<K, false> feed{q, ring, shared, left, first, steps};
  MarchFeed<K, true> side_feed{q, ring, shared, left, first, steps};
  const bool completes = feed.wants_completion();
  completes ? side_feed.begin() : feed.begin();
  const auto* words = cuda::opaque(reinterpret_cast<const uint32_t*>(&bands));
  for (int i = int(threadIdx.x); i < int(sizeof bands / 4); i += 32 * K::warps)
    reinterpret_cast<uint32_t*>(&taps)[i] = words[i];
  __syncthreads();
  if constexpr (K::shares) {
    share_band<K>(taps, shared_band);
    __syncthreads();
  }

  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32, g = lane / 4, t = lane % 4;
  MarchLane<K> own{{q, nullptr, top, here, left + band_columns * warp, warp, g, t, false}};
  if constexpr (K::shares) own.across = {shared_band + lane};
  if constexpr (K::runs) {
    own.kept = reinterpret_cast<uint4*>(shared + plan.kept_at) + threadIdx.x;
    own.count = plan.lag + 1;
  }
  own.begin(taps);
  Results results{q.dst, made, shared + plan.results_at, left, top, here};
  completes ? march_down(own, results, side_feed, plan.lag)
            : march_down(own, results, feed, plan.lag);
#endif
}

/// The whole plan, of a picture's size.
template <class K>
MarchPlan plan_of_march(const ConvolveArgs& args) {
  MarchPlan plan{};
  plan.lag = K::runs ? args.height / 16 + 1 : K::groups - 1;
  plan.above = K::runs ? args.anchor_y : reach_of_products(K::down);
  plan.results_at = K::stages * MarchFeed<K, false>::stage_bytes;
  plan.kept_at = plan.results_at + MarchResults<K>::slots * MarchResults<K>::slot_bytes;
  plan.rows = rows_of_strip(
      args.dst.height,
      (int64_t(args.dst.width) * args.dst.channels + K::columns - 1) / K::columns,
      int64_t(K::blocks) * cuda::multiprocessors(), plan.lag * step_rows);
  return plan;
}

inline MarchTaps taps_of_march(const ConvolveArgs& args, const MarchPlan& plan) {
  MarchTaps taps{};
  for (int32_t i = 0; i < args.width; ++i)
    taps.across[MarchTaps::across_centre + (i - args.anchor_x) * args.src.channels] =
        uint8_t(args.integers.row[size_t(i)]);
  uint8_t* down = taps.down + MarchTaps::down_first;
  if (runs(args)) {
    // Four groups, the last of which is the newest; what comes begins in the second.
    for (int j = 0; j < step_rows; ++j) {
      down[step_rows + args.height % step_rows + j] = 1;
      taps.down[MarchTaps::gone_first + j] = uint8_t(-1);
    }
  } else {
    for (int32_t j = 0; j < args.height; ++j)
      down[plan.above - args.anchor_y + j] = uint8_t(args.integers.column[size_t(j)]);
  }
  return taps;
}

/// Enqueues form `Form`, which march_form_of() chose.
template <class Form>
void launch_march(const ConvolveArgs& args, Call& call) {
  const SeparableRequest<uint8_t> q(args);
  const auto with = [&]<class K>() {
    const MarchPlan plan = plan_of_march<K>(args);
    const size_t shared =
        size_t(plan.kept_at) + (K::runs ? size_t(plan.lag + 1) * 512 * K::warps : 0);
    const auto kernel = mma_march_kernel<K>;
    cuda::check(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared)),
        "convolve");
    const dim3 grid(cuda::blocks(q.dst.width, K::columns), cuda::blocks(q.dst.height, plan.rows));
    cuda::launch("convolve", kernel, grid, dim3(32 * K::warps), shared, cuda::stream_of(call), q,
                 plan, taps_of_march(args, plan));
  };
  const bool aligned = q.is_aligned() && reinterpret_cast<uintptr_t>(q.src.data) % 16 == 0;
  const auto with_results = [&]<Results Become>() {
    aligned ? with.template operator()<MarchKind<Form, Become, true>>()
            : with.template operator()<MarchKind<Form, Become, false>>();
  };
  if constexpr (Form::runs)
    with_results.template operator()<Results::quotients>();
  else
    is_q16(args) ? with_results.template operator()<Results::upper_halves>()
                 : with_results.template operator()<Results::quotients>();
  clear_void(q, call);
}

}  // namespace cuesta::convolve_mma
