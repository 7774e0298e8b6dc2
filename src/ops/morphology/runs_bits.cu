// Steps of bits by elements of any shape, of `fused`: the element goes over as runs of cells, a
// kernel's argument. A block keeps its tile with an apron in shared memory, for a band of the
// element's rows at a time, so that no element is too high. The rows of a run's width are made once
// for all rows of the element that have this run, two words and log2(width) doublings each; a
// result is joined of one word a row of the element.
#include <algorithm>
#include <tuple>

#include "cuda/instructions.cuh"
#include "ops/morphology/element_runs.hpp"
#include "ops/morphology/step.cuh"

namespace cuesta {
namespace {

using namespace morphology_cuda;
using morph::Run;

/// Runs of equal cells together.
struct RunList {
  int32_t count;
  Run runs[max_runs];
};
static_assert(sizeof(RunList) <= 3700, "a kernel's arguments end at 4 KiB");

constexpr int warps = 8, lane_words = 32;

constexpr int bit_rows = 64, bit_band = 32;  // of a tile; of the element at a time

struct BitsByRuns {
  ConstAnyView src;
  AnyView dst;
  Rule rule;
  RunList list;
};

/// Words of 32 pixels left and right of a tile's own that windows reach, and one that a shift
/// reads.
CUESTA_HOST_DEVICE constexpr int words_left(const Rule& rule) { return (rule.anchor_x + 31) / 32; }
CUESTA_HOST_DEVICE constexpr int words_right(const Rule& rule) {
  return (rule.width - 1 - rule.anchor_x) / 32 + 2;
}
CUESTA_HOST_DEVICE constexpr int bit_stride(const Rule& rule) {
  return lane_words + words_left(rule) + words_right(rule);
}

/// Pixels 32 w … 32 w + 31 of row y, at any distance outside the picture, complemented by `flip`:
/// then 0 never wins.
__device__ uint32_t extended_word(const BitsByRuns& q, int32_t w, int32_t y, uint32_t flip) {
  const uint32_t beyond = q.rule.neutral ? 0 : (q.rule.outside ? ~0u : 0) ^ flip;
  int32_t sy = y;
  if (uint32_t(y) >= uint32_t(q.src.height)) {
    sy = q.rule.neutral ? -1 : map_index(q.rule.border, y, q.src.height);
    if (sy < 0) return beyond;
  }
  const uint32_t* row = bit_row(q.src, sy);
  const int64_t first = int64_t(w) * 32;
  const uint32_t inside = bit_range<uint32_t>(-first, q.src.width - first);
  const uint32_t own = inside ? row[w] ^ flip : 0;
  if (inside == ~0u) return own;
  if (q.rule.neutral || map_index(q.rule.border, -1, q.src.width) < 0)
    return (own & inside) | (beyond & ~inside);
  uint32_t all = own & inside;
  for (uint32_t missing = ~inside; missing; missing &= missing - 1) {
    const int i = __ffs(int(missing)) - 1;
    const int32_t sx = map_index(q.rule.border, int32_t(first) + i, q.src.width);
    all |= ((row[sx / 32] ^ flip) >> (sx % 32) & 1) << i;
  }
  return all;
}

/// Pixel i: whether any of the pixels i … i + length − 1, 1 to 32 of them, of two words is set.
__device__ uint32_t any_of(uint32_t low, uint32_t high, int length) {
  int made = 1;
  for (; 2 * made <= length; made *= 2) {
    low |= __funnelshift_r(low, high, made);
    high |= high >> made;
  }
  return low | __funnelshift_r(low, high, length - made);
}

/// Of a row of a tile: whether the run has a set pixel, for the pixels of word i.
__device__ uint32_t run_word(const uint32_t* row, int i, const Rule& rule, Run run) {
  uint32_t found = 0;
  for (int begin = run.begin;; begin += 32) {
    const int length = min(run.end - begin, 32);
    const int at = begin - rule.anchor_x, shift = at & 31;
    const uint32_t* from = row + i + words_left(rule) + (at >> 5);
    const uint32_t middle = from[1];
    // The third word only where a window reaches it.
    const uint32_t last = shift + 30 + length >= 64 ? from[2] : 0;
    found |= any_of(__funnelshift_r(from[0], middle, shift), __funnelshift_r(middle, last, shift),
                    length);
    if (begin + length >= run.end) return found;
  }
}

__global__ void __launch_bounds__(warps * 32) take_bits(const __grid_constant__ BitsByRuns q) {
  constexpr int high = bit_rows + bit_band - 1, own = bit_rows / warps;
  CUESTA_DYNAMIC_SHARED(uint32_t, shared);
  const int stride = bit_stride(q.rule);
  uint32_t *raw = shared, *made = shared + high * stride;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t flip = q.rule.dilate ? 0 : ~0u;
  const int32_t words = half_words(q.src.width);
  const auto first_word = int32_t(blockIdx.x) * lane_words;
  for (int64_t top = int64_t(blockIdx.y) * bit_rows; top < q.src.height;
       top += int64_t(gridDim.y) * bit_rows) {
    uint32_t found[own] = {};
    for (int band = 0; band < q.rule.height; band += bit_band) {
      const int rows = min(bit_band, q.rule.height - band), tile_rows = bit_rows + rows - 1;
      __syncthreads();
      for (int r = warp; r < tile_rows; r += warps)
        for (int i = lane; i < stride; i += 32)
          raw[r * stride + i] = extended_word(q, first_word - words_left(q.rule) + i,
                                              int32_t(top) + r + band - q.rule.anchor_y, flip);
      for (int first = 0; first < q.list.count;) {
        const Run run = q.list.runs[first];
        int last = first;
        bool here = false;
        for (; last < q.list.count && q.list.runs[last].begin == run.begin &&
               q.list.runs[last].end == run.end;
             ++last)
          here |= unsigned(q.list.runs[last].row - band) < unsigned(rows);
        if (here) {
          __syncthreads();
          for (int r = warp; r < tile_rows; r += warps)
            made[r * lane_words + lane] = run_word(raw + r * stride, lane, q.rule, run);
          __syncthreads();
          for (int n = first; n < last; ++n) {
            const int row = q.list.runs[n].row - band;
            if (unsigned(row) >= unsigned(rows)) continue;
#pragma unroll
            for (int k = 0; k < own; ++k)
              found[k] |= made[(warp * own + k + row) * lane_words + lane];
          }
        }
        first = last;
      }
    }
    const int32_t w = first_word + lane;
    if (w >= words) continue;
    const int64_t begin = q.rule.ignores() ? q.rule.anchor_x : 0;
    const int64_t end = q.src.width - (q.rule.ignores() ? q.rule.width - 1 - q.rule.anchor_x : 0);
    const uint32_t keep = bit_range<uint32_t>(begin - int64_t(w) * 32, end - int64_t(w) * 32);
#pragma unroll
    for (int k = 0; k < own; ++k) {
      const int64_t y = top + warp * own + k;
      if (y >= q.src.height) break;
      bit_row(q.dst, int32_t(y))[w] =
          q.rule.leaves_rows(int32_t(y), q.src.height) ? 0 : (found[k] ^ flip) & keep;
    }
  }
}

}  // namespace

void morphology_cuda::bits_by_runs(ConstAnyView src, AnyView dst, const ElementView& element,
                                   const Rule& rule, Call& call) {
  RunList list{};
  morph::for_each_run(element, [&](const Run& run) { list.runs[list.count++] = run; });
  std::sort(list.runs, list.runs + list.count, [](const Run& a, const Run& b) {
    return std::tuple(a.begin, a.end, a.row) < std::tuple(b.begin, b.end, b.row);
  });
  const size_t shared = size_t(bit_rows + bit_band - 1) * size_t(bit_stride(rule) + lane_words) * 4;
  const dim3 grid(cuda::blocks(half_words(src.width), lane_words),
                  std::min(cuda::blocks(src.height, bit_rows), cuda::max_grid_y));
  cuda::launch("morphology", take_bits, grid, dim3(warps * 32), shared, cuda::stream_of(call),
               BitsByRuns{src, dst, rule, list});
}

}  // namespace cuesta
