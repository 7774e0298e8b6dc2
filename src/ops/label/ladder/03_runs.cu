// Rung `runs`: union-find over runs of set pixels in words of 32, which a mask of bits shows whole.
// Paper 004 leaves other ways of labelling to future work; `simd` does the same on the CPU, canny's
// `fused` for its edges. After HA4 of A. Hennequin, L. Lacassagne, L. Cabaret and Q. Meunier, "A
// new direct connected component labeling and analysis algorithms for GPUs", DASIP 2018: a node a
// segment of 32 columns, found by ballots, joined to the segments above that it touches, labels and
// sums by segments. What differs: the mask is packed once and every kernel but the first reads
// bits, a thread a word; 8-way too; which segments touch comes from the words alone
// (src/cuda/word_runs.hpp); numbers by a scan over counts of roots in words, in the reference's
// order.
// Bound: the labels' store where they are wanted, else the mask's read.
// Bytes a pixel: mask 1 or 1/8 read and 1/8 written; then 1/8 read by each of merge, compress,
// `write` and `gather`; roots of words 1/8 written and twice read, sums 1/8 written and read;
// labels 4 written; a node 4 bytes a run, written and read by init, merge, compress, `write` and
// `gather`. Held: 2 and 3/8, where rows have whole words.
// Wastes: a long run is a node every 32 pixels, all joined in a chain; a component's sums are added
// by an atomic a run, though a warp's runs are often of one; waits as `union-find`.
// Times: docs/results/h200-ladder.md.
#include "cuda/union_find.cuh"
#include "cuda/word_runs.hpp"
#include "ops/label/cuda/components.cuh"
#include "ops/label/ladder/ladder.hpp"

namespace cuesta::label_ladder {
namespace {

using namespace mask_runs;

// Words are counted row by row, and so are nodes: runs of a row do not touch, so half their first
// column tells them apart. A row takes no more nodes than it can have runs, and so no picture more
// than 2^31.
struct Runs {
  const char* bits;
  ptrdiff_t stride_bytes;
  int32_t *parents, *sums;  // of each node, of each word
  uint32_t* roots;          // of each word: where a run begins that is a root
  int32_t width, height;

  __host__ __device__ int32_t words_a_row() const { return (width - 1) / word_pixels + 1; }
  __host__ __device__ int64_t words() const { return int64_t(words_a_row()) * height; }
  __host__ __device__ int32_t nodes_a_row() const { return (width - 1) / 2 + 1; }

  __device__ int64_t at(int32_t word, int32_t y) const { return int64_t(y) * words_a_row() + word; }
  __device__ int32_t node(int32_t x, int32_t y) const { return y * nodes_a_row() + x / 2; }
  /// 0 outside the picture; bits past the width are 0.
  __device__ uint32_t word(int32_t i, int32_t y) const {
    if (i < 0 || y < 0 || i >= words_a_row()) return 0;
    const uint32_t all = reinterpret_cast<const uint32_t*>(bits + ptrdiff_t(y) * stride_bytes)[i];
    const int32_t left = width - i * word_pixels;
    return left < word_pixels ? all & ((1u << left) - 1) : all;
  }
  /// After Number.
  __device__ int32_t label(int32_t x, int32_t y) const {
    const int32_t parent = parents[node(x, y)];
    return -(parent < 0 ? parent : parents[parent]);
  }
};

// A thread a pixel, a warp a word: packs a mask of bytes; the first pixel of a run makes its node.
struct Init {
  Runs runs;
  ConstAnyView mask;
  uint32_t* packed;  // runs.bits, or null where the mask is bits

  __device__ void operator()(int32_t x, int32_t y) const {
    const int32_t i = x / word_pixels, pixel = x % word_pixels;
    uint32_t word;
    if (packed) {
      // Lanes past the width are gone and count as 0.
      word = __ballot_sync(~0u, mask_at(mask, x, y));
      if (pixel == 0) packed[runs.at(i, y)] = word;
    } else {
      word = runs.word(i, y);
    }
    if ((word >> pixel & 1) == 0 || run_start(word, pixel) != pixel) return;
    const int32_t node = runs.node(x, y);
    runs.parents[node] = node;
  }
};
static_assert(cuda::pixel_block_x == word_pixels, "a warp of each_pixel is a word of a row");

// All that follow: a thread a word.
template <bool Eight>
struct Merge {
  Runs runs;

