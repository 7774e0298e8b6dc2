// Every strategy of canny, on the CPU and on CUDA: the one list of what exists.
#include "cuda/limits.hpp"
#include "ops/canny/cuda.hpp"
#include "ops/canny/cuda/tiles.hpp"
#include "ops/canny/ladder/ladder.hpp"
#include "ops/canny/reference.hpp"

namespace cuesta {
namespace {

#if CUESTA_HAS_CUDA
// What the ladder does not take, besides what the next one says. Pixels are numbered in 32 bits,
// and the grid's second dimension ends at 65,535 blocks of 8 rows.
std::string_view too_large(const CannyArgs& args) {
  if (args.src.height > 65535 * 8) return "pictures higher than 524,280";
  if (int64_t(args.src.width) * args.src.height > INT32_MAX)
    return "pictures of more than 2,147,483,647 pixels";
  return {};
}

std::string_view no_picture_of_one_channel(const CannyArgs& args) {
  if (args.makes_strengths()) return "strengths as output";
  if (args.gy) return "gradients as input";
  if (args.src.channels == 3) return "sources of three channels";
  return args.src.type == PixelType::f32 ? "f32 source" : std::string_view();
}

std::string_view supports(const CannyArgs& args, const Parameters&) {
  if (args.band) return "bands of rows";
  if (const auto why = no_picture_of_one_channel(args); !why.empty()) return why;
  return args.src.type != PixelType::u8 ? "u16 source" : too_large(args);
}

// Labels of hysteresis, and counters of magnitudes, have 32 bits.
std::string_view too_many_pixels(const CannyArgs& args) {
  if (const auto why = hysteresis::too_many_pixels(args.src.width, args.src.height); !why.empty())
    return why;
  if (int64_t(args.src.width) * args.src.height <= UINT32_MAX) return {};
  for (int32_t i = 0; i < args.count; ++i)
    if (args.thresholds_of(i).is_automatic()) return "automatic thresholds of 2³² pixels or more";
  return {};
}

template <canny_cuda::Front front>
std::string_view production_supports(const CannyArgs& args, const Parameters&) {
  const auto why = canny_cuda::refusal_of(front, args);
  return why.empty() ? too_many_pixels(args) : why;
}

std::string_view graph_loops(const CannyArgs& args, const Parameters& parameters) {
  if (const auto why = supports(args, parameters); !why.empty()) return why;
  return canny_ladder::graph_loops() ? std::string_view()
                                     : "a CUDA driver or toolkit older than 12.4";
}

std::string_view stages(const CannyArgs& args, const Parameters& parameters) {
  return parameters.text("hysteresis") == "graph" ? graph_loops(args, parameters)
                                                  : supports(args, parameters);
}

// shape=row has a block of the grid's second dimension for each row.
std::string_view global(const CannyArgs& args, const Parameters& parameters) {
  return parameters.text("shape") == "row" && args.src.height > 65535
             ? "pictures higher than 65,535"
             : stages(args, parameters);
}

std::string_view rolling_rows(const CannyArgs& args, const Parameters& parameters) {
  if (const auto why = stages(args, parameters); !why.empty()) return why;
  if (parameters.text("threads") == "columns" && args.src.width > ladder_parameters::max_columns)
    return "pictures with more columns than a block has threads";
  return canny_ladder::row_cyclic_shared_bytes(args) > cuda::shared_limit()
             ? "pictures whose rolling rows exceed shared memory"
             : std::string_view();
}
#endif

}  // namespace

std::span<const Strategy<CannyArgs>> CannyArgs::strategies() {
  static constexpr Strategy<CannyArgs> all[] = {
      {.name = "serial",
       .tier = Tier::reference,
       .idea = "one stage after the other, a whole picture between; hysteresis with a stack",
       .paper = "001",
       .run = each_picture<canny_serial>},
      {.name = "rows",
       .tier = Tier::baseline,
       .idea = "every stage's rows over threads; hysteresis by union-find, strips joined after",
       .paper = "001",
       .run = each_picture<canny_rows>},
      {.name = "simd",
       .tier = Tier::production,
       .idea = "smoothing, gradient and suppression fused in rolling rows; one-bit masks, "
               "hysteresis on words",
       .run = canny_simd},
      {.name = "plain",
       .space = Space::device,
       .tier = Tier::baseline,
       .idea = "stage after stage, a thread a pixel, in 64 bits; hysteresis by sets of pixels",
       .paper = "001",
       .parameters = canny_cuda::plain_parameters,
       .run = CUESTA_GPU(each_picture<canny_cuda::plain>)},
      {.name = "global",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "stage after stage through device memory, a thread a pixel",
       .paper = "001",
       .parameters = canny_ladder::global_parameters,
       .host_sync = true,
       .supports = CUESTA_GPU(global),
       .run = CUESTA_GPU(each_picture<canny_ladder::global>)},
      {.name = "row-cyclic",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "the two convolutions from K whole rows in shared memory, rolling down",
       .paper = "001",
       .parameters = canny_ladder::row_cyclic_parameters,
       .host_sync = true,
       .supports = CUESTA_GPU(rolling_rows),
       .run = CUESTA_GPU(each_picture<canny_ladder::row_cyclic_of_threads>)},
      {.name = "bfs-launch",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea =
           "the production gradient and suppression; hysteresis one breadth-first step a launch",
       .paper = "001",
       .parameters = canny_ladder::bfs_parameters,
       .host_sync = true,
       .supports = CUESTA_GPU(supports),
       .run = CUESTA_GPU(each_picture<canny_ladder::bfs_launch>)},
      {.name = "bfs-queue",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "the same search from a queue of the pixels that joined last, a launch a step",
       .paper = "001",
       .host_sync = true,
       .supports = CUESTA_GPU(supports),
       .run = CUESTA_GPU(each_picture<canny_ladder::bfs_queue>)},
      {.name = "tile-flood",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "tiles flooded in shared memory; a launch takes those that a neighbour touched",
       .paper = "001",
       .host_sync = true,
       .supports = CUESTA_GPU(supports),
       .run = CUESTA_GPU(each_picture<canny_ladder::tile_flood>)},
      {.name = "persistent",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "the search from a queue in one kernel, a barrier of the grid a step",
       .paper = "001",
       .supports = CUESTA_GPU(supports),
       .run = CUESTA_GPU(each_picture<canny_ladder::persistent>)},
      {.name = "graph",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "the search from a queue as a loop in a CUDA graph, which the GPU turns by itself",
       .paper = "001",
       .host_sync = true,  // unless the caller's workspace keeps the graph
       .supports = CUESTA_GPU(graph_loops),
       .run = CUESTA_GPU(each_picture<canny_ladder::graph>)},
      {.name = "union-find",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "the production gradient and suppression; hysteresis by sets of pixels, a fixed "
               "number of launches",
       .paper = "001",
       .supports = CUESTA_GPU(supports),
       .run = CUESTA_GPU(each_picture<canny_ladder::union_find>)},
      {.name = "runs",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "the production gradient and suppression; hysteresis by sets of runs",
       .paper = "001",
       .supports = CUESTA_GPU(supports),
       .run = CUESTA_GPU(each_picture<canny_ladder::runs>)},
      {.name = "march-fp16",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "one kernel to one-bit masks, warps marching down strips in pairs of fp16; "
               "hysteresis in tiles, joined where sets reach a rim",
       .supports = CUESTA_GPU(production_supports<canny_cuda::Front::march_fp16>),
       .run = CUESTA_GPU(canny_cuda::production<canny_cuda::Front::march_fp16>)},
      {.name = "march-fp32",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "the same in floats, of u16; l2's magnitudes in doubles",
       .supports = CUESTA_GPU(production_supports<canny_cuda::Front::march_fp32>),
       .run = CUESTA_GPU(canny_cuda::production<canny_cuda::Front::march_fp32>)},
      {.name = "march-int16",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "the same in pairs of 16-bit integers; smooths batches with windows 3 and 5 itself",
       .supports = CUESTA_GPU(production_supports<canny_cuda::Front::march_int16>),
       .run = CUESTA_GPU(canny_cuda::production<canny_cuda::Front::march_int16>)},
      {.name = "tiles",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "samples and magnitudes of a tile in shared memory, of any type and channels; the "
               "same hysteresis",
       .supports = CUESTA_GPU(production_supports<canny_cuda::Front::tiles>),
       .run = CUESTA_GPU(canny_cuda::production<canny_cuda::Front::tiles>)},
  };
  return all;
}

}  // namespace cuesta
