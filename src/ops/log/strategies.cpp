// Every strategy of log, on the CPU and on CUDA: the one list of what exists.
#include "cuda/limits.hpp"
#include "cuda/tensor_cores.hpp"
#include "cuda/tile_rows.hpp"
#include "ops/log/cuda.hpp"
#include "ops/log/ladder/ladder.hpp"
#include "ops/log/reference.hpp"

namespace cuesta {
namespace {

#if CUESTA_HAS_CUDA
// The grid's second dimension ends at 65,535 blocks of 8 rows.
std::string_view supports(const LogArgs& args, const Parameters&) {
  return args.src.height > 65535 * 8 ? "pictures higher than 524,280" : std::string_view();
}

std::string_view byte_stencil(const LogArgs& args, const Parameters&) {
  if (!cuda::multiplies_bytes()) return "GPUs below compute capability 8.0";
  if (const auto why = cuda::tiles_take(args.src); !why.empty()) return why;
  const bool response = args.dst.type == PixelType::s32;
  const log::ByteStencil stencil = log::byte_stencil(log::window(args.options));
  if (stencil.size == 0) return "windows whose weights exceed signed bytes";
  if (response && stencil.factor != 1) return "responses whose weights share a factor";
  const bool crossings = !response && args.options.mode == LogMode::zero_crossings;
  return crossings && stencil.threshold > log::max_crossing_threshold
             ? "zero crossings whose threshold times the weights' scale exceeds 16,383"
             : std::string_view();
}

std::string_view papers_window(const LogArgs& args, const Parameters& parameters) {
  if (!log::is_papers_window(args.options)) return "windows other than the paper's";
  return supports(args, parameters);
}

std::string_view rolling_rows(const LogArgs& args, const Parameters& parameters) {
  // Five rows of the extended picture as f32.
  const size_t bytes = 5 * (size_t(args.src.width) + 6) * sizeof(float);
  return bytes > cuda::shared_limit() ? "pictures whose rolling rows exceed shared memory"
                                      : papers_window(args, parameters);
}

std::string_view tiles(const LogArgs& args, const Parameters& parameters) {
  // Of the 5 x 5 pass on f32; a pass by factors keeps no more where it could be too much.
  const auto block = size_t(parameters.integer("block")), t = size_t(parameters.integer("T"));
  const size_t bytes = (t * block + 4) * (block + 4) * sizeof(float);
  return bytes > cuda::shared_limit() ? "tiles that exceed shared memory"
                                      : papers_window(args, parameters);
}
#endif

// A rung, which takes device views and runs by name only.
constexpr Strategy<LogArgs> rung(
    std::string_view name, std::string_view idea, std::span<const ParameterInfo> parameters,
    void (*run)(const LogArgs&, Call&),
    std::string_view (*takes)(const LogArgs&, const Parameters&) = CUESTA_GPU(papers_window)) {
  return {.name = name,
          .space = Space::device,
          .tier = Tier::ladder,
          .idea = idea,
          .paper = "000",
          .parameters = parameters,
          .supports = takes,
          .run = run};
}

}  // namespace

std::span<const Strategy<LogArgs>> LogArgs::strategies() {
  using namespace log_ladder;
  static constexpr Strategy<LogArgs> all[] = {
      {.name = "serial",
       .tier = Tier::reference,
       .idea = "the definition, one pixel after the other",
       .paper = "000",
       .run = log_serial},
      {.name = "rows",
       .tier = Tier::baseline,
       .idea = "plain loops, rows over threads",
       .paper = "000",
       .run = log_rows},
      {.name = "simd",
       .tier = Tier::production,
       .idea = "one pass down columns of registers, 16-bit sums modulo 2^16; other windows in 32 "
               "bits by rows",
       .run = log_simd},
      {.name = "plain",
       .space = Space::device,
       .tier = Tier::baseline,
       .idea = "two sums down, both across, then the rule; a thread a pixel",
       .paper = "000",
       .run = CUESTA_GPU(log_cuda::plain)},
      rung("naive", "Gaussian, then Laplacian, both convolve's naive", any_block_only,
           CUESTA_GPU(two_pass<naive>)),
      rung("shared", "both passes convolve's shared", block_and_load, CUESTA_GPU(two_pass<shared>)),
      rung("shared-constant", "both passes convolve's shared-constant", any_block_only,
           CUESTA_GPU(two_pass<shared_constant>)),
      rung("constant", "both passes convolve's constant", any_block_only,
           CUESTA_GPU(two_pass<constant>)),
      rung("texture", "both passes convolve's texture", any_block_only,
           CUESTA_GPU(two_pass<texture>))
          .waiting(),
      rung("texture-constant", "both passes convolve's texture-constant", any_block_only,
           CUESTA_GPU(two_pass<texture_constant>))
          .waiting(),
      rung("separable",
           "the Gaussian by its factors; the Laplacian, of rank 2, convolve's constant", block_only,
           CUESTA_GPU(two_pass<separable>)),
      rung("tiled", "both passes convolve's tiled", block_and_tiles, CUESTA_GPU(two_pass<tiled>),
           CUESTA_GPU(tiles)),
      rung("adaptive-tiled", "both passes convolve's adaptive-tiled", block_and_limit,
           CUESTA_GPU(two_pass<adaptive_tiled>)),
      rung("separable-tiled", "the Gaussian convolve's separable-tiled, the Laplacian its tiled",
           block_tiles_and_transpose, CUESTA_GPU(two_pass<separable_tiled>), CUESTA_GPU(tiles)),
      rung("row-cyclic", "both passes convolve's row-cyclic", grid_only,
           CUESTA_GPU(two_pass<row_cyclic>), CUESTA_GPU(rolling_rows)),
      {.name = "tensor",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "the whole window as products of matrices of bytes on the tensor cores, from tiles "
               "copied in bulk; zero crossings from 16-bit sums in shared memory",
       .supports = CUESTA_GPU(byte_stencil),
       .run = CUESTA_GPU(log_cuda::tensor)},
      {.name = "mma-separable",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "the Gaussian as two products of matrices of bytes on the tensor cores, then the "
               "Laplacian and the rule marching down",
       .supports = CUESTA_GPU(log_cuda::mma_separable_takes),
       .run = CUESTA_GPU(log_cuda::mma_separable)},
      {.name = "sums",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "the Gaussian's sums by products of matrices of bytes, into a picture of 32 bits, "
               "then the Laplacian and the rule marching down it",
       .supports = CUESTA_GPU(log_cuda::sums_take),
       .run = CUESTA_GPU(log_cuda::sums)},
      {.name = "fused",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "one pass: both filters and the rule on registers rolling down four columns",
       .supports = CUESTA_GPU(supports),
       .run = CUESTA_GPU(log_cuda::fused)},
  };
  return all;
}

}  // namespace cuesta
