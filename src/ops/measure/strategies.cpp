// Every strategy of measure, on the CPU and on CUDA: the one list of what exists.
#include "ops/measure/cuda.hpp"
#include "ops/measure/reference.hpp"

namespace cuesta {

std::span<const Strategy<MeasureArgs>> MeasureArgs::strategies() {
  static constexpr Strategy<MeasureArgs> all[] = {
      {.name = "serial",
       .tier = Tier::reference,
       .idea = "the definition: every pixel adds to the sums of its component",
       .run = measure_serial},
      {.name = "rows",
       .tier = Tier::production,
       .idea = "runs add in closed form, only outlines look around, strips over threads",
       .run = measure_rows},
      {.name = "plain",
       .space = Space::device,
       .tier = Tier::baseline,
       .idea = "a thread a row of a tile; runs add to their component by atomics",
       .allocates = true,
       .host_sync = true,
       .run = CUESTA_GPU(measure_cuda::plain)},
  };
  return all;
}

}  // namespace cuesta
