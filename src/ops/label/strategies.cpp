// Every strategy of label, on the CPU and on CUDA: the one list of what exists.
#include "ops/label/reference.hpp"
#if CUESTA_HAS_CUDA
#include "ops/label/cuda.hpp"
#include "ops/label/ladder/ladder.hpp"
#endif

namespace cuesta {

std::span<const Strategy<LabelArgs>> LabelArgs::strategies() {
  static constexpr Strategy<LabelArgs> all[] = {
    {.name = "serial",
     .tier = Tier::reference,
     .idea = "the definition: flood every component from its first pixel",
     .paper = "004",
     .run = label_serial},
    {.name = "rows",
     .tier = Tier::baseline,
     .idea = "union-find over pixels, rows over threads",
     .paper = "004",
     .run = label_rows},
    {.name = "simd",
     .tier = Tier::production,
     .idea = "union-find over runs found in words of bits, strips over threads",
     .run = label_simd},
#if CUESTA_HAS_CUDA
    {.name = "plain",
     .space = Space::device,
     .tier = Tier::baseline,
     .idea = "a thread a pixel, joined by atomics to all neighbours before it",
     .allocates = true,  // past 65,536 components
     .host_sync = true,
     .run = label_cuda::plain},
    {.name = "union-find",
     .space = Space::device,
     .tier = Tier::ladder,
     .idea = "a thread a pixel: init, merge by atomics, compress; numbers by a scan over roots",
     .paper = "004",
     .allocates = true,  // past 65,536 components
     .host_sync = true,
     .run = label_ladder::union_find},
#endif
  };
  return all;
}

}  // namespace cuesta
