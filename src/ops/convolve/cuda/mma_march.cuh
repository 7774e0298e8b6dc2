// Strategy `mma-march`: the kernel and its plan. mma_march.cu says what it does.
#pragma once

#include "cuda/limits.hpp"
#include "ops/convolve/cuda/factors.hpp"
#include "ops/convolve/cuda/march_lane.cuh"
#include "ops/convolve/cuda/march_plan.hpp"

namespace cuesta::convolve_mma {

/// A block's strip and what its threads share.
template <class K>
struct MarchBlock {
  using Request = typename K::Request;
  using Out = typename K::Out;
  static constexpr int threads = 32 * K::warps;

  const Request& q;
  const MarchPlan& plan;
  uint8_t* shared;
  int32_t left, top, here;  // the strip's first column and row, and its rows

  /// Rows of results that chunk `c` has made to the picture, from the stage.
  __device__ __forceinline__ void leave(int c) const {
    const int32_t made = (c * K::chunk - plan.lag) * step_rows;
    const uint8_t* stage = stage_of(c);
    constexpr int lanes = K::columns / 16;
    const int lane = int(threadIdx.x) % lanes;
    const int32_t x = left + 16 * lane, room = q.dst.width - x;
#pragma unroll
    for (int r0 = 0; r0 < K::chunk_rows; r0 += threads / lanes) {
      const int place = r0 + int(threadIdx.x) / lanes;
      const int32_t y = made + cuda::tensor::row_dealt_to(place);
      const bool active = place < K::chunk_rows && y >= 0 && y < here;
      const uint4 v =
          *reinterpret_cast<const uint4*>(stage + min(place, K::chunk_rows - 1) * Out::pitch +
                                          16 * lane);
      uint8_t* to = q.dst.row(top + (active ? y : 0)) + x;
      if (q.dst.width - left >= K::columns) {
        const uint32_t own[4] = {v.x, v.y, v.z, v.w};
        if constexpr (K::aligned) {
          if (active) *reinterpret_cast<uint4*>(to) = v;
        } else {
          cuda::store_run(to, own, lane == 0, lane == lanes - 1, active);
        }
      } else if (active) {
        const uint32_t own[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int i = 0; i < 16; ++i)
          if (i < room) to[i] = uint8_t(own[i / 4] >> i % 4 * 8);
      }
    }
  }
  __device__ __forceinline__ uint8_t* stage_of(int c) const {
    return shared + plan.stage_at + c % 2 * K::chunk_rows * Out::pitch;
  }
  __device__ __forceinline__ const uint8_t* tile_of(int c) const {
    return shared + c % 2 * K::chunk_rows * plan.shape.pitch;
  }
};

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

template <class K>
__global__ void __launch_bounds__(32 * K::warps, K::blocks)
    mma_march_kernel(const __grid_constant__ typename K::Request q,
                     const __grid_constant__ MarchPlan plan,
                     const __grid_constant__ MarchTaps bands) {
  CUESTA_DYNAMIC_SHARED(__align__(128) uint8_t, shared);
  __shared__ ChunkRows<uint8_t, K> in;
  __shared__ MarchTaps taps;
  __shared__ uint4 shared_band[K::shares ? 32 * K::across : 1];
  const int32_t left = int32_t(blockIdx.x) * K::columns;
  const int32_t top = int32_t(blockIdx.y) * plan.rows;
  const MarchBlock<K> block{q, plan, shared, left, top, min(plan.rows, q.dst.height - top)};
  const int steps = (block.here + step_rows - 1) / step_rows + plan.lag;
  in.tile[0].init(1);
  in.tile[1].init(1);
  const ChunkedStrip strip{left, top - q.anchor_y, plan.above - q.anchor_y,
                           block.here + q.height - 1, K::chunk_rows};
  in.fetch(q, plan.shape, strip, shared, 0);
  in.fetch(q, plan.shape, strip, shared, 1);
  const auto* words = cuda::opaque(reinterpret_cast<const uint32_t*>(&bands));
  for (int i = int(threadIdx.x); i < int(sizeof bands / 4); i += 32 * K::warps)
    reinterpret_cast<uint32_t*>(&taps)[i] = words[i];
  __syncthreads();
  if constexpr (K::shares) {
    share_band<K>(taps, shared_band);
    __syncthreads();
  }

  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32, g = lane / 4, t = lane % 4;
  MarchLane<K> own{{q, nullptr, top, block.here, left + band_columns * warp, warp, g, t, false}};
  if constexpr (K::shares) own.across = {shared_band + lane};
  if constexpr (K::runs) {
    own.kept = reinterpret_cast<uint4*>(shared + plan.kept_at) + threadIdx.x;
    own.count = plan.lag + 1;
  }
  own.begin(taps);
  const bool active = own.warp_left < q.dst.width;
  const int row = dealt_place(g, 0), column = band_columns * warp + 4 * t;
  const int from = g * plan.shape.pitch + column +
                   (K::aligned ? (16 - reach_of_products(K::across) % 16) % 16 : 0);
#pragma unroll 1
  for (int c = 0; c * K::chunk < steps; c += 2) {
    const auto at_turn = [&]<int Turn>() {
      constexpr int place = Turn / K::chunk, of_chunk = Turn % K::chunk;
      const int step = c * K::chunk + Turn;
      auto& tile = in.tile[place];
      if (of_chunk == 0 && step < steps) in.wait(q, plan.shape, strip, shared, c + place);
      if (active && step < steps) {
        const auto shift = [&](int k) {
          return K::aligned ? 0u : tile.shift[of_chunk * step_rows + row + 2 * k] & 15u;
        };
        MarchSums h;
        own.take(block.tile_of(place) + of_chunk * step_rows * plan.shape.pitch + from,
                 plan.shape.pitch, {shift(0), shift(1)}, h);
        if constexpr (!K::runs) own.start_sums();
        own.template add<Turn % K::groups>(h);
        if constexpr (K::runs) own.template subtract<Turn>(h, step >= plan.lag);
        if (step >= plan.lag)
          own.leave_at(block.stage_of(place) + (of_chunk * step_rows + g) * K::Out::pitch + column);
      }
      if (of_chunk != K::chunk - 1 || (c + place) * K::chunk >= steps) return;
      __syncthreads();
      if ((c + place + 2) * K::chunk < steps) in.fetch(q, plan.shape, strip, shared, c + place + 2);
      block.leave(c + place);
    };
    [&]<int... Turn>(std::integer_sequence<int, Turn...>) {
      (at_turn.template operator()<Turn>(), ...);
    }(std::make_integer_sequence<int, K::turns>());
  }
}

/// The whole plan, of a picture's size.
template <class K>
MarchPlan plan_of_march(const ConvolveArgs& args) {
  MarchPlan plan{};
  plan.shape = cuda::tensor::tile_shape(K::columns, reach_of_products(K::across), 16);
  plan.lag = K::runs ? args.height / 16 + 1 : K::groups - 1;
  plan.above = K::runs ? args.anchor_y : reach_of_products(K::down);
  plan.stage_at = 2 * K::chunk_rows * plan.shape.pitch;
  plan.kept_at = plan.stage_at + 2 * K::chunk_rows * K::Out::pitch;
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
