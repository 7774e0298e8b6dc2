// Rung `runs`: hysteresis by sets of runs, 32 pixels a word, in three launches. From `union-find`:
// an edge runs through the candidates of a tile of 128 × 32 in registers, a run of them by one
// addition; labels belong to what is left, at most 16 a word; and an edge is a set of its own, so
// that nobody asks which roots are strong.
//
//   flood   a warp takes 128 × 32 pixels, a row a lane, and lets edges run through candidates until
//           nothing changes. What is left of the candidates is `weak`; a run of them in a word is a
//           node, labelled by its first pixel.
//   merge   a thread takes a word: its weak runs are united with those they touch to the left and
//           above, and with label 0 where they touch an edge, which only another tile's can be.
//   write   a weak run is an edge when its root is label 0.
//
// Label 0 is smaller than all others and so the root of whatever reaches it. Bound: 1/4 byte a
// pixel of masks read and written by flood, 1/4 read by merge and by write, 1 written; labels only
// where weak runs are. Wastes: every weak run has its place in chains of labels in device memory,
// though most end in their own tile (cuda/resolve.cuh); behind marks (`hysteresis=runs`) also a
// pass that packs them, which the row of this name has no need of.
#include "cuda/union_find.cuh"
#include "ops/canny/cuda/masks.cuh"
#include "ops/canny/cuda/nms_march.hpp"
#include "ops/canny/ladder/hysteresis.cuh"
#include "ops/canny/ladder/mask_runs.hpp"

namespace cuesta::canny_ladder {
namespace {

// ---- marks to masks

constexpr int warps = 8;

// A warp makes a word of both masks.
__global__ void __launch_bounds__(32 * warps) pack(Marks marks, Masks masks) {
  const auto word = int32_t(blockIdx.x);
  const int32_t x = word * 32 + int32_t(threadIdx.x);
  const int32_t y = int32_t(blockIdx.y * warps + threadIdx.y);
  if (y >= masks.height) return;  // the whole warp
  const uint8_t mark = at_or_zero(marks, x, y);
  const uint32_t candidates = __ballot_sync(~0u, mark != none);
  const uint32_t strong_ones = __ballot_sync(~0u, mark == strong);
  if (threadIdx.x != 0) return;
  const ptrdiff_t at = ptrdiff_t(y) * masks.words_per_row + word;
  masks.candidates[at] = candidates;
  masks.strong[at] = strong_ones;
}

struct IsStrongBit {
  Masks masks;
  __device__ bool operator()(int32_t x, int32_t y) const {
    return masks.strong[ptrdiff_t(y) * masks.words_per_row + x / 32] >> (x % 32) & 1;
  }
};

// ---- the three launches

/// Where labels live: labels_per_word for each word, after that of all edges.
struct Labels {
  int32_t* parents;
  int32_t words_per_row;

  static constexpr int32_t edge = 0;
  __device__ int32_t of(int32_t word, int32_t row, int start) const {
    return 1 + (row * words_per_row + word) * mask_runs::labels_per_word + start / 2;
  }
};

constexpr int flood_warps = 4, tile_words = 4, tile_rows = 32;

// Afterwards masks.strong are the edges of each tile and masks.candidates what is weak.
__global__ void __launch_bounds__(flood_warps * 32) flood(Masks masks, Labels labels) {
  using namespace mask_runs;
  const int32_t word = (int32_t(blockIdx.x) * flood_warps + int32_t(threadIdx.y)) * tile_words;
  const int32_t row = int32_t(blockIdx.y) * tile_rows + int32_t(threadIdx.x);
  const bool inside = word < masks.words_per_row && row < masks.height;
  // Four words at once: rows are multiples of four, and scratch memory is aligned.
  const ptrdiff_t at = ptrdiff_t(row) * masks.words_per_row + word;
  auto* weak_words = reinterpret_cast<uint4*>(masks.candidates + at);
  auto* edge_words = reinterpret_cast<uint4*>(masks.strong + at);
  const uint4 nothing = make_uint4(0, 0, 0, 0);
  const uint4 c = inside ? *weak_words : nothing, e = inside ? *edge_words : nothing;
  const Row4 candidates{{c.x, c.y, c.z, c.w}};
  Row4 edges{{e.x, e.y, e.z, e.w}};
  bool again = true;
  while (again) {
    const Row4 wide = widen(edges);
    Row4 up, down;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      up.words[i] = __shfl_up_sync(~0u, wide.words[i], 1);
      down.words[i] = __shfl_down_sync(~0u, wide.words[i], 1);
      if (threadIdx.x == 0) up.words[i] = 0;
      if (threadIdx.x == 31) down.words[i] = 0;
    }
    again = __any_sync(~0u, grow(candidates, wide, up, down, edges));
  }
  if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0 && threadIdx.y == 0)
    labels.parents[Labels::edge] = Labels::edge;
  if (!inside || (c.x | c.y | c.z | c.w) == 0) return;
  Row4 weak;
  for (int i = 0; i < 4; ++i) weak.words[i] = candidates.words[i] & ~edges.words[i];
  *edge_words = make_uint4(edges.words[0], edges.words[1], edges.words[2], edges.words[3]);
  *weak_words = make_uint4(weak.words[0], weak.words[1], weak.words[2], weak.words[3]);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    for_runs(weak.words[i], [&](int start, uint32_t) {
      const int32_t label = labels.of(word + i, row, start);
      labels.parents[label] = label;
    });
  }
}

