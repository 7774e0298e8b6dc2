// Rung `blocks`: union-find over blocks of 2 x 2 pixels, which paper 004 leaves to future work. All
// set pixels of a block are neighbours 8-way, so one thread walks one tree for the four, and tests
// ten pixels where four threads would test twenty. After BUF of S. Allegretti, F. Bolelli and C.
// Grana, "Optimized block-based algorithms to label connected components on GPUs", IEEE TPDS 31(2),
// 2020; the blocks are those of Grana, D. Borghesani and R. Cucchiara, "Optimized block-based
// connected components labeling with decision trees", IEEE TIP 19(6), 2010. What differs: a block's
// node is its first set pixel in raster order, not its upper left one, so that the root of a
// component is its first pixel and numbers come in the reference's order; no table or decision tree
// chooses the tests; numbers and components follow on the GPU. 4-way the two pixels of a diagonal
// are no neighbours: a block that is a diagonal has two nodes, and every other one.
// Bound: as `union-find`, with a fourth of its trees.
// Bytes a pixel, every pixel set: mask 1 or 1/8 read three times; parents written by init, a fourth
// of them read and written by merge, a fourth read and all written by compress, all read by the
// scan, by `write` and by `gather`; numbers written by the scan; labels written. Held: 8.
// Wastes: parents and numbers of pixels that are no node, for the sake of the scan and of `write`;
// pixels of the mask read byte by byte, two columns a thread; waits as `union-find`.
// Times: docs/results/h200-ladder.md.
#include "ops/label/cuda/blocks.hpp"
#include "ops/label/cuda/pixel_sets.cuh"
#include "ops/label/ladder/ladder.hpp"

namespace cuesta::label_ladder {
namespace {

using namespace label_cuda;
using namespace label_blocks;

// What a thread sees of its block, (x, y) in blocks.
struct Own {
  const Picture& p;
  int32_t x, y;  // its upper left pixel

  __device__ Own(const Picture& picture, int32_t block_x, int32_t block_y)
      : p(picture), x(2 * block_x), y(2 * block_y) {}
  // A row or column past 2^31 - 1 wraps round and is outside too.
  __device__ bool set(int dx, int dy) const {
    const uint32_t px = uint32_t(x) + uint32_t(dx), py = uint32_t(y) + uint32_t(dy);
    return px < uint32_t(p.mask.width) && py < uint32_t(p.mask.height) &&
           mask_at(p.mask, int32_t(px), int32_t(py));
  }
  __device__ int32_t node(int dx, int dy) const { return (y + dy) * p.mask.width + x + dx; }
  __device__ int32_t node(int pixel) const { return node(pixel % 2, pixel / 2); }
  __device__ uint32_t pixels_set() const {
    return block_at([&](int dx, int dy) { return set(dx, dy); });
  }
  __device__ bool inside(int pixel) const {
    return x + pixel % 2 < p.mask.width && y + pixel / 2 < p.mask.height;
  }
};

template <bool Eight>
struct Init {
  Picture p;

  __device__ void operator()(int32_t block_x, int32_t block_y) const {
    const Own own(p, block_x, block_y);
    const uint32_t block = own.pixels_set();
#pragma unroll
    for (int i = 0; i < pixels; ++i) {
      if (!own.inside(i)) continue;
      p.parents[own.node(i)] = block >> i & 1 ? own.node(leader<Eight>(block, i)) : background;
    }
  }
};

template <bool Eight>
struct Merge {
  Picture p;

  __device__ void operator()(int32_t block_x, int32_t block_y) const {
    const Own own(p, block_x, block_y);
    join_before<Eight>(
        own.pixels_set(), [&](int dx, int dy) { return own.set(dx, dy); },
        [&](int i, int dx, int dy) { cuda::unite(p.parents, own.node(i), own.node(dx, dy)); });
  }
};

// Every set pixel at its root. Those that are no node lead nobody anywhere.
template <bool Eight>
struct Compress {
  Picture p;

  __device__ void operator()(int32_t block_x, int32_t block_y) const {
    const Own own(p, block_x, block_y);
    const uint32_t block = own.pixels_set();
    int32_t root = background;
#pragma unroll
    for (int i = 0; i < pixels; ++i) {
      if ((block >> i & 1) == 0) continue;
      if (!Eight || root == background)
        root = cuda::flatten(p.parents, own.node(i));
      else
        p.parents[own.node(i)] = root;
    }
  }
};

template <bool Eight>
void join_blocks(const Picture& picture, Call& call) {
  const auto each_block = [&](const auto& body) {
    cuda::for_each_pixel("label", cuda::blocks(picture.mask.width, 2),
                         cuda::blocks(picture.mask.height, 2), body, call);
  };
  call.stage("init");
  each_block(Init<Eight>{picture});
  call.stage("merge");
  each_block(Merge<Eight>{picture});
  call.stage("compress");
  each_block(Compress<Eight>{picture});
}

}  // namespace

void blocks(const LabelArgs& args, Call& call) {
  const Picture picture = picture_of(args, call);
  args.options.connectivity == 8 ? join_blocks<true>(picture, call)
                                 : join_blocks<false>(picture, call);
  find_components(args, PixelSets(picture, call), call);
}

}  // namespace cuesta::label_ladder
