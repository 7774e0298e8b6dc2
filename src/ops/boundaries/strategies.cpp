// Every strategy of boundaries, on the CPU and on CUDA: the one list of what exists.
#include "ops/boundaries/cuda.hpp"
#include "ops/boundaries/reference.hpp"
#include "ops/shared/bit_masks.hpp"

namespace cuesta {

namespace {

std::string_view plain_supports(const BoundariesArgs& args, const Parameters&) {
  return args.makes_strengths() ? "strengths as output" : "";
}
std::string_view host_supports(const BoundariesArgs& args, const Parameters&) {
  return args.makes_strengths() ? "" : "boundaries as output";
}
std::string_view tiles_supports(const BoundariesArgs& args, const Parameters& parameters) {
  if (const auto why = plain_supports(args, parameters); !why.empty()) return why;
  return hysteresis::too_many_pixels(args.src.width, args.src.height);
}

}  // namespace

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
      {.name = "tiles",
       .space = Space::device,
       .tier = Tier::production,
       .idea =
           "three launches from tile to tile in shared memory, pairs of 16 bits a word; one-bit "
           "masks, canny's hysteresis",
       .supports = tiles_supports,
       .run = CUESTA_GPU(boundary_cuda::tiles)},
      {.name = "host",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "strengths: the picture is copied to the host, and the result back",
       .host_sync = true,
       .supports = host_supports,
       .run = CUESTA_GPU(boundaries_on_host)},
      {.name = "plain",
       .space = Space::device,
       .tier = Tier::baseline,
       .idea = "stage after stage, a thread a pixel; hysteresis by sets of pixels",
       .supports = plain_supports,
       .run = CUESTA_GPU(boundary_cuda::plain)},
  };
  return all;
}

}  // namespace cuesta
