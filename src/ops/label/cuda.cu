// The device rows of label. Numbers and components are host objects, so every row waits for them.
#include "ops/label/ladder/ladder.hpp"
#include "ops/label/reference.hpp"

namespace cuesta {

std::span<const Strategy<LabelArgs>> label_cuda_rows() {
  static constexpr Strategy<LabelArgs> rows[] = {
      {.name = "plain",
       .space = Space::device,
       .tier = Tier::baseline,
       .idea = "a thread a pixel, joined by atomics to all neighbours before it",
       .allocates = true,  // past 65,536 components
       .host_sync = true,
       .run = label_plain},
      {.name = "union-find",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "a thread a pixel: init, merge by atomics, compress; numbers by a scan over roots",
       .paper = "004",
       .allocates = true,  // past 65,536 components
       .host_sync = true,
       .run = label_ladder::union_find},
  };
  return rows;
}

}  // namespace cuesta
