// Every strategy of background, on the CPU and on CUDA: the one list of what exists.
#include "ops/background/cuda.hpp"
#include "ops/background/reference.hpp"

namespace cuesta {

#if CUESTA_HAS_CUDA
namespace {

// The grid's second dimension ends at 65,535 blocks of 8 rows.
std::string_view supports(const BackgroundArgs& args, const Parameters&) {
  if (args.model != BackgroundModel::first) return "background models other than first";
  return args.frame.height > 65535 * 8 ? "pictures higher than 524,280" : std::string_view();
}

}  // namespace
#endif

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
       .run = background_rows},
      {.name = "simd",
       .tier = Tier::production,
       .idea = "a vector of pixels at a time, all branches taken; the mask packed row by row",
       .run = background_simd},
      {.name = "plain",
       .space = Space::device,
       .tier = Tier::baseline,
       .idea = "the recurrences of every model, a thread a pixel",
       .run = CUESTA_GPU(background_cuda::plain)},
      {.name = "fused",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "one pass, a thread a pixel; half a word of the mask by each warp's ballot",
       .supports = CUESTA_GPU(supports),
       .run = CUESTA_GPU(background_cuda::fused)},
  };
  return all;
}

}  // namespace cuesta
