// Every strategy of median, on the CPU and on CUDA: the one list of what exists.
#include "ops/median/reference.hpp"
#if CUESTA_HAS_CUDA
#include "ops/median/cuda.hpp"
#endif

namespace cuesta {

std::span<const Strategy<MedianArgs>> MedianArgs::strategies() {
  static constexpr Strategy<MedianArgs> all[] = {
    {.name = "serial",
     .tier = Tier::reference,
     .idea = "the definition, one pixel after the other",
     .run = median_serial},
    {.name = "rows",
     .tier = Tier::baseline,
     .idea = "plain loops, rows over threads",
     .run = median_rows},
    {.name = "simd",
     .tier = Tier::production,
     .idea = "3 and 5: sorted columns merged in vector registers; larger: histograms of columns, "
             "strips over threads",
     .run = median_simd},
#if CUESTA_HAS_CUDA
    {.name = "plain",
     .space = Space::device,
     .tier = Tier::baseline,
     .idea = "a thread a sample: the median's bits one after the other, counting the window",
     .run = median_cuda::plain},
    {.name = "fused",
     .space = Space::device,
     .tier = Tier::production,
     .idea = "3 and 5: sorted columns merged in registers, u8 and u16 two a register; larger: a "
             "warp's histogram marches down",
     .run = median_cuda::fused},
#endif
  };
  return all;
}

}  // namespace cuesta
