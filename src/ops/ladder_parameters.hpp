// The parameters that rungs of several operations declare, so that one name means one thing in
// every table. The first value is the default.
#pragma once

#include "cuesta/strategies.hpp"

namespace cuesta::ladder_parameters {

inline constexpr std::string_view any_block_values[] = {"32", "16", "8"};
inline constexpr std::string_view block_values[] = {"32", "16"};
inline constexpr std::string_view loads_values[] = {"once", "four"};
inline constexpr std::string_view load_values[] = {"by-position", "one-each"};
inline constexpr std::string_view tile_values[] = {"4", "1", "2", "7", "21"};
inline constexpr std::string_view threads_values[] = {"256", "columns"};
inline constexpr std::string_view grid_values[] = {"multiprocessors", "1", "7"};
inline constexpr std::string_view limit_values[] = {"device", "48k"};
inline constexpr std::string_view switch_values[] = {"on", "off"};

inline constexpr std::string_view block_meaning = "threads along each side of a block";
inline constexpr ParameterInfo any_block = {"block", block_meaning, any_block_values};
inline constexpr ParameterInfo block = {"block", block_meaning, block_values};

inline constexpr ParameterInfo any_block_only[] = {any_block};
inline constexpr ParameterInfo block_only[] = {block};
inline constexpr ParameterInfo load = {
    "load", "a sample a thread, some idle later; or 1, 2 or 4 samples by position", load_values};
inline constexpr ParameterInfo block_and_load[] = {any_block, load};
inline constexpr ParameterInfo loads = {
    "loads", "a sample of a tile by one thread; or four by every thread, as paper 003",
    loads_values};
inline constexpr ParameterInfo any_block_and_loads[] = {any_block, loads};
inline constexpr ParameterInfo block_and_loads[] = {block, loads};
inline constexpr ParameterInfo tiles = {
    "T", "tiles of block x block that a block makes from one load", tile_values, 1, 1024};
inline constexpr ParameterInfo grid = {
    "grid", "number of blocks; each marches down its share of the rows", grid_values, 1, 1 << 20};
inline constexpr ParameterInfo threads = {
    "threads",
    "of a block; columns: one for each column, rows shift, grid is the least number of blocks",
    threads_values};
/// The most columns that threads=columns computes, a thread each: a block has no more threads.
inline constexpr int32_t max_columns = 1024;
inline constexpr ParameterInfo grid_only[] = {grid};
inline constexpr ParameterInfo block_and_tiles[] = {block, tiles};
inline constexpr ParameterInfo limit = {"limit", "shared memory a block may take", limit_values};
inline constexpr ParameterInfo block_and_limit[] = {block, limit};
inline constexpr ParameterInfo transpose = {
    "transpose", "the column sums stored transposed in shared memory", switch_values};
inline constexpr ParameterInfo block_tiles_and_transpose[] = {block, tiles, transpose};

}  // namespace cuesta::ladder_parameters
