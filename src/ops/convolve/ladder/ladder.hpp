// The papers' steps, as the table of convolve names them. Each is one file; src/cuda's host half
// knows nothing of them.
#pragma once

#include "ops/convolve/args.hpp"
#include "ops/ladder_parameters.hpp"

namespace cuesta::convolve_ladder {

/// One curve over the filter's side is one kernel where all windows are unrolled.
inline constexpr std::string_view unroll_values[] = {"some", "all"};
inline constexpr ParameterInfo unroll = {
    "unroll", "square windows whose loops unroll: 3, 5 and 9, or all odd ones from 3 to 15",
    unroll_values};
inline constexpr ParameterInfo of_any_block[] = {ladder_parameters::any_block, unroll};
inline constexpr ParameterInfo of_block[] = {ladder_parameters::block, unroll};
inline constexpr ParameterInfo of_load[] = {ladder_parameters::any_block, ladder_parameters::load,
                                            unroll};
inline constexpr ParameterInfo of_tiles[] = {ladder_parameters::block, ladder_parameters::tiles,
                                             unroll};
inline constexpr ParameterInfo of_limit[] = {ladder_parameters::block, ladder_parameters::limit,
                                             unroll};
inline constexpr ParameterInfo of_transpose[] = {ladder_parameters::block, ladder_parameters::tiles,
                                                 ladder_parameters::transpose, unroll};
inline constexpr ParameterInfo of_grid[] = {ladder_parameters::grid, ladder_parameters::threads,
                                            unroll};

/// Sums of a whole vector take the registers of a larger block.
inline constexpr std::string_view small_block_values[] = {"16", "8"};
inline constexpr int vectors_threads = 16 * 16;
inline constexpr ParameterInfo of_small_block[] = {
    {"block", ladder_parameters::block_meaning, small_block_values}};

/// Rows of a block of the row pass of `halos`.
inline constexpr int halo_rows = 4;

/// The widest window whose tile of the smallest block fits; every rung takes it.
inline constexpr int max_side = 15;

/// How a pixel's sum runs: over the window row by row, or down the columns and then across.
enum class Order : uint8_t { window, factors };
/// Makes the pixels whose window leaves the picture, after a rung has made the others.
void frame(const ConvolveArgs& args, Order order, Call& call);

void naive(const ConvolveArgs& args, Call& call);
void shared(const ConvolveArgs& args, Call& call);
void shared_constant(const ConvolveArgs& args, Call& call);
void constant(const ConvolveArgs& args, Call& call);
void texture(const ConvolveArgs& args, Call& call);
void texture_constant(const ConvolveArgs& args, Call& call);
void two_pass(const ConvolveArgs& args, Call& call);
void separable(const ConvolveArgs& args, Call& call);
void tiled(const ConvolveArgs& args, Call& call);
void adaptive_tiled(const ConvolveArgs& args, Call& call);
void separable_tiled(const ConvolveArgs& args, Call& call);
void row_cyclic(const ConvolveArgs& args, Call& call);
/// row_cyclic, by the parameter `threads`.
void row_cyclic_of_threads(const ConvolveArgs& args, Call& call);
void shared_1d(const ConvolveArgs& args, Call& call);
void registers(const ConvolveArgs& args, Call& call);
void vectors(const ConvolveArgs& args, Call& call);
void halos(const ConvolveArgs& args, Call& call);

}  // namespace cuesta::convolve_ladder
