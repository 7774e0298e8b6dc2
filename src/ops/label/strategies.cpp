// Every strategy of label, on the CPU and on CUDA: the one list of what exists.
#include "ops/label/cuda.hpp"
#include "ops/label/ladder/ladder.hpp"
#include "ops/label/reference.hpp"

namespace cuesta {
namespace {

std::string_view lists_of_the_host(const LabelArgs& args, const Parameters&) {
  return args.device_list() ? "component lists on the GPU" : std::string_view();
}

#if CUESTA_HAS_CUDA
std::string_view shapes(const LabelArgs& args, const Parameters& parameters) {
  if (const auto why = lists_of_the_host(args, parameters); !why.empty()) return why;
  const int threads = parameters.integer("block_x") * parameters.integer("block_y");
  if (threads > 1024) return "blocks of more than 1,024 threads";
  return threads % 32 == 0 ? std::string_view() : "blocks smaller than a warp";
}
#endif

}  // namespace

std::span<const Strategy<LabelArgs>> LabelArgs::strategies() {
  static constexpr Strategy<LabelArgs> all[] = {
      {.name = "serial",
       .tier = Tier::reference,
       .idea = "the definition: flood every component from its first pixel",
       .paper = "004",
       .supports = lists_of_the_host,
       .run = label_serial},
      {.name = "rows",
       .tier = Tier::baseline,
       .idea = "union-find over pixels, rows over threads",
       .paper = "004",
       .supports = lists_of_the_host,
       .run = label_rows},
      {.name = "simd",
       .tier = Tier::production,
       .idea = "union-find over runs found in words of bits, strips over threads",
       .supports = lists_of_the_host,
       .run = label_simd},
      {.name = "tiles",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "sets found and added up a tile at a time in shared memory; what meets the rim, "
               "beyond it",
       .allocates = true,  // for more components than one in 32 pixels
       .run = CUESTA_GPU(label_cuda::tiles)},
      {.name = "plain",
       .space = Space::device,
       .tier = Tier::baseline,
       .idea = "a thread a pixel, joined by atomics to all neighbours before it",
       .allocates = true,  // past 65,536 components
       .host_sync = true,
       .supports = CUESTA_GPU(lists_of_the_host),
       .run = CUESTA_GPU(label_cuda::plain)},
      {.name = "union-find",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "a thread a pixel: init, merge by atomics, compress; numbers by a scan over roots",
       .paper = "004",
       .parameters = label_ladder::union_find_parameters,
       .allocates = true,  // past 65,536 components
       .host_sync = true,
       .supports = CUESTA_GPU(shapes),
       .run = CUESTA_GPU(label_ladder::union_find)},
      {.name = "blocks",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "the same with a thread and a tree walk a block of 2 x 2 pixels",
       .paper = "004",
       .allocates = true,  // past 65,536 components
       .host_sync = true,
       .supports = CUESTA_GPU(lists_of_the_host),
       .run = CUESTA_GPU(label_ladder::blocks)},
      {.name = "runs",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "union-find over runs in words of bits: labels, sums and boxes by runs",
       .paper = "004",
       .allocates = true,  // past 65,536 components
       .host_sync = true,
       .supports = CUESTA_GPU(lists_of_the_host),
       .run = CUESTA_GPU(label_ladder::runs)},
  };
  return all;
}

}  // namespace cuesta
