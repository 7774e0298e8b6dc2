// Strategy `pairwise`, windows to 31 × 31: sums down and across in one kernel.
//
// A thread has a column of samples and marches up it, against the window's direction. The sums of
// 2k samples are those of k plus those of k that it had k steps ago, and what a further power of
// two adds is as old. Both are rings in registers that turn with the march, so the compiler knows
// their places. A step costs an addition for each doubling, and an addition and a selection for
// each power of two.
//
// After 16 rows the block's sums go through shared memory to a warp a row, whose lanes have 16
// neighbouring sums each and add them up in the same way, along the row (pairwise.cuh).
#include "cuda/instructions.cuh"
#include "cuda/limits.hpp"
#include "ops/convolve/cuda.hpp"
#include "ops/convolve/cuda/pairwise.cuh"

namespace cuesta {
namespace {

using namespace convolve_cuda;

constexpr int rows_at_once = 16, warps = rows_at_once, columns = 32 * warps, items = columns / 32;

constexpr int levels = 4;                        // doublings
constexpr int32_t max_side = (2 << levels) - 1;  // of a window

/// The sums of a thread's last n samples, n ≤ max_side.
class MarchingSums {
 public:
  explicit __device__ MarchingSums(int32_t n) : n_(n) {}

  /// Takes a sample and returns the sum of it and the n − 1 before. `place` is the number of the
  /// step, modulo 16, known when compiling.
  __device__ __forceinline__ float push(float sample, int place) {
    float sum = sample, all = n_ & 1 ? sample : -0.0f;  // adding −0 changes nothing
    add<0>(sum, all, place);
    return all;
  }

 private:
  // `sum` is of k samples, `all` of n % k; both begin with the last sample.
  template <int Level>
  __device__ __forceinline__ void add(float& sum, float& all, int place) {
    constexpr int k = 1 << Level;
    const int at = k - 1 + place % k;
    if constexpr (k > 1) {
      const float with = sum + exchange(pieces_[at], all);
      if (n_ & k) all = with;
    }
    if constexpr (Level < levels) {
      sum += exchange(sums_[at], sum);
      add<Level + 1>(sum, all, place);
    }
  }
  static __device__ __forceinline__ float exchange(float& kept, float value) {
    const float old = kept;
    kept = value;
    return old;
  }

  int32_t n_;
  float sums_[(1 << levels) - 1] = {},
                              pieces_[(2 << levels) - 1] = {};  // rings of 1, 2, 4 and so on
};

/// Rows of sums, the lanes' 16 apart so that they load 16 bytes without meeting in a bank.
constexpr int pitch = columns / items * (items + 4);
__device__ constexpr int place(int column) { return column + column / items * 4; }
constexpr int batch_floats = rows_at_once * pitch;

/// A thread's column of samples.
struct Column {
  const float* samples;  // null: outside
  ptrdiff_t stride;

