// Strategy `plain`: every set pixel is joined to each of its neighbours that come before it in
// raster order; the root of a set is then the first pixel of its component, which numbers it.
#include "ops/label/cuda.hpp"
#include "ops/label/cuda/pixel_nodes.cuh"

namespace cuesta {
namespace {

using namespace label_cuda;

__global__ void join_neighbours(Picture p, bool eight) {
  const auto [node, x, y] = own_pixel(p);
  if (node >= p.pixels) return;
  const int32_t here = int32_t(node), width = p.mask.width;
  if (!is_set(p, here)) return;
  const auto join = [&](int32_t other) {
    if (is_set(p, other)) cuda::unite(p.parents, here, other);
  };
  if (x > 0) join(here - 1);
  if (y == 0) return;
  join(here - width);
  if (eight && x > 0) join(here - width - 1);
  if (eight && x + 1 < width) join(here - width + 1);
}

}  // namespace

void label_cuda::plain(const LabelArgs& args, Call& call) {
  const Picture picture = picture_of(args, call);
  call.stage("init");
  start_nodes(picture, call);
  call.stage("merge");
  launch(join_neighbours, picture, call, args.options.connectivity == 8);
  call.stage("compress");
  flatten_nodes(picture, call);
  find_components(args, PixelSets(picture, call), call);
}

}  // namespace cuesta
