// Steps of u8 and u16 by elements of any shape, of `fused`: the element goes over as runs of cells,
// a kernel's argument. A block keeps a tile with its apron in shared memory, for a band of the
// element's rows at a time. A word has the samples of columns x, x + 64, x + 128 and x + 192 (u16:
// x and x + 64), so a run that begins at any column is read as whole words. Rows of blocks of 2, 4,
// 8 ... columns are made by doubling, in place; a run is the larger of two blocks. u8 is compared
// as pairs in the high bytes of 16 bits. Bound by reads of shared memory: two words a run and word
// of results.
#include <algorithm>
#include <tuple>

#include "cuda/instructions.cuh"
#include "cuda/limits.hpp"
#include "cuda/shifted_words.cuh"
#include "ops/morphology/element_runs.hpp"
#include "ops/morphology/step.cuh"

namespace cuesta {
namespace {

using namespace morphology_cuda;
using morph::Run;

constexpr int threads = 256, columns = 64, groups = threads / columns;
/// Bytes of shared memory for a tile where a GPU has that much: two blocks reside on an H100.
constexpr size_t tile_budget = 110 << 10;

/// A step as the kernel takes it: runs of one band together, in it those of one level.
struct SamplesByRuns {
  ConstAnyView src;
  AnyView dst;
  Rule rule;
  int32_t band;   // rows of the element at a time
  int32_t count;  // of runs
  Run runs[max_runs];
};
static_assert(sizeof(SamplesByRuns) <= 4000, "a kernel's arguments end at 4 KiB");

/// Columns of a tile in front of its results: the anchor's, in whole words of the picture.
template <class T>
CUESTA_HOST_DEVICE constexpr int columns_before(const Rule& rule) {
  constexpr int in_word = 4 / int(sizeof(T));
  return (rule.anchor_x + in_word - 1) / in_word * in_word;
}
/// Columns of a tile that are not its results.
template <class T>
CUESTA_HOST_DEVICE constexpr int columns_beside(const Rule& rule) {
  return columns_before<T>(rule) + rule.width - 1 - rule.anchor_x;
}

/// The larger of each sample of two words.
template <class T>
__device__ __forceinline__ uint32_t larger(uint32_t a, uint32_t b) {
  if constexpr (sizeof(T) == 2) return __vmaxu2(a, b);
  return __byte_perm(__vmaxu2(a << 8, b << 8), __vmaxu2(a, b), 0x7351);
}

/// A thread of a block that takes tiles below one another. `Beside` columns of a tile are no
/// results, `Own` rows of results are a thread's. Every phase is called by the whole block.
template <class T, int Beside, int Own>
struct TileThread {
  static constexpr int in_word = 4 / int(sizeof(T)), bits = 8 * int(sizeof(T)),
                       stride = columns + Beside, high = groups * Own,
                       halves = sizeof(T) == 1 ? 2 : 1;  // registers of pairs for a word
  const SamplesByRuns& q;
  const ImageView<const T, Space::device>& src;
  const ImageView<T, Space::device>& dst;
  uint32_t* tile;
  uint32_t flip;
  int64_t x0;  // of the block's results
  const Outside<T>& outside;
  bool reads_words, writes_words;  // rows of the pictures begin at whole words

