// Every strategy of sobel, on the CPU and on CUDA: the one list of what exists.
#include "ops/ladder_parameters.hpp"
#include "ops/sobel/cuda.hpp"
#include "ops/sobel/ladder/ladder.hpp"
#include "ops/sobel/reference.hpp"

namespace cuesta {
namespace {

constexpr std::string_view exactness = "equal bytes";

#if CUESTA_HAS_CUDA
// The grid's second dimension ends at 65,535 blocks; blocks are at least 8 rows high.
std::string_view supports(const SobelArgs& args, const Parameters&) {
  return args.src.height > 65535 * 8 ? "pictures higher than 524,280" : std::string_view();
}
#endif

}  // namespace

std::span<const Strategy<SobelArgs>> SobelArgs::strategies() {
  static constexpr Strategy<SobelArgs> all[] = {
      {.name = "serial",
       .tier = Tier::reference,
       .idea = "the definition, one pixel after the other",
       .paper = "001",
       .run = sobel_serial},
      {.name = "rows",
       .tier = Tier::baseline,
       .idea = "plain loops, rows over threads",
       .paper = "001",
       .run = sobel_rows},
      {.name = "simd",
       .tier = Tier::production,
       .idea = "separable rolling rows in vector registers, strips over threads",
       .run = sobel_simd},
      {.name = "plain",
       .space = Space::device,
       .tier = Tier::baseline,
       .idea = "the definition, a thread a pixel",
       .paper = "003",
       .exactness = exactness,
       .run = CUESTA_GPU(sobel_cuda::plain)},
      {.name = "global",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "a thread a pixel, its window read from global memory",
       .paper = "003",
       .exactness = exactness,
       .parameters = ladder_parameters::any_block_only,
       .supports = CUESTA_GPU(supports),
       .run = CUESTA_GPU(sobel_ladder::global)},
      {.name = "shared-no-apron",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "the block's own pixels in shared memory, the rest of the window from global memory",
       .paper = "003",
       .exactness = exactness,
       .parameters = ladder_parameters::any_block_only,
       .supports = CUESTA_GPU(supports),
       .run = CUESTA_GPU(sobel_ladder::shared_no_apron)},
      {.name = "shared-apron",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "the apron in shared memory too, four loads a thread",
       .paper = "003",
       .exactness = exactness,
       .parameters = ladder_parameters::any_block_and_loads,
       .supports = CUESTA_GPU(supports),
       .run = CUESTA_GPU(sobel_ladder::shared_apron)},
      {.name = "shared-1d",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "the same tile as a one-dimensional array",
       .paper = "003",
       .exactness = exactness,
       .parameters = ladder_parameters::any_block_and_loads,
       .supports = CUESTA_GPU(supports),
       .run = CUESTA_GPU(sobel_ladder::shared_1d)},
      {.name = "pairs",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "u8, aperture 3: tiles marched down in pairs of samples, integers as fp16",
       .exactness = exactness,
       .supports = CUESTA_GPU(sobel_cuda::pairs_supports),
       .run = CUESTA_GPU(sobel_cuda::pairs)},
      {.name = "tensor",
       .space = Space::device,
       .tier = Tier::production,
       .idea =
           "u8: both gradients of 2 x 2 pixels as one product on the int8 tensor cores, from tiles",
       .exactness = exactness,
       .supports = CUESTA_GPU(sobel_cuda::tensor_supports),
       .run = CUESTA_GPU(sobel_cuda::tensor)},
      {.name = "march",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "columns marched down, windows as sums and differences of neighbours",
       .exactness = exactness,
       .supports = CUESTA_GPU(sobel_cuda::march_supports),
       .run = CUESTA_GPU(sobel_cuda::march)},
      {.name = "tiles",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "f32: sums down the columns in registers, marched down tiles in shared memory",
       .exactness = exactness,
       .supports = CUESTA_GPU(sobel_cuda::tiles_support),
       .run = CUESTA_GPU(sobel_cuda::tiles)},
      {.name = "fused",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "one pass: window sums in registers, four pixels a thread, all outputs together",
       .exactness = exactness,
       .supports = CUESTA_GPU(supports),
       .run = CUESTA_GPU(sobel_cuda::fused)},
  };
  return all;
}

}  // namespace cuesta
