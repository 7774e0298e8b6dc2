// The device rows of morphology.
#include "ops/morphology/plain.hpp"

namespace cuesta {

std::span<const Strategy<MorphologyArgs>> morphology_cuda_rows() {
  static constexpr Strategy<MorphologyArgs> rows[] = {
      {.name = "plain",
       .space = Space::device,
       .tier = Tier::baseline,
       .idea = "the definition, a thread a pixel or a word of 64, the element as a list of cells",
       .paper = "004",
       .run = morphology_cuda_plain},
  };
  return rows;
}

}  // namespace cuesta
