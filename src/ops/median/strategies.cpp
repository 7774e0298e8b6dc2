// Every strategy of median, on the CPU and on CUDA: the one list of what exists.
#include "ops/median/cuda.hpp"
#include "ops/median/reference.hpp"

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
      {.name = "plain",
       .space = Space::device,
       .tier = Tier::baseline,
       .idea = "a thread a sample: the median's bits one after the other, counting the window",
       .run = CUESTA_GPU(median_cuda::plain)},
      {.name = "networks",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "3 to 11: selection networks on a tile in shared memory, two samples a register",
       .supports = CUESTA_GPU(median_cuda::networks_supports),
       .run = CUESTA_GPU(median_cuda::networks)},
      {.name = "lanes",
       .space = Space::device,
       .tier = Tier::production,
       .idea =
           "13 and more: a histogram a lane, and one of the columns that a group of lanes shares",
       .supports = CUESTA_GPU(median_cuda::lanes_supports),
       .run = CUESTA_GPU(median_cuda::lanes)},
      {.name = "ranks",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "u16, 7 and more: the ranks of a tile's samples in 256 bins, the march of `lanes` "
               "over them, then the samples of one bin",
       .supports = CUESTA_GPU(median_cuda::ranks_supports),
       .run = CUESTA_GPU(median_cuda::ranks)},
      {.name = "fused",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "3 and 5: sorted columns merged in registers, u8 and u16 two a register, f32 one; "
               "bits: a count "
               "of the window a lane",
       .supports = CUESTA_GPU(median_cuda::fused_supports),
       .run = CUESTA_GPU(median_cuda::fused)},
  };
  return all;
}

}  // namespace cuesta
