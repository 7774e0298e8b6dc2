// The device rows of canny, and strategy `fused`: the gradient and suppression in one kernel,
// hysteresis in three.
#include "ops/canny/cuda/gradient_nms.cuh"
#include "ops/canny/cuda/hysteresis.cuh"
#include "ops/canny/ladder/ladder.hpp"
#include "ops/canny/reference.hpp"

namespace cuesta {
namespace canny_cuda {

Masks find_masks(const CannyArgs& args, Call& call) { return masks_before_hysteresis(args, call); }

namespace {

void fused(const CannyArgs& args, Call& call) {
  const int32_t most = pictures_per_chunk(args);
  for (int64_t begin = 0; begin < args.count; begin += most) {
    const Scratch scope(call.nested(), Space::device);  // the next piece takes the same memory
    const auto count = int32_t(std::min<int64_t>(most, args.count - begin));
    const CannyArgs piece = args.part(int32_t(begin), count);
    const Masks masks = find_masks(piece, call);
    call.stage("hysteresis");
    connect(masks, piece, call);
  }
}

}  // namespace
}  // namespace canny_cuda

std::span<const Strategy<CannyArgs>> canny_cuda_rows() {
  // Rungs that step by launches wait for each; all wait for automatic thresholds.
  static constexpr Strategy<CannyArgs> rows[] = {
      {.name = "plain",
       .space = Space::device,
       .tier = Tier::baseline,
       .idea = "stage after stage, a thread a pixel, in 64 bits; hysteresis by sets of pixels",
       .paper = "001",
       .parameters = canny_plain_parameters,
       .run = each_picture<canny_plain>},
      {.name = "global",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "stage after stage through device memory, a thread a pixel",
       .paper = "001",
       .parameters = canny_ladder::global_parameters,
       .host_sync = true,
       .supports = canny_cuda::supports,
       .run = each_picture<canny_ladder::global>},
      {.name = "row-cyclic",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "the two convolutions from K whole rows in shared memory, rolling down",
       .paper = "001",
       .parameters = canny_ladder::row_cyclic_parameters,
       .host_sync = true,
       .supports = canny_ladder::row_cyclic_supports,
       .run = each_picture<canny_ladder::row_cyclic>},
      {.name = "bfs-launch",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea =
           "the production gradient and suppression; hysteresis one breadth-first step a launch",
       .paper = "001",
       .parameters = canny_ladder::bfs_parameters,
       .host_sync = true,
       .supports = canny_cuda::supports,
       .run = each_picture<canny_ladder::bfs_launch>},
      {.name = "union-find",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "the production gradient and suppression; hysteresis by sets of pixels, a fixed "
               "number of launches",
       .paper = "001",
       .supports = canny_cuda::supports,
       .run = each_picture<canny_ladder::union_find>},
      {.name = "fused",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "one kernel to one-bit masks; hysteresis by sets of runs, three launches",
       .supports = canny_cuda::supports,
       .run = canny_cuda::fused},
  };
  return rows;
}

}  // namespace cuesta
