// Paper 000's two-pass forms, as the table of log names them.
#pragma once

#include "ops/log/args.hpp"

namespace cuesta::log_ladder {

inline constexpr std::string_view any_block_values[] = {"32", "16", "8"};
inline constexpr std::string_view block_values[] = {"32", "16"};
inline constexpr std::string_view load_values[] = {"by-position", "one-each"};
inline constexpr std::string_view tile_values[] = {"4", "1", "2", "8"};
inline constexpr std::string_view limit_values[] = {"device", "48k"};
inline constexpr std::string_view switch_values[] = {"on", "off"};

inline constexpr std::string_view block_meaning = "threads along each side of a block";
inline constexpr ParameterInfo any_block[] = {{"block", block_meaning, any_block_values}};
inline constexpr ParameterInfo block_only[] = {{"block", block_meaning, block_values}};
inline constexpr ParameterInfo block_and_load[] = {
    {"block", block_meaning, any_block_values},
    {"load", "a sample a thread, some idle later; or 1, 2 or 4 samples by position", load_values}};
inline constexpr ParameterInfo block_and_tiles[] = {
    {"block", block_meaning, block_values},
    {"T", "tiles of block x block that a block makes side by side", tile_values}};
inline constexpr ParameterInfo block_and_limit[] = {
    {"block", block_meaning, block_values},
    {"limit", "shared memory a block may take", limit_values}};
inline constexpr ParameterInfo block_and_transpose[] = {
    {"block", block_meaning, block_values},
    {"transpose", "the column sums stored transposed in shared memory", switch_values}};

/// Which strategies of convolve make the two passes, and which parameters each is handed.
struct Passes {
  std::string_view gaussian, laplacian;
  std::span<const ParameterInfo> gaussian_takes, laplacian_takes;
};
constexpr Passes both(std::string_view name, std::span<const ParameterInfo> takes) {
  return {name, name, takes, takes};
}
inline constexpr Passes naive = both("naive", any_block);
inline constexpr Passes shared = both("shared", block_and_load);
inline constexpr Passes shared_constant = both("shared-constant", any_block);
inline constexpr Passes constant = both("constant", any_block);
inline constexpr Passes texture = both("texture", any_block);
inline constexpr Passes texture_constant = both("texture-constant", any_block);
inline constexpr Passes tiled = both("tiled", block_and_tiles);
inline constexpr Passes adaptive_tiled = both("adaptive-tiled", block_and_limit);
inline constexpr Passes row_cyclic = both("row-cyclic", {});
inline constexpr Passes separable = {"separable", "constant", block_only, block_only};
inline constexpr Passes separable_tiled = {"separable-tiled", "tiled", block_and_transpose,
                                           block_only};

void run_two_pass(const Passes& passes, const LogArgs& args, Call& call);

template <const Passes& P>
void two_pass(const LogArgs& args, Call& call) {
  run_two_pass(P, args, call);
}

}  // namespace cuesta::log_ladder
