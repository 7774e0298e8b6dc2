// Paper 001's steps, as the table of canny names them. Each is one file; stages.cu has what the two
// gradient stages `global` and `row-cyclic` share.
#pragma once

#include "ops/canny/args.hpp"
#include "ops/ladder_parameters.hpp"

namespace cuesta::canny_ladder {

inline constexpr std::string_view hysteresis_values[] = {
    "bfs-launch", "bfs-queue", "tile-flood", "persistent", "graph", "union-find", "runs"};
inline constexpr std::string_view suppression_values[] = {"gpu", "cpu", "copied"};
inline constexpr std::string_view shape_values[] = {"square", "row"};
inline constexpr std::string_view window_values[] = {"3", "5"};

inline constexpr ParameterInfo hysteresis = {"hysteresis", "how edges spread to candidates",
                                             hysteresis_values};
inline constexpr ParameterInfo window = {
    "window", "candidates that a step of bfs-launch reaches: one or two pixels away",
    window_values};

inline constexpr ParameterInfo suppression = {
    "suppression", "where maxima are found; cpu: on the host; copied: by the GPU, sent to and fro",
    suppression_values};

inline constexpr ParameterInfo shape = {
    "shape", "a block of block x block threads; or a row, a thread for each column", shape_values};

inline constexpr ParameterInfo global_parameters[] = {ladder_parameters::any_block, hysteresis,
                                                      window, suppression, shape};
inline constexpr ParameterInfo row_cyclic_parameters[] = {
    ladder_parameters::grid, hysteresis, window, suppression, ladder_parameters::threads};
inline constexpr ParameterInfo bfs_parameters[] = {window};

void global(const CannyArgs& args, Call& call);
void row_cyclic(const CannyArgs& args, Call& call);
/// row_cyclic, by the parameter `threads`.
void row_cyclic_of_threads(const CannyArgs& args, Call& call);
/// Bytes of shared memory that a block of `row-cyclic` asks for.
size_t row_cyclic_shared_bytes(const CannyArgs& args);
void bfs_launch(const CannyArgs& args, Call& call);
void bfs_queue(const CannyArgs& args, Call& call);
void tile_flood(const CannyArgs& args, Call& call);
void persistent(const CannyArgs& args, Call& call);
void graph(const CannyArgs& args, Call& call);
/// Whether build and driver know the loops of graphs.
bool graph_loops();
void union_find(const CannyArgs& args, Call& call);
void runs(const CannyArgs& args, Call& call);

}  // namespace cuesta::canny_ladder
