// Every strategy of morphology, on the CPU and on CUDA: the one list of what exists.
#include "ops/morphology/cuda.hpp"
#include "ops/morphology/reference.hpp"

namespace cuesta {

std::span<const Strategy<MorphologyArgs>> MorphologyArgs::strategies() {
  static constexpr Strategy<MorphologyArgs> all[] = {
      {.name = "serial",
       .tier = Tier::reference,
       .idea = "the definition, one pixel after the other",
       .paper = "004",
       .run = morphology_serial},
      {.name = "rows",
       .tier = Tier::baseline,
       .idea = "plain loops, rows over threads",
       .paper = "004",
       .run = morphology_rows},
      {.name = "simd",
       .tier = Tier::production,
       .idea = "runs of the element by doubling, masks as bits of words, strips over threads",
       .run = morphology_simd},
      {.name = "plain",
       .space = Space::device,
       .tier = Tier::baseline,
       .idea = "the definition, a thread a pixel or a word of 64, the element as a list of cells",
       .paper = "004",
       .run = CUESTA_GPU(morphology_cuda::plain)},
      {.name = "fused",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "warps march down: disks as squares and rhombi, bits of both steps in one launch; "
               "rectangles by van Herk; other elements by runs",
       .supports = CUESTA_GPU(morphology_cuda::fused_supports),
       .run = CUESTA_GPU(morphology_cuda::fused)},
  };
  return all;
}

}  // namespace cuesta
