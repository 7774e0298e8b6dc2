// The papers' steps, as the table of convolve names them. Each is one file; src/cuda's host half
// knows nothing of them.
#pragma once

#include "ops/convolve/args.hpp"

namespace cuesta::convolve_ladder {

inline constexpr std::string_view block_values[] = {"32", "16"};
inline constexpr std::string_view any_block_values[] = {"32", "16", "8"};
inline constexpr std::string_view load_values[] = {"by-position", "one-each"};
inline constexpr std::string_view tile_values[] = {"4", "1", "2", "8"};
inline constexpr std::string_view limit_values[] = {"device", "48k"};
inline constexpr std::string_view switch_values[] = {"on", "off"};

inline constexpr ParameterInfo block = {"block", "threads along each side of a block",
                                        block_values};
inline constexpr ParameterInfo any_block = {"block", "threads along each side of a block",
                                            any_block_values};
inline constexpr ParameterInfo block_only[] = {block};
inline constexpr ParameterInfo any_block_only[] = {any_block};
inline constexpr ParameterInfo block_and_load[] = {
    any_block,
    {"load", "a sample a thread, some idle later; or 1, 2 or 4 samples by position", load_values}};
inline constexpr ParameterInfo block_and_tiles[] = {
    block, {"T", "tiles of block x block that a block makes side by side", tile_values}};
inline constexpr ParameterInfo block_and_limit[] = {
    block, {"limit", "shared memory a block may take", limit_values}};
inline constexpr ParameterInfo block_and_transpose[] = {
    block, {"transpose", "the column sums stored transposed in shared memory", switch_values}};

/// The widest window whose tile of the smallest block fits; every rung takes it.
inline constexpr int most_side = 15;

void naive(const ConvolveArgs& args, Call& call);
void shared(const ConvolveArgs& args, Call& call);
void shared_constant(const ConvolveArgs& args, Call& call);
void constant(const ConvolveArgs& args, Call& call);
void texture(const ConvolveArgs& args, Call& call);
void texture_constant(const ConvolveArgs& args, Call& call);
void separable(const ConvolveArgs& args, Call& call);
void tiled(const ConvolveArgs& args, Call& call);
void adaptive_tiled(const ConvolveArgs& args, Call& call);
void separable_tiled(const ConvolveArgs& args, Call& call);
void row_cyclic(const ConvolveArgs& args, Call& call);
void shared_1d(const ConvolveArgs& args, Call& call);

}  // namespace cuesta::convolve_ladder