__device__ inline mask_runs::Around around(const uint32_t* mask, const Masks& size, int32_t word,
                                           int32_t row) {
  const auto at = [&](int dx, int dy) -> uint32_t {
    const int32_t x = word + dx, y = row + dy;
    const bool inside = x >= 0 && y >= 0 && x < size.words_per_row && y < size.height;
    return inside ? mask[ptrdiff_t(y) * size.words_per_row + x] : 0;
  };
  return {at(-1, -1), at(0, -1), at(1, -1), at(-1, 0), at(0, 0),
          at(1, 0),   at(-1, 1), at(0, 1),  at(1, 1)};
}

__global__ void __launch_bounds__(256) merge(Masks masks, Labels labels) {
  const int32_t word = int32_t(blockIdx.x * blockDim.x + threadIdx.x);
  const int32_t row = int32_t(blockIdx.y * blockDim.y + threadIdx.y);
  if (word >= masks.words_per_row || row >= masks.height) return;
  if (masks.candidates[ptrdiff_t(row) * masks.words_per_row + word] == 0) return;
  mask_runs::unite_runs(
      around(masks.candidates, masks, word, row), around(masks.strong, masks, word, row),
      Labels::edge,
      [&](int dx, int dy, int start) { return labels.of(word + dx, row + dy, start); },
      [&](int32_t a, int32_t b) { cuda::unite(labels.parents, a, b); });
}

// A warp writes 32 words of a row.
__global__ void __launch_bounds__(256)
    write_edges(Masks masks, Labels labels, DeviceImage<uint8_t> dst) {
  using namespace mask_runs;
  const int32_t first_word = int32_t(blockIdx.x) * 32, word = first_word + int32_t(threadIdx.x);
  const int32_t row = int32_t(blockIdx.y * blockDim.y + threadIdx.y);
  if (row >= masks.height) return;  // the whole warp
  uint32_t edges = 0;
  if (word < masks.words_per_row) {
    const ptrdiff_t at = ptrdiff_t(row) * masks.words_per_row + word;
    edges = masks.strong[at];
    for_runs(masks.candidates[at], [&](int start, uint32_t run) {
      if (cuda::find(labels.parents, labels.of(word, row, start)) == Labels::edge) edges |= run;
    });
  }
  uint8_t* to = dst.row(row);
  if ((reinterpret_cast<uintptr_t>(to) & 15) == 0) {
    // 16 pixels a lane, twice.
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const uint32_t bits =
          __shfl_sync(~0u, edges, half * 16 + int(threadIdx.x) / 2) >> (threadIdx.x % 2 * 16);
      const int64_t x = int64_t(first_word) * 32 + half * 512 + threadIdx.x * 16;
      if (x + 16 <= dst.width) {
        *reinterpret_cast<uint4*>(to + x) =
            make_uint4(spread_bits(bits), spread_bits(bits >> 4), spread_bits(bits >> 8),
                       spread_bits(bits >> 12));
      } else {
        for (int i = 0; i < 16 && x + i < dst.width; ++i) to[x + i] = bits >> i & 1 ? 255 : 0;
      }
    }
    return;
  }
  for (int i = 0; i < 32; ++i) {
    const uint32_t bits = __shfl_sync(~0u, edges, i);
    const int64_t x = (int64_t(first_word) + i) * 32 + threadIdx.x;
    if (x < dst.width) to[x] = bits >> threadIdx.x & 1 ? 255 : 0;
  }
}

/// Masks to edges of 0 and 255; overwrites the masks.
void connect_runs(const Masks& masks, AnyView edges, Call& call) {
  const cudaStream_t stream = cuda::stream_of(call);
  const auto all = size_t(1 + masks.words() * mask_runs::labels_per_word);
  const Labels labels{call.scratch().take<int32_t>(all), masks.words_per_row};
  cuda::launch("canny", flood,
               dim3(cuda::blocks(masks.words_per_row, flood_warps * tile_words),
                    cuda::blocks(masks.height, tile_rows)),
               dim3(tile_rows, flood_warps), 0, stream, masks, labels);
  const dim3 block(32, 8);
  const dim3 grid(cuda::blocks(masks.words_per_row, 32), cuda::blocks(masks.height, 8));
  cuda::launch("canny", merge, grid, block, 0, stream, masks, labels);
  cuda::launch("canny", write_edges, grid, block, 0, stream, masks, labels,
               edges.as<uint8_t, Space::device>());
}

}  // namespace

void hysteresis_by_runs(const Marks& marks, AnyView dst, dim3, Call& call) {
  const int32_t words = canny_nms::mask_bytes(marks.width) / 4;
  const size_t all = size_t(words) * size_t(marks.height);
  const Masks masks{call.scratch().take<uint32_t>(all), call.scratch().take<uint32_t>(all),
                    marks.width, marks.height, words};
  cuda::launch("canny", pack, dim3(unsigned(words), cuda::blocks(marks.height, warps)),
               dim3(32, warps), 0, cuda::stream_of(call), marks, masks);
  connect_runs(masks, dst, call);
}

void runs(const CannyArgs& args, Call& call) {
  const Masks masks = find_masks(args, call);
  with_trees(IsStrongBit{masks}, args.dst, call, [&] { connect_runs(masks, args.dst, call); });
}

}  // namespace cuesta::canny_ladder
