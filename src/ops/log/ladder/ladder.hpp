// Paper 000's two-pass forms, as the table of log names them.
#pragma once

#include "ops/ladder_parameters.hpp"
#include "ops/log/args.hpp"

namespace cuesta::log_ladder {

using ladder_parameters::any_block_only, ladder_parameters::block_only,
    ladder_parameters::block_and_load, ladder_parameters::block_and_tiles,
    ladder_parameters::block_and_limit, ladder_parameters::block_tiles_and_transpose,
    ladder_parameters::grid_only;

/// Which strategies of convolve make the two passes, and which parameters each is handed.
struct Passes {
  std::string_view gaussian, laplacian;
  std::span<const ParameterInfo> gaussian_takes, laplacian_takes;
};
constexpr Passes both(std::string_view name, std::span<const ParameterInfo> takes) {
  return {name, name, takes, takes};
}
inline constexpr Passes naive = both("naive", any_block_only);
inline constexpr Passes shared = both("shared", block_and_load);
inline constexpr Passes shared_constant = both("shared-constant", any_block_only);
inline constexpr Passes constant = both("constant", any_block_only);
inline constexpr Passes texture = both("texture", any_block_only);
inline constexpr Passes texture_constant = both("texture-constant", any_block_only);
inline constexpr Passes tiled = both("tiled", block_and_tiles);
inline constexpr Passes adaptive_tiled = both("adaptive-tiled", block_and_limit);
inline constexpr Passes row_cyclic = both("row-cyclic", grid_only);
inline constexpr Passes separable = {"separable", "constant", block_only, block_only};
inline constexpr Passes separable_tiled = {"separable-tiled", "tiled", block_tiles_and_transpose,
                                           block_and_tiles};

void run_two_pass(const Passes& passes, const LogArgs& args, Call& call);

template <const Passes& P>
void two_pass(const LogArgs& args, Call& call) {
  run_two_pass(P, args, call);
}

}  // namespace cuesta::log_ladder
