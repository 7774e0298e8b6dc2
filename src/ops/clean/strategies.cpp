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
      {.name = "plain",
       .space = Space::device,
       .tier = Tier::baseline,
       .idea = "the same on the GPU; decisions are made on the host",
       .allocates = true,
       .host_sync = true,
       .run = CUESTA_GPU(clean_cuda::plain)},
  };
  return all;
}

}  // namespace cuesta
