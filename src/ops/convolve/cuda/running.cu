// Strategy `running`: windows of one value (boxes), also with another one at the anchor
// (sharpening), of u8 and u16 pictures of any number of channels. The time does not depend on the
// window's size.
//
// A block has a strip of samples and marches down it. A lane keeps the sums of as many rows as the
// window has of 8 to 16 neighbouring columns: each row adds what comes and subtracts what goes. The
// sums before each sample, by channels, modulo 2^32, then go through shared memory, where two of
// them, a window apart, differ by the sum of the window. Integer sums are exact in any order.
//
// A row takes two barriers: the first hands the warps' totals around, the second the sums. The loop
// is kept short, because a long one waits for instructions. A strip begins with as many rows as the
// window has, which are added only.
#include "ops/convolve/cuda/running.hpp"

#include "cuda/architectures.hpp"
#include "cuda/limits.hpp"
#include "ops/convolve/cuda.hpp"
#include "ops/convolve/cuda/running_lane.cuh"

namespace cuesta {
namespace {

using namespace convolve_cuda;

constexpr int max_threads = 512, max_warps = max_threads / 32;
/// Samples of a row of a box of several channels from which on products of factors take longer.
/// (H100, 2026-11-28, 4096² of u16: 3 channels of 31 4.7 and 3.8 copies, of 63 5.5 and 7.6; 4
/// channels of 31 4.5 and 4.1.)
constexpr int box_span = 180;

/// Samples at the places of a map, −1 where there is none. Out of line: few lanes meet the sides.
template <class T, int Samples>
__device__ __noinline__ Run<T, Samples> gather(const T* row, const int32_t* map, T outside) {
  constexpr int per_word = 4 / int(sizeof(T)), bits = 8 * int(sizeof(T));
  Run<T, Samples> run;
  run.fill(0);
#pragma unroll
  for (int i = 0; i < Samples; ++i) {
    const int32_t at = map[i];
    run.word[i / per_word] |= uint32_t(at < 0 ? outside : row[at]) << (bits * (i % per_word));
  }
  return run;
}

/// Where row y outside a picture is; −1 where it has none. Out of line, too.
__device__ __noinline__ int32_t outside_row(BorderMode mode, int32_t y, int32_t height) {
  return near_index(mode, y, height);
}

/// Where the samples of a lane are in a row of the picture, and loads of them.
template <class T, class Out, int Samples>
struct Columns {
  const RunningRequest<T, Out>& q;
  const int32_t* map;  // of the lane's samples: places in a row, −1 where there is none
  const char* first;   // the lane's first sample in the first row; null where a side is near

  /// `begin`: the block's first sample; `maps`: of all of its samples from there on.
  __device__ __forceinline__ Columns(const RunningRequest<T, Out>& request, int64_t begin,
                                     const int32_t* maps)
      : q(request), map(maps + int(threadIdx.x) * Samples) {
    const int64_t x = begin + int(threadIdx.x) * Samples;
    const bool inside = x >= 4 && x <= int64_t(q.src.width) - Samples - 4;
    first = cuda::opaque(inside ? reinterpret_cast<const char*>(q.src.data + x) : nullptr);
  }
  /// The samples of row y at any distance outside.
  __device__ __forceinline__ Run<T, Samples> load(int32_t y) const {
    Run<T, Samples> run;
    if (uint32_t(y) >= uint32_t(q.src.height)) y = outside_row(q.mode, y, q.src.height);
    if (y < 0)
      run.fill(q.outside);
    else if (!first)
      run = gather<T, Samples>(q.src.row(y), map, q.outside);
    else
      load_inside(reinterpret_cast<const T*>(first + y * q.src.stride_bytes), run);
    return run;
  }

