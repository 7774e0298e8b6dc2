// Closing and opening of masks of bits, all four steps in one launch, for elements of up to 15 rows
// that are symmetric and have one run of cells a row. A block has a tile of words of 32 pixels with
// as much about it as the steps reach together, in shared memory. In each step a thread makes of a
// word the rows of all half-widths that the element has, each from the one before by two shifts,
// and then joins one word a row of the element. Erosions are dilations of the complement. Between
// steps what is outside the picture is set to what never wins in the next.
// Bound: shared memory, 15 reads and up to 8 writes a word and step; one mask by its eight
// barriers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/instructions.cuh"
#include "cuda/overlap.cuh"
#include "ops/motion/cuda/jobs.cuh"
#include "ops/motion/half_widths.hpp"

namespace cuesta::motion_cuda {

/// The masks of a camera in one call.
struct MaskJob {
  const uint32_t* bits;  // rows of whole words of 64 pixels
  int64_t bits_step;     // words of 32 from mask to mask
  uint32_t* out;
  int64_t out_step;
  uint8_t* runs;  // of each row `across` bytes: runs that begin there in a tile, or only_goes_on
  int64_t
      runs_step;  // from mask to mask, a multiple of 4 for which bytes past the last are cleared
  int32_t width, height;
  int32_t out_words;                  // of a row there; those past the width are cleared
  int32_t out_rows;                   // as are rows past the height
  int32_t first_block, across, down;  // blocks of the jobs before; tiles side by side, and down
  int32_t count;
  HalfWidths close, open;
};

/// In place of 0 where a tile's row has pixels of runs that begin before it.
inline constexpr uint8_t only_goes_on = 255;

struct MaskSlots {
  int32_t slots;  // half-widths of an element, at most
};
template <int Most = max_jobs>
using MaskJobs = Jobs<MaskJob, MaskSlots, Most>;
static_assert(sizeof(MaskJobs<>) <= 4000);

template <int Words, int Rows, int Threads>
struct CleanTile {
  static constexpr int threads = Threads;
  static constexpr int steps = 4, reach = steps * max_half;  // 28 rows, and bits of one word
  static constexpr int high = Rows + 2 * reach, out_words = Words - 2, rows = Rows;
  static_assert(out_words * 16 < only_goes_on, "runs of a tile's row are counted in bytes");
  static constexpr size_t shared_bytes(int slots) {
    return size_t(1 + slots) * high * Words * sizeof(uint32_t);
  }
};

/// One dilation in place of rows [begin, end) of the tile, which reads max_half rows more. Of row
/// r finish(result, r) is kept.
template <class Tile, int Words, class Finish>
__device__ __forceinline__ void dilate_tile(const HalfWidths& element, uint32_t* raw,
                                            uint32_t* made, int begin, int end, Finish&& finish) {
  const int word = int(threadIdx.x) % Words;
  constexpr int plane = Tile::high * Words, rows_at_once = Tile::threads / Words;
  uint32_t wanted = 0;  // half-widths
#pragma unroll
  for (int i = 0; i <= max_half; ++i)
    if (element.of[i] >= 0) wanted |= 1u << element.of[i];
  for (int r = begin - max_half + int(threadIdx.x) / Words; r < end + max_half; r += rows_at_once) {
    const uint32_t* at = raw + r * Words + word;
    const uint32_t v = at[0], left = word > 0 ? at[-1] : 0, right = word + 1 < Words ? at[1] : 0;
    uint32_t* to = made + r * Words + word;
    uint32_t all = v;
    if (wanted & 1) *to = all, to += plane;
#pragma unroll
    for (int half = 1; half <= max_half; ++half) {
      all |= __funnelshift_l(left, v, half) | __funnelshift_r(v, right, half);
      if (wanted >> half & 1) *to = all, to += plane;
    }
  }
  int offset[max_half + 1];
#pragma unroll
  for (int i = 0; i <= max_half; ++i)
    offset[i] = __popc(wanted & ((1u << max(int(element.of[i]), 0)) - 1)) * plane;
  __syncthreads();
  for (int r = begin + int(threadIdx.x) / Words; r < end; r += rows_at_once) {
    const uint32_t* at = made + r * Words + word;
    uint32_t all = element.of[0] >= 0 ? at[offset[0]] : 0;
#pragma unroll
    for (int i = 1; i <= max_half; ++i)
      if (element.of[i] >= 0) all |= at[offset[i] + i * Words] | at[offset[i] - i * Words];
    raw[r * Words + word] = finish(all, r);
  }
}

template <int Words, int Rows, int Threads, int Most>
__global__ void __launch_bounds__(Threads) clean_bits(const __grid_constant__ MaskJobs<Most> q) {
  using Tile = CleanTile<Words, Rows, Threads>;
  CUESTA_DYNAMIC_SHARED(uint32_t, shared);
  uint32_t *raw = shared, *made = shared + Tile::high * Words;
  const MaskJob& job = q.jobs[job_of(q, int32_t(blockIdx.x))];
  int32_t block = int32_t(blockIdx.x) - job.first_block;
  const int32_t tiles = job.across * job.down, t = block / tiles;
  block -= t * tiles;
  const int32_t first_word = block % job.across * Tile::out_words - 1;
  const int32_t first_row = block / job.across * Rows - Tile::reach;
  const uint32_t* from = job.bits + job.bits_step * t;
  const int32_t bit_words = (job.width + 63) / 64 * 2;

  constexpr int rows_at_once = Tile::threads / Words;
  const int word = int(threadIdx.x) % Words, own = int(threadIdx.x) / Words;
  const int32_t column = first_word + word;
  const int64_t left = int64_t(job.width) - int64_t(column) * 32;
  const uint32_t inside_row = column < 0 || left <= 0 ? 0 : left < 32 ? (1u << left) - 1 : ~0u;
  const auto inside = [&](int r) {
    return uint32_t(first_row + r) < uint32_t(job.height) ? inside_row : 0;
  };
  cuda::let_next_begin();
  cuda::wait_for_before();
  for (int r = own; r < Tile::high; r += rows_at_once) {
    const uint32_t mask = inside(r);
    raw[r * Words + word] =
        mask ? __ldg(from + int64_t(first_row + r) * bit_words + column) & mask : 0;
  }
  __syncthreads();
#pragma unroll
  for (int step = 0; step < Tile::steps; ++step) {
    const int begin = max_half * (step + 1);
    // An erosion takes and gives the complement, with nothing set outside.
    const uint32_t flip = step % 2 == 0 ? ~0u : 0;
    dilate_tile<Tile, Words>(step < 2 ? job.close : job.open, raw, made, begin, Tile::high - begin,
                             [&](uint32_t v, int r) { return (v ^ flip) & inside(r); });
    __syncthreads();
  }
  static_assert(Rows % rows_at_once == 0 && 32 % Words == 0, "whole warps come here together");
  const int32_t tile_x = block % job.across;
  uint8_t* const runs = job.runs + job.runs_step * t;
#pragma unroll
  for (int r = Tile::reach + own; r < Tile::reach + Rows; r += rows_at_once) {
    const int32_t y = first_row + r;
    const bool wanted =
        y < job.out_rows && column < job.out_words && word > 0 && word <= Tile::out_words;
    const uint32_t v = wanted ? raw[r * Words + word] : 0;
    if (wanted) job.out[job.out_step * t + int64_t(y) * job.out_words + column] = v;
    // A bit of the word before is wrong only within `reach` of the tile's edge, a word away.
    const uint32_t before = wanted ? raw[r * Words + word - 1] >> 31 : 0;
    int begin = __popc(v & ~(v << 1 | before)) | int(v != 0) << 16;
#pragma unroll
    for (int step = Words / 2; step > 0; step /= 2) begin += __shfl_xor_sync(~0u, begin, step);
    if (word != 0 || y >= job.height) continue;
    const int64_t at = int64_t(y) * job.across + tile_x;
    runs[at] = uint8_t(begin > 0xFFFF && (begin & 0xFFFF) == 0 ? only_goes_on : begin & 0xFFFF);
    if (at + 1 == int64_t(job.height) * job.across)
      for (int64_t past = at + 1; past < job.runs_step; ++past) runs[past] = 0;
  }
}

}  // namespace cuesta::motion_cuda
