// Rung `union-find` (paper 004, initCCL, mergeCCL, compressCCL): every set pixel is a node that
// starts as its own root; a thread a pixel joins it to the neighbours of Rosenfeld's mask by
// atomics; then every node is pointed at its root, the first pixel of its component in raster
// order. Theirs stops there and gets boxes by a flood fill on the host, from the picture of labels;
// ours numbers the roots by a scan and gathers the components on the GPU, so that only they travel;
// with boxes=host the labels travel, 4 bytes a pixel, and the host goes over their runs. Theirs
// runs in square blocks of pixels; so does ours with block_x and block_y, all kernels but the scan,
// and a block of one row of threads, the default, takes its pixels on end.
// Bound: memory traffic while components are small, chains of dependent reads where they are long.
// Bytes a pixel, every pixel set: mask 1 or 1/8 read; parents written by init, read and written by
// merge and by compress, read by the scan, by `write` and by `gather`, 4 each time; numbers written
// by the scan; labels written: about 41. Held: 8; with boxes=host and no labels wanted 12.
// Wastes: a tree walk for every pixel where one for a block of 2 x 2 would do (`blocks`); a pass
// over memory for each of init, merge and compress; waits once for the count and once for the
// components.
// Times: docs/results/h200-ladder.md.
#include "ops/label/cuda/pixel_nodes.cuh"
#include "ops/label/ladder/ladder.hpp"

namespace cuesta::label_ladder {
namespace {

using namespace label_cuda;

// 8-way, the links left out follow from others, row by row down: the pixels left and right of the
// one above are its neighbours along its row, and so is the left pixel's upper one to the left
// pixel.
template <bool Eight>
__global__ void __launch_bounds__(cuda::any_block) merge(Picture p) {
  const auto [node, x, y] = own_pixel(p);
  if (node >= p.pixels) return;
  const int32_t here = int32_t(node), up = here - p.mask.width;
  if (!is_set(p, here)) return;
  const bool left = x > 0 && is_set(p, here - 1), above = y > 0 && is_set(p, up);
  if (above) cuda::unite(p.parents, here, up);
  if constexpr (Eight) {
    if (above) return;
    if (left)
      cuda::unite(p.parents, here, here - 1);
    else if (x > 0 && y > 0 && is_set(p, up - 1))
      cuda::unite(p.parents, here, up - 1);
    if (y > 0 && x + 1 < p.mask.width && is_set(p, up + 1)) cuda::unite(p.parents, here, up + 1);
  } else {
    if (left) cuda::unite(p.parents, here, here - 1);
  }
}

}  // namespace

void union_find(const LabelArgs& args, Call& call) {
  const Parameters& parameters = call.parameters();
  const Picture picture = picture_of(
      args, call,
      dim3(unsigned(parameters.integer("block_x")), unsigned(parameters.integer("block_y"))));
  call.stage("init");
  start_nodes(picture, call);
  call.stage("merge");
  launch(args.options.connectivity == 8 ? merge<true> : merge<false>, picture, call);
  call.stage("compress");
  flatten_nodes(picture, call);
  find_components(args, PixelSets(picture, call), call, parameters.text("boxes") == "host");
}

}  // namespace cuesta::label_ladder
