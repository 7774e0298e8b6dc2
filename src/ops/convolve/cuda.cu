// The device rows of convolve: the papers' steps and `plain`. There is no production row yet.
#include "ops/convolve/cuda/kernels.cuh"
#include "ops/convolve/ladder/ladder.hpp"
#include "ops/convolve/plain.hpp"
#include "ops/ladder_parameters.hpp"

namespace cuesta {
namespace {

using convolve_cuda::supports_window;
using convolve_ladder::max_side;

std::string_view window(const ConvolveArgs& args, const Parameters&) {
  return supports_window(args, max_side);
}

// load=by-position reaches one block further, load=one-each must leave pixels to compute.
std::string_view block_window(const ConvolveArgs& args, const Parameters& p) {
  const int side = std::max(args.width, args.height);
  return side > p.integer("block") ? "windows wider than the block" : window(args, p);
}

std::string_view three_by_three(const ConvolveArgs& args, const Parameters& p) {
  if (args.width != 3 || args.height != 3) return "stencils other than 3 x 3";
  return window(args, p);
}

std::string_view factors(const ConvolveArgs& args, const Parameters& p) {
  const bool separable =
      args.src.type == PixelType::f32 ? args.floats.separable() : args.integers.separable();
  return separable ? window(args, p) : "stencils without factors";
}

std::string_view rolling_rows(const ConvolveArgs& args, const Parameters& p) {
  const size_t bytes = size_t(args.height) * size_t(args.src.width + args.width - 1) *
                       size_t(bytes_per_sample(args.src.type));
  return bytes > cuda::shared_limit() ? "pictures whose rolling rows exceed shared memory"
                                      : window(args, p);
}

constexpr std::string_view within = "equal bytes; f32 with factors within 2e-5 of the largest sum";

}  // namespace

std::span<const Strategy<ConvolveArgs>> convolve_cuda_rows() {
  using namespace convolve_ladder;
  using namespace ladder_parameters;
  constexpr auto rung = [](std::string_view name, std::string_view idea, std::string_view paper,
                           std::span<const ParameterInfo> parameters,
                           std::string_view (*supports)(const ConvolveArgs&, const Parameters&),
                           void (*run)(const ConvolveArgs&, Call&),
                           std::string_view exactness = within, bool host_sync = false) {
    return Strategy<ConvolveArgs>{.name = name,
                                  .space = Space::device,
                                  .tier = Tier::ladder,
                                  .idea = idea,
                                  .paper = paper,
                                  .exactness = exactness,
                                  .parameters = parameters,
                                  .host_sync = host_sync,
                                  .supports = supports,
                                  .run = run};
  };
  static constexpr Strategy<ConvolveArgs> rows[] = {
      rung("naive", "a thread a pixel; image and taps from global memory", "000 001 002",
           any_block_only, window, naive),
      rung("global", "paper 003's name for naive, 3 x 3", "003", any_block_only, three_by_three,
           naive),
      rung("shared", "a block's samples and apron in shared memory", "000 002", block_and_load,
           block_window, shared),
      rung("shared-constant", "shared, with the taps in the constant bank", "000", any_block_only,
           block_window, shared_constant),
      rung("constant", "naive, with the taps in the constant bank", "002", any_block_only, window,
           constant),
      rung("texture", "naive, with the image read through a texture", "002", any_block_only, window,
           texture, within, true),
      rung("texture-constant", "texture, with the taps in the constant bank", "002", any_block_only,
           window, texture_constant, within, true),
      rung("separable", "column sums, then row sums, through device memory", "000 002", block_only,
           factors, separable, "equal bytes"),
      rung("tiled", "T tiles a block from one load", "000", block_and_tiles, window, tiled),
      rung("adaptive-tiled", "as many tiles a block as shared memory holds", "000", block_and_limit,
           window, adaptive_tiled),
      rung("separable-tiled", "both passes of separable through tiles in shared memory", "000",
           block_and_transpose, factors, separable_tiled, "equal bytes"),
      rung("row-cyclic", "K whole rows in shared memory, rolling down", "001", {}, rolling_rows,
           row_cyclic),
      rung("shared-1d", "a one-dimensional shared tile, four loads a thread, 3 x 3", "003",
           block_only, three_by_three, convolve_ladder::shared_1d),
      {.name = "plain",
       .space = Space::device,
       .tier = Tier::baseline,
       .idea = "the definition, a thread a pixel; columns, then rows, where there are factors",
       .paper = "000",
       .run = convolve_cuda_plain},
  };
  return rows;
}

}  // namespace cuesta
