// Steps by elements of any shape, of `fused`: the element goes over as runs of cells, a kernel's
// argument. A block keeps its tile with an apron in shared memory, for a band of the element's rows
// at a time, so that no element is too high. Bits: the rows of a run's width are made once for all
// rows of the element that have this run, two words and log2(width) doublings each; a result is
// joined of one word a row of the element. Samples: rows of blocks of 1, 2, 4 ... samples are made
// by doubling; a result is joined of two blocks a run, four samples a word, u8 as pairs in
// the high bytes of 16 bits. Bound by reads of shared memory, a word or two a run and result.
#include <algorithm>
#include <tuple>

#include "cuda/instructions.cuh"
#include "cuda/shifted_words.cuh"
#include "ops/morphology/element_runs.hpp"
#include "ops/morphology/step.cuh"

namespace cuesta {
namespace {

using namespace morphology_cuda;
using morph::Run;

/// In the order that a kernel takes them: for bits runs of equal cells together, for samples those
/// of equal level, which begin at level_begin.
struct RunList {
  int32_t count;
  int16_t level_begin[morph::ElementRuns::max_levels + 1];
  Run runs[max_runs];
};
static_assert(sizeof(RunList) <= 3700, "a kernel's arguments end at 4 KiB");

constexpr int warps = 8, lane_words = 32;

// -- Bits -----------------------------------------------------------------------------------------

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

__global__ void __launch_bounds__(warps * 32) bits_by_runs(const __grid_constant__ BitsByRuns q) {
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

// -- Samples --------------------------------------------------------------------------------------

constexpr int sample_rows = 32, sample_band = 16;

struct SamplesByRuns {
  ConstAnyView src;
  AnyView dst;
  Rule rule;
  RunList list;
};

/// Samples in front of a window's that make a tile begin with a whole word.
template <class T>
CUESTA_HOST_DEVICE constexpr int samples_before(const Rule& rule) {
  constexpr int in_word = 4 / int(sizeof(T));
  return (in_word - rule.anchor_x % in_word) % in_word;
}
/// Words of a row of a tile: its own, the window's and one that a shift reads.
template <class T>
constexpr int sample_stride(const Rule& rule) {
  return lane_words + ((rule.width + samples_before<T>(rule)) * int(sizeof(T)) + 3) / 4 + 1;
}

/// Where row y outside a picture is; −1 where it has none. Out of line, as what follows.
__device__ __noinline__ int32_t row_outside(BorderMode mode, int32_t y, int32_t height) {
  return map_index(mode, y, height);
}

/// A word of samples from x on, where a row may end; `row` is null where there is none. Out of
/// line: few lanes meet the sides.
template <class T>
__device__ __noinline__ uint32_t word_at_sides(const T* row, int64_t x, int32_t width,
                                               int32_t beyond, Outside<T> outside) {
  uint32_t word = 0;
  for (int k = 0; k < 4 / int(sizeof(T)); ++k) {
    // What is further than the window is read by nobody.
    const auto at = int32_t(min(x + k, int64_t(width) + beyond));
    const int32_t sx = map_index(outside.mode, at, width);
    word |= uint32_t(row && sx >= 0 ? row[sx] : outside.value) << (8 * int(sizeof(T)) * k);
  }
  return word;
}

/// A thread of a block that takes tiles below one another: rows are a warp's, words of a row its
/// lanes'. Every phase is called by the whole block.
template <class T>
struct SampleThread {
  static constexpr int in_word = 4 / int(sizeof(T)), bits = 8 * int(sizeof(T)),
                       own = sample_rows / warps;
  static constexpr int halves = sizeof(T) == 1 ? 2 : 1;  // registers of pairs for a word
  const SamplesByRuns& q;
  const ImageView<const T, Space::device>& src;
  const ImageView<T, Space::device>& dst;
  uint32_t *tile, *other;
  int stride, lane, warp;
  uint32_t flip;
  int64_t x0;  // of the block
  const Outside<T>& outside;
  bool reads_words, writes_words;  // rows of the pictures begin at whole words

  /// The word from x on of a row inside the picture, with all its samples and a word more to
  /// either side.
  __device__ __forceinline__ uint32_t word_inside(const T* row, int32_t x) const {
    const auto address = reinterpret_cast<uintptr_t>(row + x);
    const auto* at = reinterpret_cast<const uint32_t*>(address & ~uintptr_t(3));
    return reads_words ? __ldg(at)
                       : __funnelshift_r(__ldg(at), __ldg(at + 1), uint32_t(address & 3) * 8);
  }
  /// body(r, i) for the words i of the first `tile_rows` rows: a warp has those under its results,
  /// and all threads share the few beside them.
  template <class Body>
  __device__ __forceinline__ void each_word(int tile_rows, Body&& body) const {
    for (int r = warp; r < tile_rows; r += warps) body(r, lane);
    const int beside = stride - lane_words;
    for (int n = int(threadIdx.x); n < tile_rows * beside; n += warps * 32) {
      const int r = n / beside;
      body(r, lane_words + n - r * beside);
    }
  }
  /// Rows of the tile that the window's rows [band, band + sample_band) need, `tile_rows` of them.
  __device__ __forceinline__ void load(int64_t top, int band, int tile_rows) const {
    each_word(tile_rows, [&](int r, int i) {
      auto y = int32_t(top) + r + band - q.rule.anchor_y;
      if (uint32_t(y) >= uint32_t(src.height)) y = row_outside(outside.mode, y, src.height);
      const T* const row = y < 0 ? nullptr : src.row(y);
      const int64_t x = x0 - q.rule.anchor_x - samples_before<T>(q.rule) + i * in_word;
      const bool inside = row && x >= in_word && x + 2 * in_word <= src.width;
      tile[r * stride + i] = (inside ? word_inside(row, int32_t(x))
                                     : word_at_sides(row, x, src.width, q.rule.width, outside)) ^
                             flip;
    });
  }
  /// Rows of blocks of 2^level from those of half, in the other place.
  __device__ __forceinline__ void double_blocks(int level, int tile_rows) {
    const int by = (1 << (level - 1)) * int(sizeof(T)), words = by / 4, shift = by % 4 * 8,
              last = stride - 1;
    __syncthreads();
    each_word(tile_rows, [&](int r, int i) {
      const uint32_t* const row = tile + r * stride;
      const uint32_t moved =
          __funnelshift_r(row[min(i + words, last)], row[min(i + words + 1, last)], shift);
      other[r * stride + i] = sizeof(T) == 1 ? __vmaxu4(row[i], moved) : __vmaxu2(row[i], moved);
    });
    uint32_t* const made = other;
    other = tile, tile = made;
    __syncthreads();
  }
  /// The largest of a run in `row` of the band, by blocks of 2^level that begin and end it.
  __device__ __forceinline__ void take_run(const Run& run, int row, int level,
                                           uint32_t (&best)[own][halves]) const {
    for (int begin = run.begin;; begin = run.end - (1 << level)) {
      const int at = (begin + samples_before<T>(q.rule)) * int(sizeof(T)), shift = at % 4 * 8;
      const uint32_t* from = tile + (warp * own + row) * stride + lane + at / 4;
#pragma unroll
      for (int k = 0; k < own; ++k) {
        const uint32_t v = __funnelshift_r(from[k * stride], from[k * stride + 1], shift);
        best[k][0] = __vmaxu2(best[k][0], v);
        if constexpr (halves == 2) best[k][1] = __vmaxu2(best[k][1], v << 8);
      }
      if (begin + (1 << level) == run.end) break;
    }
  }
  /// The largest of all runs in `rows` rows of the window from `band` on.
  __device__ __forceinline__ void take_band(int band, int rows, int tile_rows,
                                            uint32_t (&best)[own][halves]) {
    for (int level = 0; level < morph::ElementRuns::max_levels; ++level) {
      if (q.list.level_begin[level] == q.list.count) break;
      if (level > 0) double_blocks(level, tile_rows);
      for (int n = q.list.level_begin[level]; n < q.list.level_begin[level + 1]; ++n) {
        const Run run = q.list.runs[n];
        const int row = run.row - band;
        if (unsigned(row) >= unsigned(rows)) continue;
        take_run(run, row, level, best);
      }
    }
  }
  /// The lane's words of the warp's rows to the picture.
  __device__ __forceinline__ void store(int64_t top, const uint32_t (&best)[own][halves]) const {
    const int64_t x = x0 + lane * in_word;
#pragma unroll
    for (int k = 0; k < own; ++k) {
      const int64_t y = top + warp * own + k;
      if (y >= src.height) break;
      uint32_t word[1] = {
          (halves == 2 ? __byte_perm(best[k][0], best[k][halves - 1], 0x3715) : best[k][0]) ^ flip};
      const int32_t room = int32_t(max(min(int64_t(src.width) - x, int64_t(in_word)), int64_t(0)));
      if (q.rule.ignores()) {
        if (q.rule.leaves_rows(int32_t(y), src.height)) word[0] = 0;
        for (int i = 0; i < room; ++i)
          if (q.rule.leaves_columns(int32_t(x) + i, src.width))
            word[0] &= ~(uint32_t(T(~T(0))) << (i * bits));
      }
      cuda::store_neighbours(dst.row(int32_t(y)) + x, word, room, writes_words);
    }
  }
};

template <class T>
__global__ void __launch_bounds__(warps * 32)
    samples_by_runs(const __grid_constant__ SamplesByRuns q, int stride) {
  using Thread = SampleThread<T>;
  CUESTA_DYNAMIC_SHARED(uint32_t, tile);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t flip = q.rule.dilate ? 0 : ~0u;
  const auto src = q.src.as<T, Space::device>();
  const auto dst = q.dst.as<T, Space::device>();
  const auto x0 = int64_t(blockIdx.x) * lane_words * Thread::in_word;
  const Outside<T> outside = outside_of<T>(q.rule);
  const auto is_even = [](const auto& view) {
    return (reinterpret_cast<uintptr_t>(view.data) | uintptr_t(view.stride_bytes)) % 4 == 0;
  };
  uint32_t* const other = tile + (sample_rows + sample_band - 1) * stride;
  Thread thread{q,    src,  dst, tile,    other,        stride,      lane,
                warp, flip, x0,  outside, is_even(src), is_even(dst)};
  for (int64_t top = int64_t(blockIdx.y) * sample_rows; top < src.height;
       top += int64_t(gridDim.y) * sample_rows) {
    uint32_t best[Thread::own][Thread::halves] = {};
    for (int band = 0; band < q.rule.height; band += sample_band) {
      const int rows = min(sample_band, q.rule.height - band), tile_rows = sample_rows + rows - 1;
      __syncthreads();
      thread.load(top, band, tile_rows);
      __syncthreads();
      thread.take_band(band, rows, tile_rows, best);
    }
    thread.store(top, best);
  }
}

// -------------------------------------------------------------------------------------------------

/// The element's runs, runs of equal cells or equal level together.
RunList list_of(const ElementView& element, bool by_cells) {
  RunList list{};
  morph::for_each_run(element, [&](const Run& run) { list.runs[list.count++] = run; });
  std::sort(list.runs, list.runs + list.count, [&](const Run& a, const Run& b) {
    return by_cells ? std::tuple(a.begin, a.end, a.row) < std::tuple(b.begin, b.end, b.row)
                    : std::tuple(a.level(), a.row, a.begin) < std::tuple(b.level(), b.row, b.begin);
  });
  for (int level = 0; level <= morph::ElementRuns::max_levels; ++level)
    list.level_begin[level] = int16_t(std::count_if(
        list.runs, list.runs + list.count, [&](const Run& r) { return r.level() < level; }));
  return list;
}

template <class T>
void samples(ConstAnyView src, AnyView dst, const Rule& rule, const RunList& list, Call& call) {
  const int stride = sample_stride<T>(rule);
  const size_t shared = 2 * size_t(sample_rows + sample_band - 1) * size_t(stride) * 4;
  cuda::allow_shared(samples_by_runs<T>, shared, "morphology");
  const dim3 grid(cuda::blocks(src.width, lane_words * 4 / int(sizeof(T))),
                  std::min(cuda::blocks(src.height, sample_rows), cuda::max_grid_y));
  cuda::launch("morphology", samples_by_runs<T>, grid, dim3(warps * 32), shared,
               cuda::stream_of(call), SamplesByRuns{src, dst, rule, list}, stride);
}

}  // namespace

int morphology_cuda::count_runs(const StructuringElement& element) {
  int count = 0;
  morph::for_each_run(ElementView(element), [&](const Run&) { ++count; });
  return count;
}

void morphology_cuda::step_by_runs(ConstAnyView src, AnyView dst, const ElementView& element,
                                   const Rule& rule, Call& call) {
  const RunList list = list_of(element, src.type == PixelType::bit);
  if (src.type == PixelType::u8) return samples<uint8_t>(src, dst, rule, list, call);
  if (src.type == PixelType::u16) return samples<uint16_t>(src, dst, rule, list, call);
  const size_t shared = size_t(bit_rows + bit_band - 1) * size_t(bit_stride(rule) + lane_words) * 4;
  const dim3 grid(cuda::blocks(half_words(src.width), lane_words),
                  std::min(cuda::blocks(src.height, bit_rows), cuda::max_grid_y));
  cuda::launch("morphology", bits_by_runs, grid, dim3(warps * 32), shared, cuda::stream_of(call),
               BitsByRuns{src, dst, rule, list});
}

}  // namespace cuesta
