// Every strategy of clean, on the CPU and on CUDA: the one list of what exists.
#include "ops/clean/cuda.hpp"
#include "ops/clean/reference.hpp"

namespace cuesta {

std::span<const Strategy<CleanArgs>> CleanArgs::strategies() {
  static constexpr Strategy<CleanArgs> all[] = {
      {.name = "serial",
       .tier = Tier::reference,
       .idea = "the definition: every component is flooded, and changes or stays",
       .run = clean_serial},
      {.name = "labels",
       .tier = Tier::production,
       .idea = "components by label, a decision for each, looked up by every pixel",
       .run = clean_labels},
      {.name = "list",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "components by label, a decision for each on the host, looked up by every pixel",
       .allocates = true,
       .host_sync = true,
       .run = CUESTA_GPU(clean_cuda::list)},
  };
  return all;
}

}  // namespace cuesta
