// Paper 001's steps, as the table of canny names them. Each is one file; stages.cu has what the two
// gradient stages `global` and `row-cyclic` share.
#pragma once

#include "ops/canny/args.hpp"
#include "ops/ladder_parameters.hpp"

namespace cuesta::canny_ladder {

inline constexpr std::string_view hysteresis_values[] = {"bfs-launch", "union-find"};
inline constexpr std::string_view window_values[] = {"3", "5"};

inline constexpr ParameterInfo hysteresis = {"hysteresis", "how edges spread to candidates",
                                             hysteresis_values};
inline constexpr ParameterInfo window = {
    "window", "candidates that a step of bfs-launch reaches: one or two pixels away",
    window_values};

inline constexpr ParameterInfo global_parameters[] = {ladder_parameters::any_block, hysteresis,
                                                      window};
inline constexpr ParameterInfo row_cyclic_parameters[] = {ladder_parameters::grid, hysteresis,
                                                          window};
inline constexpr ParameterInfo bfs_parameters[] = {window};

void global(const CannyArgs& args, Call& call);
void row_cyclic(const CannyArgs& args, Call& call);
/// Bytes of shared memory that a block of `row-cyclic` asks for.
size_t row_cyclic_shared_bytes(const CannyArgs& args);
void bfs_launch(const CannyArgs& args, Call& call);
void union_find(const CannyArgs& args, Call& call);

}  // namespace cuesta::canny_ladder