 private:
  __device__ __forceinline__ void load_inside(const T* from, Run<T, Samples>& run) const {
    q.aligned ? run.load_aligned(from) : run.load_any(from);
  }
};

/// Results that `ignore` leaves out.
template <class T, class Out, int Samples>
__device__ __forceinline__ void clear_void(const RunningRequest<T, Out>& q, int32_t x, int32_t y,
                                           Out (&out)[Samples]) {
#pragma unroll
  for (int i = 0; i < Samples; ++i)
    if (q.is_void_row(y) || q.is_void_sample(x + i)) out[i] = Out(0);
}

/// The places of a block's samples, where some are at the sides or outside.
template <class T, class Out>
__device__ void fill_maps(const RunningRequest<T, Out>& q, int32_t first, int count,
                          int32_t* maps) {
  if (first >= 4 && int64_t(first) + count <= q.src.width - 4) return;
  for (int i = int(threadIdx.x); i < count; i += int(blockDim.x))
    // Past what any result needs: there the rows' width may end.
    maps[i] = q.place(int32_t(min(int64_t(first) + i, int64_t(q.src.width) + 256 * q.channels)));
  __syncthreads();
}

/// Adds the totals of the warps before this one.
template <int Channels>
__device__ __forceinline__ void add_warps_before(const uint32_t (&totals)[Channels][max_warps],
                                                 int warp, uint32_t (&sum)[Channels]) {
#pragma unroll 1
  for (int w = 0; w < warp; ++w) {
#pragma unroll
    for (int c = 0; c < Channels; ++c) sum[c] += totals[c][w];
  }
}

/// A lane's results of row y, from the sums before its samples in `row`.
template <Becoming B, class T, class Out, int Samples>
__device__ __forceinline__ void store_row(const RunningRequest<T, Out>& q,
                                          const SumsAt<Samples / 4>& from_sums,
                                          const SumsAt<Samples / 4>& to_sums, const uint4* row,
                                          const Columns<T, Out, Samples>& anchors, int32_t x,
                                          int32_t y, bool active) {
  Out out[Samples] = {};
  if (active) {
    uint32_t from[Samples], to[Samples];
    from_sums.read(row, from);
    to_sums.read(row, to);
    Run<T, Samples> centre;
    if (B != Becoming::quotient && q.extra != 0)
      centre = anchors.load(y);
    else
      centre.fill(0);
#pragma unroll
    for (int i = 0; i < Samples; ++i) out[i] = result_of<B>(q, to[i] - from[i], centre.sample(i));
    if (q.clears()) clear_void(q, x, y, out);
  }
  store_results(out, q.dst.row(y) + x, active ? q.dst.width - x : 0, q.aligned);
}

template <class T, class Out, int Channels, Becoming B>
__global__ void __launch_bounds__(max_threads)
    running_sums(const __grid_constant__ RunningRequest<T, Out> q) {
  using Shape = RunningShape<Channels>;
  constexpr int samples = Shape::samples, quads = Shape::quads;
  CUESTA_DYNAMIC_SHARED(__align__(16) uint4, memory);
  __shared__ uint32_t totals[2][Channels][max_warps];
  const int threads = int(blockDim.x), warp = int(threadIdx.x) / 32;
  const int64_t strip = int64_t(cuda::block_row()) * q.rows;
  if (strip >= q.src.height) return;
  const auto top = int32_t(strip);
  const int32_t end = min(top + q.rows, q.src.height);
  const int32_t left = int32_t(blockIdx.x) * q.results, across = q.width * Channels;
  const int row_quads = QuadRow<quads>::bytes(threads) / 16;
  auto* const maps = reinterpret_cast<int32_t*>(memory + 2 * row_quads);
  const int32_t to_anchor = q.anchor_x * Channels + q.before;
  fill_maps(q, left - to_anchor, threads * samples, maps);
  const Columns<T, Out, samples> columns(q, left - to_anchor, maps),
      anchors(q, left, maps + to_anchor);
  const int64_t wide = int64_t(left) + int(threadIdx.x) * samples;
  const bool active = int(threadIdx.x) * samples < q.results && wide < q.src.width;
  const int32_t x = active ? int32_t(wide) : q.src.width;

  ColumnSums<T, samples> sums;
  const int32_t above = top - q.anchor_y - 1;
#pragma unroll 2
  for (int j = 0; j < q.height; ++j) sums.add(columns.load(above + j));
  Run<T, samples> comes = columns.load(above + q.height), goes = columns.load(above);
  const QuadRow<quads> pieces{threads};
  const SumsAt<quads> from_sums(pieces, q.before), to_sums(pieces, q.before + across);
  // Rows take turns with two places in shared memory, so that two barriers a row are enough.
#pragma unroll 1
  for (int32_t y = top; y < end; ++y) {
    const int turn = y & 1;
    uint32_t before[samples], total[Channels];
    sums.step(comes, goes);
    if (y + 1 < end) {
      comes = columns.load(y + 1 - q.anchor_y + q.height - 1);
      goes = columns.load(y - q.anchor_y);
    }
    sum_before<Channels>(sums, before, total);
    if (threadIdx.x % 32 == 0) {
#pragma unroll
      for (int c = 0; c < Channels; ++c) totals[turn][c][warp] = total[c];
    }
    __syncthreads();
    uint32_t others[Channels] = {};
    add_warps_before(totals[turn], warp, others);
    uint4* const row = memory + turn * row_quads;
#pragma unroll
    for (int n = 0; n < quads; ++n)
      row[pieces.place(n)] = make_uint4(before[4 * n] + others[4 * n % Channels],
                                        before[4 * n + 1] + others[(4 * n + 1) % Channels],
                                        before[4 * n + 2] + others[(4 * n + 2) % Channels],
                                        before[4 * n + 3] + others[(4 * n + 3) % Channels]);
    __syncthreads();
    store_row<B>(q, from_sums, to_sums, row, anchors, x, y, active);
  }
}

/// Samples of a block of as many threads, and how many results those make.
template <int Channels, class T>
int32_t results_of(int threads, const ConvolveArgs& args, int32_t before) {
  using Shape = RunningShape<Channels>;
  constexpr int32_t whole = Channels == 3 ? 48 : 16;  // lanes', and 16 bytes
  const int32_t room = threads * Shape::samples - args.width * Channels - before;
  return room / whole * whole;
}

/// Threads of a block: those whose strips cover a row with the fewest, and of equal numbers the
/// smaller blocks.
template <int Channels, class T>
int threads_of(const ConvolveArgs& args, int32_t before, int32_t width) {
  int best = max_threads;
  int64_t least = INT64_MAX;
  for (int threads = 64; threads <= max_threads; threads += 32) {
    const int32_t results = results_of<Channels, T>(threads, args, before);
    if (results <= 0) continue;
    const int64_t all = int64_t(cuda::blocks(width, results)) * threads;
    if (all < least) least = all, best = threads;
  }
  return best;
}

/// Rows of a block: as few rounds of blocks as possible, since each begins with rows of the window
/// that are added only, at about a sixth of the cost.
int32_t rows_of(int32_t height, int64_t strips, int64_t slots, int32_t window) {
  int32_t best = height;
  double least = 1e30;
  for (int rounds = 1; rounds <= 8; ++rounds) {
    const int64_t down = std::clamp<int64_t>(rounds * slots / strips, 1, (height + 3) / 4);
    const auto rows = int32_t((height + down - 1) / down + 3) / 4 * 4;
    const int64_t blocks = strips * ((height + rows - 1) / rows);
    const double time = double((blocks + slots - 1) / slots) * (rows + window / 6.0 + 4);
    if (time < least) least = time, best = rows;
  }
  return best;
}

Becoming becoming_of(const ConvolveArgs& args, const RunningTaps& taps) {
  if (taps.is_box() && args.divisor >= 2 && args.divisor <= 1 << 24) return Becoming::quotient;
  const int64_t shift = std::min<int64_t>(std::abs(int64_t(args.offset)), 1 << 30);
  return args.divisor == 1 && taps.largest(args) + shift <= INT32_MAX ? Becoming::whole
                                                                      : Becoming::any;
}

/// Bytes of shared memory of a block: sums of a few rows, and places of samples.
template <int Channels>
size_t shared_bytes(int threads) {
  using Shape = RunningShape<Channels>;
  return 2 * size_t(QuadRow<Shape::quads>::bytes(threads)) +
         size_t(threads) * Shape::samples * sizeof(int32_t);
}

template <class T, class Out, int Channels, Becoming B>
void run(const ConvolveArgs& args, const RunningTaps& taps, Call& call) {
  RunningRequest<T, Out> q(args);
  q.every = taps.every, q.extra = taps.extra;
  if constexpr (B == Becoming::quotient)
    q.divide = {args.divisor, 0, args.rounding == Rounding::half_up};
  const auto is_even = [](const auto& view) {
    return reinterpret_cast<uintptr_t>(view.data) % 16 == 0 && view.stride_bytes % 16 == 0;
  };
  q.aligned = is_even(q.src) && is_even(q.dst);
  // Blocks begin at multiples of 16 samples.
  q.before = (16 - args.anchor_x * Channels % 16) % 16;
  const int threads = threads_of<Channels, T>(args, q.before, q.src.width);
  q.results = results_of<Channels, T>(threads, args, q.before);
  const unsigned strips = cuda::blocks(q.src.width, q.results);
  const int64_t slots = int64_t(cuda::multiprocessors()) * std::max(1024 / threads, 1);
  q.rows = rows_of(q.src.height, strips, slots, args.height);
  const size_t shared = shared_bytes<Channels>(threads);
  const auto kernel = running_sums<T, Out, Channels, B>;
  cuda::allow_shared(kernel, shared, "convolve");
  cuda::launch("convolve", kernel, cuda::grid_of(strips, cuda::blocks(q.src.height, q.rows)),
               dim3(unsigned(threads)), shared, cuda::stream_of(call), q);
}

template <class T, class Out, Becoming B>
void run_channels(const ConvolveArgs& args, const RunningTaps& taps, Call& call) {
  switch (args.src.channels) {
    case 1: return run<T, Out, 1, B>(args, taps, call);
    case 2: return run<T, Out, 2, B>(args, taps, call);
    case 3: return run<T, Out, 3, B>(args, taps, call);
    default: return run<T, Out, 4, B>(args, taps, call);
  }
}

template <class T>
void run_output(const ConvolveArgs& args, Call& call) {
  RunningTaps taps;
  running_taps(args, taps);
  if (args.dst.type == PixelType::s16)
    return run_channels<T, int16_t, Becoming::any>(args, taps, call);
  if (args.dst.type == PixelType::f32)
    return run_channels<T, float, Becoming::any>(args, taps, call);
  switch (becoming_of(args, taps)) {
    case Becoming::quotient: return run_channels<T, T, Becoming::quotient>(args, taps, call);
    case Becoming::whole: return run_channels<T, T, Becoming::whole>(args, taps, call);
    default: return run_channels<T, T, Becoming::any>(args, taps, call);
  }
}

}  // namespace

std::string_view convolve_cuda::running_takes(const ConvolveArgs& args,
                                              const Parameters& parameters) {
  if (args.src.type == PixelType::f32) return "f32 pictures";
  RunningTaps taps;
  if (const auto why = running_taps(args, taps); !why.empty()) return why;
  if (taps.is_box() && (args.src.channels == 1 || args.width * args.src.channels < box_span) &&
      mma_long_takes(args, parameters).empty())
    return "boxes that products of factors compute faster";
  if (const auto why = flat_rows_take(args); !why.empty()) return why;
  if (cuda::compute_capability() == 0) return {};
  return shared_bytes<4>(max_threads) > cuda::shared_limit()
             ? "GPUs with less than 100 KiB of shared memory for a block"
             : std::string_view();
}

void convolve_cuda::running(const ConvolveArgs& args, Call& call) {
  args.src.type == PixelType::u8 ? run_output<uint8_t>(args, call)
                                 : run_output<uint16_t>(args, call);
}

}  // namespace cuesta
