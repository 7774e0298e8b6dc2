// Every strategy of boundaries: the one list of what exists. None runs on a device yet.
#include "ops/boundaries/reference.hpp"

namespace cuesta {

std::span<const Strategy<BoundariesArgs>> BoundariesArgs::strategies() {
  static constexpr Strategy<BoundariesArgs> all[] = {
      {.name = "serial",
       .tier = Tier::reference,
       .idea = "one stage after the other, a whole picture between; hysteresis with a stack",
       .run = boundaries_serial},
      {.name = "rows",
       .tier = Tier::baseline,
       .idea = "every stage's rows over threads; hysteresis on one",
       .run = boundaries_rows},
      {.name = "simd",
       .tier = Tier::production,
       .idea = "levels of the pyramid in 16-bit lanes; strength, limits and suppression fused in "
               "rolling rows, one-bit masks, hysteresis on words",
       .run = boundaries_simd},
  };
  return all;
}

}  // namespace cuesta
