// The device rows of the point operations.
#include "ops/pixel/plain.hpp"

namespace cuesta {

std::span<const Strategy<PixelArgs>> pixel_cuda_rows() {
  static constexpr Strategy<PixelArgs> rows[] = {
      {.name = "plain",
       .space = Space::device,
       .tier = Tier::baseline,
       .idea = "the definition, a thread a sample or a word of 64 bits",
       .paper = "004",
       .host_sync = true,  // for the histogram, whose counts are the host's
       .run = pixel_cuda_plain},
  };
  return rows;
}

}  // namespace cuesta
