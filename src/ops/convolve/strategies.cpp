// Every strategy of convolve, on the CPU and on CUDA: the one list of what exists.
#include <algorithm>
#include <cstdlib>

#include "cuda/limits.hpp"
#include "cuda/tensor_cores.hpp"
#include "ops/convolve/cuda.hpp"
#include "ops/convolve/cuda/factors.hpp"
#include "ops/convolve/ladder/ladder.hpp"
#include "ops/convolve/ladder/tile_arithmetic.hpp"
#include "ops/convolve/reference.hpp"
#include "ops/convolve/tensor_taps.hpp"
#include "ops/ladder_parameters.hpp"

namespace cuesta {
namespace {

#if CUESTA_HAS_CUDA
// Gaussians go to the rows of factors but where one product of bytes serves them. What divides
// otherwise goes there where the rows of windows do not take it: a quotient costs less here.
std::string_view tensor_takes(const ConvolveArgs& args, const Parameters& parameters) {
  if (!cuda::multiplies_bytes()) return "GPUs below compute capability 8.0";
  TensorTaps taps;
  if (const auto why = tensor_taps(args, taps); !why.empty()) return why;
  const bool bytes = args.src.type == PixelType::u8 && taps.planes == 1;
  const bool here = !taps.is_wide() && (bytes || !convolve_mma::is_q16(args));
  return !here && convolve_cuda::mma_separable_takes(args, parameters).empty()
             ? "separable stencils that mma-separable computes faster"
             : std::string_view();
}

std::string_view tensor_rows_takes(const ConvolveArgs& args, const Parameters& parameters) {
  if (!cuda::multiplies_bytes()) return "GPUs below compute capability 8.0";
  TensorTaps taps;
  if (const auto why = tensor_row_taps(args, taps); !why.empty()) return why;
  // H200, 2026-11-29, 4096², 3 channels of u16: boxes of 5, 7 and 9 take 1.68, 3.21 and 3.20 copies
  // here, and 2.56, 2.78 and 2.78 by mma-separable.
  const int32_t rows = args.src.type == PixelType::u16 ? 5 : TensorTaps::planes_rows;
  const bool here = taps.planes == 1 && !convolve_mma::is_q16(args) && args.height <= rows;
  return !here && convolve_cuda::mma_long_takes(args, parameters).empty()
             ? "separable stencils that products of factors compute faster"
             : std::string_view();
}

// What the rungs take: one channel, sums in 32 bits, windows of at most convolve_ladder::max_side
// on each side.
std::string_view window(const ConvolveArgs& args, const Parameters&) {
  using enum PixelType;
  if (args.src.channels != 1) return "more than one channel";
  if (args.src.type != args.dst.type) return "results of another type";
  if (args.width > convolve_ladder::max_side || args.height > convolve_ladder::max_side)
    return "stencils that exceed shared or constant memory";
  if (args.src.type == f32) return args.equal ? "windows of many equal taps" : "";
  if (args.divisor > (int64_t(1) << 30)) return "sums above 32 bits";
  const int64_t most = args.src.type == u8 ? 255 : 65535;
  int64_t sum = 0;
  for (int32_t j = 0; j < args.height; ++j)
    for (int32_t i = 0; i < args.width; ++i)
      sum += most * std::abs(int64_t(args.integers.at(i, j, args.width)));
  return sum < (int64_t(1) << 31) ? std::string_view() : "sums above 32 bits";
}

// A grid's second dimension ends at 65,535 blocks, each of which makes `rows` rows.
std::string_view blocks_of(int rows, const ConvolveArgs& args, const Parameters& p) {
  return args.src.height > int64_t(65535) * rows ? "pictures higher than 65,535 blocks"
                                                 : window(args, p);
}
std::string_view blocks(const ConvolveArgs& args, const Parameters& p) {
  return blocks_of(p.integer("block"), args, p);
}

std::string_view whole_vectors(const ConvolveArgs& args, const Parameters& p) {
  const auto begins = reinterpret_cast<uintptr_t>(args.src.data);
  return begins % 16 != 0 || args.src.stride_bytes % 16 != 0
             ? "rows that do not begin at a multiple of 16 bytes"
             : blocks(args, p);
}

// load=by-position reaches one block further, load=one-each must leave pixels to compute.
std::string_view block_window(const ConvolveArgs& args, const Parameters& p) {
  const int side = std::max(args.width, args.height);
  return side > p.integer("block") ? "windows wider than the block" : blocks(args, p);
}
std::string_view shared_window(const ConvolveArgs& args, const Parameters& p) {
  const auto why = block_window(args, p);
  return why.empty() && p.text("load") == "one-each"
             ? blocks_of(p.integer("block") - args.height + 1, args, p)
             : why;
}

std::string_view three_by_three(const ConvolveArgs& args, const Parameters& p) {
  if (args.width != 3 || args.height != 3) return "stencils other than 3 x 3";
  return blocks(args, p);
}

bool separable_stencil(const ConvolveArgs& args) {
  return args.src.type == PixelType::f32 ? args.floats.separable() || args.equal
                                         : args.integers.separable();
}
std::string_view factors(const ConvolveArgs& args, const Parameters& p) {
  return separable_stencil(args) ? blocks(args, p) : "stencils that are not separable";
}
std::string_view factors_with_halos(const ConvolveArgs& args, const Parameters& p) {
  return separable_stencil(args) ? blocks_of(convolve_ladder::halo_rows, args, p)
                                 : "stencils that are not separable";
}

std::string_view fits(size_t shared_bytes) {
  return shared_bytes > cuda::shared_limit() ? "tiles that exceed shared memory"
                                             : std::string_view();
}

std::string_view tile_window(const ConvolveArgs& args, const Parameters& p) {
  const auto why = blocks(args, p);
  if (!why.empty()) return why;
  return fits(
      convolve_ladder::tile_samples(p.integer("T"), p.integer("block"), args.width, args.height) *
      size_t(bytes_per_sample(args.src.type)));
}

std::string_view tile_factors(const ConvolveArgs& args, const Parameters& p) {
  using namespace convolve_ladder;
  const auto why = factors(args, p);
  if (!why.empty()) return why;
  const int b = p.integer("block"), tiles = p.integer("T");
  return fits(
      std::max(column_tile_bytes(tiles, b, args.height, size_t(bytes_per_sample(args.src.type)),
                                 p.text("transpose") == "on"),
               row_tile_bytes(tiles, b, args.width)));
}

std::string_view rolling_rows(const ConvolveArgs& args, const Parameters& p) {
  const size_t bytes =
      size_t(args.height) * size_t(args.src.width) * size_t(bytes_per_sample(args.src.type));
  if (p.text("threads") == "columns" &&
      args.src.width - args.width + 1 > ladder_parameters::max_columns)
    return "pictures with more columns than a block has threads";
  return bytes > cuda::shared_limit() ? "pictures whose rolling rows exceed shared memory"
                                      : window(args, p);
}
#endif

constexpr std::string_view within = "equal bytes; f32 with factors within 2e-5 of the largest sum";

// A rung, which takes device views and runs by name only.
constexpr Strategy<ConvolveArgs> rung(
    std::string_view name, std::string_view idea, std::string_view paper,
    std::span<const ParameterInfo> parameters,
    std::string_view (*supports)(const ConvolveArgs&, const Parameters&),
    void (*run)(const ConvolveArgs&, Call&), std::string_view exactness = within) {
  return {.name = name,
          .space = Space::device,
          .tier = Tier::ladder,
          .idea = idea,
          .paper = paper,
          .exactness = exactness,
          .parameters = parameters,
          .supports = supports,
          .run = run};
}

}  // namespace

std::span<const Strategy<ConvolveArgs>> ConvolveArgs::strategies() {
  using namespace convolve_ladder;
  using namespace ladder_parameters;
  static constexpr Strategy<ConvolveArgs> all[] = {
      {.name = "serial",
       .tier = Tier::reference,
       .idea = "the definition, one pixel after the other",
       .paper = "000",
       .run = convolve_serial},
      {.name = "rows",
       .tier = Tier::baseline,
       .idea = "plain loops, rows over threads",
       .paper = "000",
       .run = convolve_rows},
      {.name = "simd",
       .tier = Tier::production,
       .idea =
           "two passes where the rank is 1, sums in the fewest bits that hold them, tiles in L1",
       .supports = convolve_simd_supports,
       .run = convolve_simd},
      {.name = "plain",
       .space = Space::device,
       .tier = Tier::baseline,
       .idea = "the definition, a thread a pixel; columns, then rows, where there are factors",
       .paper = "000",
       .run = CUESTA_GPU(convolve_cuda::plain)},
      rung("naive", "a thread a pixel; image and taps from global memory", "000 001 002",
           of_any_block, CUESTA_GPU(blocks), CUESTA_GPU(naive)),
      rung("global", "paper 003's name for naive, 3 x 3", "003", any_block_only,
           CUESTA_GPU(three_by_three), CUESTA_GPU(naive)),
      rung("shared", "a block's samples and apron in shared memory", "000 002", of_load,
           CUESTA_GPU(shared_window), CUESTA_GPU(shared)),
      rung("shared-constant", "shared, with the taps in the constant bank", "000", of_any_block,
           CUESTA_GPU(block_window), CUESTA_GPU(shared_constant)),
      rung("constant", "naive, with the taps in the constant bank", "002", of_any_block,
           CUESTA_GPU(blocks), CUESTA_GPU(constant)),
      rung("texture", "naive, with the image read through a texture", "002", of_any_block,
           CUESTA_GPU(blocks), CUESTA_GPU(texture))
          .waiting(),
      rung("texture-constant", "texture, with the taps in the constant bank", "002", of_any_block,
           CUESTA_GPU(blocks), CUESTA_GPU(texture_constant))
          .waiting(),
      rung("two-pass", "constant for factors: column sums, then row sums, from global memory",
           "002", of_block, CUESTA_GPU(factors), CUESTA_GPU(two_pass), "equal bytes"),
      rung("separable", "shared-constant for factors: two passes, at most two loads a thread each",
           "000", of_block, CUESTA_GPU(factors), CUESTA_GPU(separable), "equal bytes"),
      rung("tiled", "T tiles a block from one load", "000", of_tiles, CUESTA_GPU(tile_window),
           CUESTA_GPU(tiled)),
      rung("adaptive-tiled", "each block makes all tiles that fit in shared memory", "000",
           of_limit, CUESTA_GPU(blocks), CUESTA_GPU(adaptive_tiled)),
      rung("separable-tiled", "both passes of separable with T tiles a block", "000", of_transpose,
           CUESTA_GPU(tile_factors), CUESTA_GPU(separable_tiled), "equal bytes"),
      rung("row-cyclic", "K whole rows in shared memory, rolling down", "001", of_grid,
           CUESTA_GPU(rolling_rows), CUESTA_GPU(row_cyclic_of_threads)),
      rung("shared-1d", "a one-dimensional shared tile, up to four loads a thread, 3 x 3", "003",
           block_and_loads, CUESTA_GPU(three_by_three), CUESTA_GPU(convolve_ladder::shared_1d)),
      rung("registers", "constant with four pixels of a column a thread, their sums in registers",
           "", any_block_only, CUESTA_GPU(blocks), CUESTA_GPU(registers)),
      rung("vectors", "16 bytes of results a thread, samples loaded 16 bytes at a time", "",
           of_small_block, CUESTA_GPU(whole_vectors), CUESTA_GPU(vectors)),
      rung("halos", "separable with eight results a thread, tiles with aligned halos", "", {},
           CUESTA_GPU(factors_with_halos), CUESTA_GPU(halos), "equal bytes"),
      {.name = "planes",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "several channels where a row for one channel is faster: split into planes, each "
               "filtered, and merged",
       .supports = CUESTA_GPU(convolve_cuda::planes_take),
       .run = CUESTA_GPU(convolve_cuda::planes)},
      {.name = "tensor",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "windows to 9 x 9, of u8 to 15 x 15, as products of matrices of bytes on the tensor "
               "cores, from tiles copied in bulk",
       .supports = CUESTA_GPU(tensor_takes),
       .run = CUESTA_GPU(convolve_cuda::tensor)},
      {.name = "tensor-rows",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "windows of u8 and u16 of any number of channels, a row of samples at a time on the "
               "tensor cores; sums of as many rows as the window has in registers",
       .supports = CUESTA_GPU(tensor_rows_takes),
       .run = CUESTA_GPU(convolve_cuda::tensor_rows)},
      {.name = "running",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "boxes and sharpening of u8 and u16 of any number of channels: sums that run down, "
               "and differences of sums across in shared memory",
       .supports = CUESTA_GPU(convolve_cuda::running_takes),
       .run = CUESTA_GPU(convolve_cuda::running)},
      {.name = "mma-separable",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "u8 factors without signs as two int8 tensor-core products in registers",
       .supports = CUESTA_GPU(convolve_cuda::mma_separable_takes),
       .run = CUESTA_GPU(convolve_cuda::mma_separable)},
      {.name = "mma-long",
       .space = Space::device,
       .tier = Tier::production,
       .idea =
           "the same of windows up to 255 x 255 and up to 4 channels, marching down long strips "
           "with sums across in shared memory",
       .supports = CUESTA_GPU(convolve_cuda::mma_long_takes),
       .run = CUESTA_GPU(convolve_cuda::mma_long)},
      {.name = "separable-f32",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "f32 factors in one pass: column sums rolling down in registers, exchanged across",
       .supports = CUESTA_GPU(convolve_cuda::separable_f32_takes),
       .run = CUESTA_GPU(convolve_cuda::separable_f32)},
      {.name = "tiles-f32",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "f32 windows from tiles: a row is added to the sums of a few rows of a few columns",
       .supports = CUESTA_GPU(convolve_cuda::tiles_f32_takes),
       .run = CUESTA_GPU(convolve_cuda::tiles_f32)},
      {.name = "long-f32",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "f32 factors of any length in two passes: sums of 16 rows, then of 8 columns, of a "
               "lane in registers",
       .supports = CUESTA_GPU(convolve_cuda::long_f32_takes),
       .run = CUESTA_GPU(convolve_cuda::long_f32)},
      {.name = "pairwise",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "large f32 boxes and sharpening of any number of channels: sums of two sums half as "
               "long, exchanged between lanes along the window; down, then across",
       .supports = CUESTA_GPU(convolve_cuda::pairwise_takes),
       .run = CUESTA_GPU(convolve_cuda::pairwise)},
      {.name = "blocks",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "windows of any type, size and number of channels from tiles: sums of 8 rows of 4 "
               "columns of a lane in registers",
       .supports = CUESTA_GPU(convolve_cuda::blocks_take),
       .run = CUESTA_GPU(convolve_cuda::blocks)},
  };
  return all;
}

}  // namespace cuesta
