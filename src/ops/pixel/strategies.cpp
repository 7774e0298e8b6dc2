// Every strategy of pixel, on the CPU and on CUDA: the one list of what exists.
#include "ops/pixel/cuda.hpp"
#include "ops/pixel/reference.hpp"

namespace cuesta {
namespace {

#if CUESTA_HAS_CUDA
std::string_view vectors_supports(const PixelArgs& args, const Parameters&) {
  if (args.op == PixelOp::keep_channels) return "keep_channels";
  return {};
}
#endif

}  // namespace

std::span<const Strategy<PixelArgs>> PixelArgs::strategies() {
  static constexpr Strategy<PixelArgs> all[] = {
      {.name = "serial",
       .tier = Tier::reference,
       .idea = "the definition, one pixel after the other",
       .paper = "004",
       .run = pixel_serial},
      {.name = "rows",
       .tier = Tier::baseline,
       .idea = "plain loops, rows over threads; histograms in bins of each strip's own",
       .paper = "004",
       .run = pixel_rows},
      {.name = "simd",
       .tier = Tier::production,
       .idea = "vector registers, masks packed as they are made, four histograms a strip",
       .run = pixel_simd},
      {.name = "plain",
       .space = Space::device,
       .tier = Tier::baseline,
       .idea = "the definition, a thread a sample or a word of 64 bits",
       .paper = "004",
       .host_sync = true,  // for the histogram, whose counts are the host's
       .run = CUESTA_GPU(pixel_cuda::plain)},
      {.name = "vectors",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "16-byte vectors of packed samples, histograms a lane",
       .host_sync = true,  // for the histogram, whose counts are the host's
       .supports = CUESTA_GPU(vectors_supports),
       .run = CUESTA_GPU(pixel_cuda::vectors)},
  };
  return all;
}

}  // namespace cuesta
