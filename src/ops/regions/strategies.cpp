// Every strategy of regions, on the CPU and on CUDA: the one list of what exists.
#include "ops/regions/reference.hpp"

namespace cuesta {

std::span<const Strategy<RegionsArgs>> RegionsArgs::strategies() {
  static constexpr Strategy<RegionsArgs> all[] = {
      {.name = "serial",
       .tier = Tier::reference,
       .idea = "flooding from queues, one a level; arcs in a heap, the weakest joined first",
       .run = regions_serial},
      {.name = "host",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "the picture is copied to the host, worked on there, and the result copied back",
       .host_sync = true,
       .run = CUESTA_GPU(regions_on_host)},
  };
  return all;
}

}  // namespace cuesta