  /// The word from x on of a row inside the picture, with all its samples and a word more to
  /// either side.
  __device__ __forceinline__ uint32_t word_inside(const T* row, int64_t x) const {
    const auto address = reinterpret_cast<uintptr_t>(row + x);
    const auto* at = reinterpret_cast<const uint32_t*>(address & ~uintptr_t(3));
    return reads_words ? __ldg(at)
                       : __funnelshift_r(__ldg(at), __ldg(at + 1), uint32_t(address & 3) * 8);
  }
  /// Words of the picture, each from another quarter (u16: half) of the tile, to words of the tile,
  /// or the other way round.
  __device__ __forceinline__ static void transpose(uint32_t (&w)[in_word]) {
    if constexpr (in_word == 2) {
      const uint32_t low = __byte_perm(w[0], w[1], 0x5410);
      w[1] = __byte_perm(w[0], w[1], 0x7632), w[0] = low;
    } else {
      const uint32_t a = __byte_perm(w[0], w[1], 0x5140), b = __byte_perm(w[0], w[1], 0x7362),
                     c = __byte_perm(w[2], w[3], 0x5140), d = __byte_perm(w[2], w[3], 0x7362);
      w[0] = __byte_perm(a, c, 0x5410), w[1] = __byte_perm(a, c, 0x7632);
      w[2] = __byte_perm(b, d, 0x5410), w[3] = __byte_perm(b, d, 0x7632);
    }
  }
  /// Whether all samples of columns [x0 + from, x0 + to) and rows [top, top + rows) are there, and
  /// a word to either side.
  __device__ __forceinline__ bool is_inside(int from, int to, int64_t top, int rows) const {
    return x0 + from >= in_word && x0 + to + in_word <= src.width && top >= 0 &&
           top + rows <= src.height;
  }
  /// The first `rows` rows of the tile, of the picture's rows from `top` on.
  __device__ __forceinline__ void load_inside(int64_t top, int rows) const {
    constexpr int in_row = stride / in_word;
    const int64_t left = x0 - columns_before<T>(q.rule);
    for (int i = int(threadIdx.x); i < rows * in_row; i += threads) {
      const int r = i / in_row, c = i % in_row * in_word;
      const T* const row = src.row(int32_t(top) + r);
      uint32_t words[in_word];
#pragma unroll
      for (int k = 0; k < in_word; ++k) words[k] = word_inside(row, left + c + k * columns) ^ flip;
      transpose(words);
      put(tile + r * stride + c, words);
    }
  }
  /// Whether the word from x on is in a row, with a word to either side.
  __device__ __forceinline__ bool has_word(int64_t x) const {
    return x >= in_word && x + 2 * in_word <= src.width;
  }
  /// The same where the picture ends: first what has_word(), then sample by sample what is left.
  __device__ __forceinline__ void load_at_sides(int64_t top, int rows) const {
    constexpr int in_row = stride / in_word;
    const int64_t left = x0 - columns_before<T>(q.rule);
    for (int i = int(threadIdx.x); i < rows * in_row; i += threads) {
      const int r = i / in_row, c = i % in_row * in_word;
      const int32_t y = row_at(top + r);
      uint32_t words[in_word] = {};
#pragma unroll
      for (int k = 0; k < in_word; ++k) {
        const int64_t x = left + c + k * columns;
        if (y >= 0 && has_word(x)) words[k] = word_inside(src.row(y), x) ^ flip;
      }
      transpose(words);
      put(tile + r * stride + c, words);
    }
    __syncthreads();
    // What is further than the window is read by nobody.
    const int64_t end = int64_t(src.width) + q.rule.width;
    for (int i = int(threadIdx.x); i < rows * stride; i += threads) {
      const int32_t y = row_at(top + i / stride);
#pragma unroll 1
      for (int k = 0; k < in_word; ++k) {
        const int64_t x = left + i % stride + k * columns, word = x - (i % stride) % in_word;
        if (x >= end || (y >= 0 && has_word(word))) continue;
        const int32_t at = y < 0 ? -1 : map_index(outside.mode, int32_t(x), src.width);
        reinterpret_cast<T*>(tile)[i * in_word + k] =
            T((at < 0 ? outside.value : src.row(y)[at]) ^ T(flip));
      }
    }
  }
  /// The row of the picture for row y, at any distance outside; −1 where it has none.
  __device__ __forceinline__ int32_t row_at(int64_t y) const {
    return uint64_t(y) < uint64_t(src.height) ? int32_t(y)
                                              : map_index(outside.mode, int32_t(y), src.height);
  }
  __device__ __forceinline__ static void put(uint32_t* to, const uint32_t (&w)[in_word]) {
    if constexpr (in_word == 2)
      *reinterpret_cast<uint2*>(to) = make_uint2(w[0], w[1]);
    else
      *reinterpret_cast<uint4*>(to) = make_uint4(w[0], w[1], w[2], w[3]);
  }
  /// Blocks of 2 `apart` columns from those of `apart`; a row is a warp's.
  __device__ __forceinline__ void double_blocks(int apart, int rows) const {
    const int lane = int(threadIdx.x) % 32;
    for (int r = int(threadIdx.x) / 32; r < rows; r += threads / 32) {
      uint32_t* const row = tile + r * stride;
#pragma unroll
      for (int begin = 0; begin < stride; begin += 32) {
        const int i = begin + lane;
        const bool own = stride % 32 == 0 || i < stride;
        const uint32_t a = own ? row[i] : 0, b = i + apart < stride ? row[i + apart] : 0;
        __syncwarp();
        if (own) row[i] = larger<T>(a, b);
        __syncwarp();
      }
    }
  }
  /// The larger of the results so far and of a run, two blocks that begin and end it.
  __device__ __forceinline__ void take_run(const Run& run, int row, int level,
                                           uint32_t (&best)[Own][halves]) const {
    const int shift = columns_before<T>(q.rule) - q.rule.anchor_x;
    const uint32_t* const first = tile + (int(threadIdx.x) / columns * Own + row) * stride +
                                  int(threadIdx.x) % columns + shift + run.begin;
    const uint32_t* const last = first + (run.end - run.begin - (1 << level));
#pragma unroll
    for (int k = 0; k < Own; ++k) {
      const uint32_t a = first[k * stride], b = last[k * stride];
      best[k][0] = __vimax3_u16x2(best[k][0], a, b);
      if constexpr (halves == 2) best[k][1] = __vimax3_u16x2(best[k][1], a << 8, b << 8);
    }
  }
  /// The same of all runs of a tile.
  __device__ __forceinline__ void take_element(int64_t top, uint32_t (&best)[Own][halves]) const {
    for (int n = 0, band = 0; band < q.rule.height; band += q.band) {
      const int end = min(band + q.band, q.rule.height), rows = high + end - band - 1;
      __syncthreads();
      const int64_t from = top + band - q.rule.anchor_y;
      const int left = -columns_before<T>(q.rule);
      if (is_inside(left, left + stride + (in_word - 1) * columns, from, rows))
        load_inside(from, rows);
      else
        load_at_sides(from, rows);
      __syncthreads();
      for (int made = 0; n < q.count && q.runs[n].row < end; ++n) {
        const Run run = q.runs[n];
        const int level = 31 - __clz(run.end - run.begin);
        for (; made < level; ++made) {
          __syncthreads();
          double_blocks(1 << made, rows);
          __syncthreads();
        }
        take_run(run, run.row - band, level, best);
      }
    }
  }
  /// The results to the picture, by way of the tile.
  __device__ __forceinline__ void store(int64_t top, const uint32_t (&best)[Own][halves]) const {
    __syncthreads();
    uint32_t* const own =
        tile + int(threadIdx.x) / columns * Own * stride + int(threadIdx.x) % columns;
#pragma unroll
    for (int k = 0; k < Own; ++k)
      own[k * stride] =
          (halves == 2 ? __byte_perm(best[k][halves - 1], best[k][0], 0x7351) : best[k][0]) ^ flip;
    __syncthreads();
    if (writes_words && !q.rule.ignores() && is_inside(0, columns * in_word, top, high))
      store_inside(top);
    else
      store_at_sides(top);
  }
  __device__ __forceinline__ void store_inside(int64_t top) const {
    constexpr int in_row = columns / in_word;
#pragma unroll
    for (int n = int(threadIdx.x); n < high * in_row; n += threads) {
      const int r = n / in_row, c = n % in_row * in_word;
      uint32_t words[in_word];
#pragma unroll
      for (int k = 0; k < in_word; ++k) words[k] = tile[r * stride + c + k];
      transpose(words);
      T* const to = dst.row(int32_t(top) + r) + x0 + c;
#pragma unroll
      for (int k = 0; k < in_word; ++k) *reinterpret_cast<uint32_t*>(to + k * columns) = words[k];
    }
  }
  /// The same at any address, where the picture ends, and by `ignore`.
  __device__ __forceinline__ void store_at_sides(int64_t top) const {
#pragma unroll 1
    for (int n = int(threadIdx.x); n < high * columns; n += threads) {
      const int r = n / columns, i = n % columns * in_word;
      const int64_t y = top + r, x = x0 + i;
      if (y >= src.height) break;
      const uint32_t* const from = tile + r * stride + i % columns;
      uint32_t word[1] = {0};
#pragma unroll
      for (int k = 0; k < in_word; ++k)
        word[0] |= (from[k] >> (i / columns * bits) & uint32_t(T(~T(0)))) << (k * bits);
      const int32_t room = int32_t(max(min(int64_t(src.width) - x, int64_t(in_word)), int64_t(0)));
      if (q.rule.ignores()) {
        if (q.rule.leaves_rows(int32_t(y), src.height)) word[0] = 0;
        for (int k = 0; k < room; ++k)
          if (q.rule.leaves_columns(int32_t(x) + k, src.width))
            word[0] &= ~(uint32_t(T(~T(0))) << (k * bits));
      }
      cuda::store_neighbours(dst.row(int32_t(y)) + x, word, room, writes_words);
    }
  }
};

template <class T, int Beside, int Own>
__global__ void __launch_bounds__(threads, Beside > 64                                  ? 2
                                           : Own > 8 && (sizeof(T) == 1 || Beside > 32) ? 3
                                                                                        : 4)
    take_samples(const __grid_constant__ SamplesByRuns q) {
  using Thread = TileThread<T, Beside, Own>;
  CUESTA_DYNAMIC_SHARED(uint4, tile);
  const auto src = q.src.as<T, Space::device>();
  const auto dst = q.dst.as<T, Space::device>();
  const Outside<T> outside = outside_of<T>(q.rule);
  const auto is_even = [](const auto& view) {
    return (reinterpret_cast<uintptr_t>(view.data) | uintptr_t(view.stride_bytes)) % 4 == 0;
  };
  const Thread thread{q,
                      src,
                      dst,
                      reinterpret_cast<uint32_t*>(tile),
                      q.rule.dilate ? 0 : ~0u,
                      int64_t(blockIdx.x) * columns * Thread::in_word,
                      outside,
                      is_even(src),
                      is_even(dst)};
  for (int64_t top = int64_t(blockIdx.y) * Thread::high; top < src.height;
       top += int64_t(gridDim.y) * Thread::high) {
    uint32_t best[Own][Thread::halves] = {};
    thread.take_element(top, best);
    thread.store(top, best);
  }
}

/// Bytes of shared memory for a band of `rows` rows of an element.
template <class T, int Beside, int Own>
constexpr size_t tile_bytes(int rows) {
  using Thread = TileThread<T, Beside, Own>;
  return size_t(Thread::high + rows - 1) * Thread::stride * sizeof(uint32_t);
}

template <class T, int Beside, int Own>
void launch(SamplesByRuns& q, Call& call) {
  using Thread = TileThread<T, Beside, Own>;
  const size_t most = std::min(tile_budget, cuda::shared_limit());
  q.band = q.rule.height;
  while (q.band > 1 && tile_bytes<T, Beside, Own>(q.band) > most) --q.band;
  std::sort(q.runs, q.runs + q.count, [&](const Run& a, const Run& b) {
    return std::tuple(a.row / q.band, a.level(), a.row, a.begin) <
           std::tuple(b.row / q.band, b.level(), b.row, b.begin);
  });
  const size_t shared = tile_bytes<T, Beside, Own>(q.band);
  cuda::allow_shared(take_samples<T, Beside, Own>, shared, "morphology");
  const dim3 grid(cuda::blocks(q.src.width, columns * Thread::in_word),
                  std::min(cuda::blocks(q.src.height, Thread::high), cuda::max_grid_y));
  cuda::launch("morphology", take_samples<T, Beside, Own>, grid, dim3(threads), shared,
               cuda::stream_of(call), q);
}

/// Many rows a thread where all of a GPU has work, and a few rows of an element fit its memory.
/// On an H200 at 4096², in ms by 8 and by 16 rows: u8, ellipse of 3 0.0396 and 0.0464, of 15 0.0727
/// and 0.0750; u16 0.0543 and 0.0559, 0.1025 and 0.0923.
template <class T, int Beside>
void launch(SamplesByRuns& q, Call& call) {
  constexpr int many = sizeof(T) == 1 && Beside <= 16 ? 8 : 16, few = 4, min_band = 8;
  const int64_t tiles = int64_t(cuda::blocks(q.src.width, columns * 4 / int(sizeof(T)))) *
                        cuda::blocks(q.src.height, groups * many);
  if (tiles >= 2 * cuda::multiprocessors() &&
      tile_bytes<T, Beside, many>(min_band) <= cuda::shared_limit())
    return launch<T, Beside, many>(q, call);
  launch<T, Beside, few>(q, call);
}

template <class T>
void launch(SamplesByRuns& q, Call& call) {
  const int beside = columns_beside<T>(q.rule);
  if (beside <= 8) return launch<T, 8>(q, call);
  if (beside <= 16) return launch<T, 16>(q, call);
  if (beside <= 32) return launch<T, 32>(q, call);
  if (beside <= 64) return launch<T, 64>(q, call);
  if (beside <= 128) return launch<T, 128>(q, call);
  launch<T, 260>(q, call);
}

}  // namespace

void morphology_cuda::samples_by_runs(ConstAnyView src, AnyView dst, const ElementView& element,
                                      const Rule& rule, Call& call) {
  SamplesByRuns q{.src = src, .dst = dst, .rule = rule, .band = 0, .count = 0, .runs = {}};
  morph::for_each_run(element, [&](const Run& run) { q.runs[q.count++] = run; });
  if (src.type == PixelType::u8) return launch<uint8_t>(q, call);
  launch<uint16_t>(q, call);
}

}  // namespace cuesta