  template <class Out>
  __device__ Column(const PairwiseRequest<Out>& q, int64_t x) {
    stride = q.src.stride_bytes / ptrdiff_t(sizeof(float));
    // Past what any result needs: there the rows' width may end.
    const int64_t most = int64_t(q.src.width) + (max_side - 1) * q.channels;
    if (uint64_t(x) >= uint64_t(q.src.width)) x = q.place(int32_t(min(x, most)));
    samples = x < 0 ? nullptr : q.src.data + x;
  }
  /// Rows `last`, `last` − 1 and so on.
  template <class Out>
  __device__ __forceinline__ void load(const PairwiseRequest<Out>& q, int32_t last,
                                       float (&v)[rows_at_once]) const {
    if (samples && last < q.src.height && last >= rows_at_once - 1) {
      const float* from = samples + last * stride;
#pragma unroll
      for (int u = 0; u < rows_at_once; ++u, from -= stride) v[u] = *from;
      return;
    }
#pragma unroll 1
    for (int u = 0; u < rows_at_once; ++u) {
      int32_t y = last - u;
      if (uint32_t(y) >= uint32_t(q.src.height)) y = q.place_row(y);
      const float sample = samples && y >= 0 ? samples[y * stride] : q.outside;
#pragma unroll
      for (int i = 0; i < rows_at_once; ++i)
        if (i == u) v[i] = sample;
    }
  }
};

/// A warp's row of sums becomes `count` results from sample x0 of row y on.
template <int Channels, class Out>
__device__ __forceinline__ void finish_row(const PairwiseRequest<Out>& q, float* row, int32_t x0,
                                           int32_t y, int count) {
  const int lane = int(threadIdx.x) % 32;
  float4* const own = reinterpret_cast<float4*>(row + place(lane * items));
  float sum[items], all[items];
#pragma unroll
  for (int i = 0; i < items / 4; ++i) {
    const float4 four = own[i];
    sum[4 * i] = four.x, sum[4 * i + 1] = four.y, sum[4 * i + 2] = four.z, sum[4 * i + 3] = four.w;
  }
  sum_along<Channels, levels>(q.width, sum, all);
#pragma unroll
  for (int i = 0; i < items / 4; ++i)
    own[i] = make_float4(all[4 * i], all[4 * i + 1], all[4 * i + 2], all[4 * i + 3]);
  __syncwarp();
  const float* const from = q.src.row(y) + x0;
  Out* const to = q.dst.row(y) + x0;
#pragma unroll
  for (int half = 0; half < items; half += items / 2) {
    float centre[items / 2] = {};
    if (q.taps.extra != 0) {
#pragma unroll
      for (int i = 0; i < items / 2; ++i) centre[i] = from[min(lane + 32 * (half + i), count - 1)];
    }
#pragma unroll
    for (int i = 0; i < items / 2; ++i) {
      const int x = lane + 32 * (half + i);
      if (x < count) to[x] = q.result(row[place(x)], centre[i], x0 + x, y);
    }
  }
}

template <int Channels, class Out>
__global__ void __launch_bounds__(columns)
    pairwise_march(const __grid_constant__ PairwiseRequest<Out> q, int32_t across, int32_t down) {
  CUESTA_DYNAMIC_SHARED(__align__(16) float, memory);
  const int64_t top = int64_t(cuda::block_row()) * down;
  if (top >= q.src.height) return;
  const auto y0 = int32_t(top);
  const int32_t x0 = int32_t(blockIdx.x) * across;
  const int32_t steps = min(down, q.src.height - y0) + q.height - 1;
  const int warp = int(threadIdx.x) / 32, count = min(across, q.src.width - x0);
  const Column column(q, int64_t(x0) - q.anchor_x * Channels + int(threadIdx.x));
  MarchingSums sums(q.height);
  float* batch = memory;
  // The row of the last of a batch's results: windows begin there.
  int32_t y = y0 + steps - 1;
#pragma unroll 1
  for (int32_t step = 0; step < steps; step += rows_at_once, y -= rows_at_once) {
    float v[rows_at_once];
    column.load(q, y - q.anchor_y, v);
    float* const to = batch + place(int(threadIdx.x));
#pragma unroll
    for (int u = 0; u < rows_at_once; ++u) to[u * pitch] = sums.push(v[u], u);
    __syncthreads();
    const int32_t row = y - warp;
    if (row >= y0 && row < y0 + steps - (q.height - 1))
      finish_row<Channels>(q, batch + warp * pitch, x0, row, count);
    // Two batches take turns: who writes the next one has passed the barrier behind this one's
    // readers.
    batch = batch == memory ? memory + batch_floats : memory;
  }
}

/// Rows of results of a block, with which all blocks together take the fewest steps: a
/// multiprocessor runs one at a time, and each takes n − 1 rows before its first result.
int32_t rows_of_strips(int64_t blocks_across, int32_t height, int32_t n) {
  const int64_t at_once = cuda::multiprocessors();
  int64_t best = height, least = INT64_MAX;
  for (int64_t strips = 1; strips <= 256; ++strips) {
    const int64_t rows = (int64_t(height) + strips - 1) / strips;
    const int64_t waves = (blocks_across * strips + at_once - 1) / at_once;
    const int64_t steps = waves * (rows + n - 1);
    if (steps < least) least = steps, best = rows;
  }
  return int32_t(best);
}

template <int Channels, class Out>
void run(const ConvolveArgs& args, Call& call) {
  const PairwiseRequest<Out> q(args);
  const auto kernel = pairwise_march<Channels, Out>;
  constexpr size_t shared = 2 * batch_floats * sizeof(float);
  // Results begin at multiples of 64 bytes.
  const int32_t across = (columns - (args.width - 1) * Channels) / items * items;
  const int64_t blocks = cuda::blocks(q.src.width, across);
  const int32_t down = rows_of_strips(blocks, q.src.height, args.height);
  cuda::allow_shared(kernel, shared, "convolve");
  cuda::launch("convolve", kernel,
               cuda::grid_of(unsigned(blocks), cuda::blocks(q.src.height, down)), dim3(columns),
               shared, cuda::stream_of(call), q, across, down);
}

template <class Out>
void run_for_channels(const ConvolveArgs& args, Call& call) {
  switch (args.src.channels) {
    case 1: return run<1, Out>(args, call);
    case 2: return run<2, Out>(args, call);
    case 3: return run<3, Out>(args, call);
    default: return run<4, Out>(args, call);
  }
}

}  // namespace

std::string_view convolve_cuda::pairwise_takes(const ConvolveArgs& args, const Parameters&) {
  return args.equal ? flat_rows_take(args) : "windows other than of many equal f32 taps";
}

void convolve_cuda::pairwise(const ConvolveArgs& args, Call& call) {
  if (std::max(args.width, args.height) > max_side) return pairwise_lines(args, call);
  args.dst.type == PixelType::s16 ? run_for_channels<int16_t>(args, call)
                                  : run_for_channels<float>(args, call);
}

}  // namespace cuesta
