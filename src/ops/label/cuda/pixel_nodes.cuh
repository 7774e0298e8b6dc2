// Rows of label in which every set pixel starts as a set of its own, a thread a pixel. Between
// start_nodes() and flatten_nodes() a row joins the sets its own way.
#pragma once

#include "ops/label/cuda/pixel_sets.cuh"

namespace cuesta::label_cuda {

/// Whether pixel `node` is set; also while sets are joined, as nobody makes a set pixel a
/// background one.
__device__ inline bool is_set(const Picture& p, int32_t node) {
  return cuda::parent_of(p.parents, node) != background;
}

static __global__ void __launch_bounds__(cuda::any_block) init(Picture p) {
  const auto [node, x, y] = own_pixel(p);
  if (node < p.pixels) p.parents[node] = mask_at(p.mask, x, y) ? int32_t(node) : background;
}

static __global__ void __launch_bounds__(cuda::any_block) compress(Picture p) {
  const uint32_t node = own_pixel(p).node;
  if (node < p.pixels && is_set(p, int32_t(node))) cuda::flatten(p.parents, int32_t(node));
}

/// Every set pixel becomes a set of its own.
inline void start_nodes(const Picture& p, const Call& call) { launch(init, p, call); }
/// Every set pixel points at its root, the first pixel of its component.
inline void flatten_nodes(const Picture& p, const Call& call) { launch(compress, p, call); }

}  // namespace cuesta::label_cuda
