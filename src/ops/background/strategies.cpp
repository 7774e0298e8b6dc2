// Every strategy of background, on the CPU and on CUDA: the one list of what exists.
#include "ops/background/cuda.hpp"
#include "ops/background/reference.hpp"

namespace cuesta {

std::span<const Strategy<BackgroundArgs>> BackgroundArgs::strategies() {
  static constexpr Strategy<BackgroundArgs> all[] = {
      {.name = "serial",
       .tier = Tier::reference,
       .idea = "the recurrences, one pixel after the other",
       .paper = "004",
       .run = background_serial},
      {.name = "rows",
       .tier = Tier::baseline,
       .idea = "plain loops, rows over threads",
       .paper = "004",
       .run = each_frame<background_rows>},
      {.name = "simd",
       .tier = Tier::production,
       .idea = "a vector of pixels at a time, all branches taken; the mask packed row by row",
       .run = each_frame<background_simd>},
      {.name = "plain",
       .space = Space::device,
       .tier = Tier::baseline,
       .idea = "the recurrences of every model, a thread a pixel",
       .run = CUESTA_GPU(each_frame<background_cuda::plain>)},
      {.name = "fused",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "a thread several pixels, their state in registers over all frames of a batch",
       .supports = CUESTA_GPU(background_cuda::fused_supports),
       .run = CUESTA_GPU(background_cuda::fused)},
      {.name = "words",
       .space = Space::device,
       .tier = Tier::production,
       .idea =
           "the samples, a thread four pixels: a word of each plane, of which three are written",
       .supports = CUESTA_GPU(background_cuda::words_supports),
       .run = CUESTA_GPU(background_cuda::words)},
  };
  return all;
}

}  // namespace cuesta
