// Strategy `long-f32`: f32 factors of any length and number of channels, in two kernels in the
// definition's order: sums down the columns into a picture of them, then sums of those across.
//
// Down: a lane has 16 rows of 4 columns, and adds each row of samples, loaded once, to the sums
// that it belongs to. The 16 taps in use stay in registers and change one a row, so that a row
// costs one load of a tap. Across: a warp has 256 results of each channel of one row. It puts the
// sums apart by channels into shared memory; a lane then makes 8 neighbours, four taps and 16 bytes
// of sums at a time.
//
// Taps of 0 are left out, as the definition does, and taps past the ends are taps of 0. Bound by
// FFMA and the tests of taps: about 2.3 instructions a tap and pixel.
#include "ops/convolve/cuda.hpp"
#include "ops/convolve/cuda/flat_rows.cuh"
#include "ops/convolve/cuda/zero_taps.hpp"

#include <cmath>

#include "cuda/instructions.cuh"
#include "cuda/long_sums.cuh"

namespace cuesta {
namespace {

using namespace convolve_cuda;

using namespace cuda::long_sums;

constexpr int strip = 16;  // rows of a lane
using LongTaps = cuda::long_sums::Taps<float>;

__global__ void __launch_bounds__(32 * warps, 2)
    sum_down(const __grid_constant__ FloatRequest q, ImageView<float, Space::device> sums,
             const __grid_constant__ LongTaps taps) {
  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
  const int64_t first = (int64_t(cuda::block_row()) * warps + warp) * strip;
  if (first >= q.src.height) return;
  const auto y0 = int32_t(first);
  const int64_t x0 = int64_t(blockIdx.x) * (32 * columns) + lane;
  int64_t at[columns];
#pragma unroll
  for (int c = 0; c < columns; ++c) at[c] = min(x0 + 32 * c, int64_t(q.src.width) - 1);
  float sum[strip][columns] = {}, tap[strip] = {};  // tap[i % strip]: the last ones
#pragma unroll 1
  for (int begin = 0; begin < taps.steps; begin += strip) {
#pragma unroll
    for (int u = 0; u < strip; ++u) {
      tap[u] = taps.tap[begin + u];
      int32_t y = y0 - q.anchor_y + begin + u;
      if (uint32_t(y) >= uint32_t(q.src.height)) y = q.place_row(y);
      const float* const row = q.src.row(max(y, 0));
      float v[columns];
#pragma unroll
      for (int c = 0; c < columns; ++c) v[c] = y < 0 ? q.outside : row[at[c]];
#pragma unroll
      for (int i = 0; i < strip; ++i) {
        const float t = tap[(u - i + strip) % strip];
        if (t != 0) {
#pragma unroll
          for (int c = 0; c < columns; ++c) sum[i][c] = __fmaf_rn(t, v[c], sum[i][c]);
        }
      }
    }
  }
#pragma unroll
  for (int i = 0; i < strip; ++i) {
    if (y0 + i >= q.src.height) break;
    float* const to = sums.row(y0 + i);
#pragma unroll
    for (int c = 0; c < columns; ++c)
      if (x0 + 32 * c < q.src.width) to[x0 + 32 * c] = sum[i][c];
  }
}

/// The sums that a warp's results need, from pixel `first` of a row on, apart by channels.
template <int Channels>
__device__ void fill_planes(const FloatRequest& q, const float* row, float outside_sum,
                            int32_t first, int steps, float* plane) {
  const int pitch = row_items(steps);
  for (int i = int(threadIdx.x) % 32; i < (warp_results + steps) * Channels; i += 32) {
    const int c = i % Channels, p = i / Channels;
    const int64_t wide = (int64_t(first) - q.anchor_x) * Channels + i;
    // Past what any result needs: there the rows' width may end.
    auto x = int32_t(min(wide, int64_t(q.src.width) + (max_side - 1) * Channels + c));
    if (uint32_t(x) >= uint32_t(q.src.width)) x = q.place(x);
    plane[c * pitch + spread(p)] = x < 0 ? outside_sum : row[x];
  }
}

/// A lane's 8 neighbours of a channel.
__device__ __forceinline__ void sum_taps(const LongTaps& taps, const float* plane, int lane,
                                         float (&sum)[lane_results]) {
  float v[lane_results + 4];
  const auto load = [&](int i, float* to) { load_four(plane, lane_results * lane + i, to); };
  load(0, v), load(4, v + 4);
#pragma unroll 3
  for (int k = 0; k < taps.steps; k += 4) {
    load(k + 8, v + 8);
#pragma unroll
    for (int t = 0; t < 4; ++t) {
      const float tap = taps.tap[k + t];
      if (tap != 0) {
#pragma unroll
        for (int i = 0; i < lane_results; ++i) sum[i] = __fmaf_rn(tap, v[i + t], sum[i]);
      }
    }
#pragma unroll
    for (int i = 0; i < lane_results; ++i) v[i] = v[i + 4];
  }
}

template <int Channels>
__global__ void __launch_bounds__(32 * warps)
    sum_across(const __grid_constant__ FloatRequest q, ImageView<const float, Space::device> sums,
               float outside_sum, const __grid_constant__ LongTaps taps) {
  CUESTA_DYNAMIC_SHARED(__align__(16) float, planes);
  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
  const int64_t row = int64_t(cuda::block_row()) * warps + warp;
  if (row >= q.src.height) return;
  const auto y = int32_t(row);
  const int pitch = row_items(taps.steps);
  float* const plane = planes + warp * Channels * pitch;
  const int32_t first = int32_t(blockIdx.x) * warp_results;  // in pixels
  fill_planes<Channels>(q, sums.row(y), outside_sum, first, taps.steps, plane);
  __syncwarp();
  float sum[Channels][lane_results] = {};
#pragma unroll
  for (int c = 0; c < Channels; ++c) sum_taps(taps, plane + c * pitch, lane, sum[c]);
  __syncwarp();
#pragma unroll
  for (int c = 0; c < Channels; ++c) {
#pragma unroll
    for (int i = 0; i < lane_results; ++i)
      plane[c * pitch + spread(lane_results * lane + i)] = sum[c][i];
  }
  __syncwarp();
  float* const to = q.dst.row(y);
  for (int i = lane; i < warp_results * Channels; i += 32) {
    const int64_t x = int64_t(first) * Channels + i;
    if (x >= q.src.width) break;
    const float v = plane[i % Channels * pitch + spread(i / Channels)];
    const bool is_void = q.changes && (q.is_void_row(y) || q.is_void_sample(int32_t(x)));
    to[x] = is_void ? 0.0f : q.changes ? q.finish.template sample<float>(v) : v;
  }
}

template <int Channels>
void run(const ConvolveArgs& args, Call& call) {
  const FloatRequest q(args);
  const LongTaps column = LongTaps::padded(args.floats.column, strip - 1, strip),
                 row = LongTaps::padded(args.floats.row, 0, 4);
  const auto sums = call.scratch().image<float, Space::device>(q.src.width, q.src.height);
  cuda::launch("convolve", sum_down,
               cuda::grid_of(cuda::blocks(q.src.width, 32 * columns),
                             cuda::blocks(q.src.height, warps * strip)),
               dim3(32 * warps), 0, cuda::stream_of(call), q, sums, column);
  const size_t shared = size_t(warps) * Channels * row_items(row.steps) * sizeof(float);
  cuda::allow_shared(sum_across<Channels>, shared, "convolve");
  cuda::launch("convolve", sum_across<Channels>,
               cuda::grid_of(cuda::blocks(q.src.width / Channels, warp_results),
                             cuda::blocks(q.src.height, warps)),
               dim3(32 * warps), shared, cuda::stream_of(call), q, sums,
               outside_column(args.floats.column, q.outside), row);
}

}  // namespace

std::string_view convolve_cuda::long_f32_takes(const ConvolveArgs& args, const Parameters&) {
  if (const auto why = ordered_sums_take(args); !why.empty()) return why;
  if (!args.floats.separable()) return "stencils that are not separable";
  return flat_rows_take(args);
}

void convolve_cuda::long_f32(const ConvolveArgs& args, Call& call) {
  switch (args.src.channels) {
    case 1: return run<1>(args, call);
    case 2: return run<2>(args, call);
    case 3: return run<3>(args, call);
    default: return run<4>(args, call);
  }
}

}  // namespace cuesta