  __device__ void operator()(int32_t word, int32_t y) const {
    const uint32_t here = runs.word(word, y);
    if (here == 0) return;
    const Around around{runs.word(word - 1, y - 1),
                        runs.word(word, y - 1),
                        runs.word(word + 1, y - 1),
                        runs.word(word - 1, y),
                        here,
                        0,
                        0,
                        0,
                        0};
    for_runs(here, [&](int start, uint32_t run) {
      const int32_t node = runs.node(word * word_pixels + start, y);
      runs_before<Eight>(around, run, [&](int dx, int dy, int other) {
        cuda::unite(runs.parents, node, runs.node((word + dx) * word_pixels + other, y + dy));
      });
    });
  }
};

struct Compress {
  Runs runs;

  __device__ void operator()(int32_t word, int32_t y) const {
    uint32_t roots = 0;
    for_runs(runs.word(word, y), [&](int start, uint32_t) {
      const int32_t node = runs.node(word * word_pixels + start, y);
      if (cuda::flatten(runs.parents, node) == node) roots |= 1u << start;
    });
    runs.roots[runs.at(word, y)] = roots;
  }
};

struct RootsOfWord {
  const uint32_t* roots;
  __host__ __device__ int32_t operator()(int64_t word) const { return count_bits(roots[word]); }
};

// A root's parent becomes minus its label; components are begun, unless there are none.
struct Number {
  Runs runs;
  Component* components;

  __device__ void operator()(int32_t word, int32_t y) const {
    const int64_t at = runs.at(word, y);
    uint32_t roots = runs.roots[at];
    for (int32_t label = runs.sums[at] - count_bits(roots) + 1; roots != 0;
         roots &= roots - 1, ++label) {
      const int32_t x = word * word_pixels + lowest_bit(roots);
      runs.parents[runs.node(x, y)] = -label;
      if (components) label_cuda::found(components[label - 1], label, x, y);
    }
  }
};

// A thread a pixel again, so that a warp's store is whole.
struct Write {
  Runs runs;
  ImageView<int32_t, Space::device> labels;

  __device__ void operator()(int32_t x, int32_t y) const {
    const int32_t pixel = x % word_pixels;
    const uint32_t word = runs.word(x / word_pixels, y);
    labels.at(x, y) = word >> pixel & 1 ? runs.label(x - pixel + run_start(word, pixel), y) : 0;
  }
};

struct Gather {
  Runs runs;
  Component* components;

  __device__ void operator()(int32_t word, int32_t y) const {
    for_runs(runs.word(word, y), [&](int start, uint32_t run) {
      const int32_t x = word * word_pixels + start;
      label_cuda::gather_run(components[runs.label(x, y) - 1], x, y, count_bits(run));
    });
  }
};

template <class Body>
void each_pixel(const Runs& runs, const Body& body, Call& call) {
  cuda::for_each_pixel("label", runs.width, runs.height, body, call);
}
template <class Body>
void each_word(const Runs& runs, const Body& body, Call& call) {
  cuda::for_each_pixel("label", runs.words_a_row(), runs.height, body, call);
}

/// Flat runs, for find_components().
struct RunSets {
  Runs runs;

  const int32_t* number(Call& call) const {
    label_cuda::sum_up(RootsOfWord{runs.roots}, runs.words(), runs.sums, call);
    return runs.sums + (runs.words() - 1);
  }
  void write(AnyView labels, Component* components, Call& call) const {
    each_word(runs, Number{runs, components}, call);
    if (labels) each_pixel(runs, Write{runs, labels.as<int32_t, Space::device>()}, call);
  }
  void gather(Component* components, Call& call) const {
    each_word(runs, Gather{runs, components}, call);
  }
};

}  // namespace

void runs(const LabelArgs& args, Call& call) {
  const ConstAnyView mask = args.mask;
  Runs runs{static_cast<const char*>(mask.data),
            mask.stride_bytes,
            nullptr,
            nullptr,
            nullptr,
            mask.width,
            mask.height};
  const auto words = size_t(runs.words());
  runs.parents = call.scratch().take<int32_t>(size_t(runs.nodes_a_row()) * size_t(mask.height));
  runs.sums = call.scratch().take<int32_t>(words);
  runs.roots = call.scratch().take<uint32_t>(words);
  uint32_t* packed = nullptr;
  if (mask.type == PixelType::u8) {
    packed = call.scratch().take<uint32_t>(words);
    runs.bits = reinterpret_cast<const char*>(packed);
    runs.stride_bytes = ptrdiff_t(runs.words_a_row()) * ptrdiff_t(sizeof(uint32_t));
  }
  call.stage("init");
  each_pixel(runs, Init{runs, mask, packed}, call);
  call.stage("merge");
  if (args.options.connectivity == 8)
    each_word(runs, Merge<true>{runs}, call);
  else
    each_word(runs, Merge<false>{runs}, call);
  call.stage("compress");
  each_word(runs, Compress{runs}, call);
  label_cuda::find_components(args, RunSets{runs}, call);
}

}  // namespace cuesta::label_ladder
