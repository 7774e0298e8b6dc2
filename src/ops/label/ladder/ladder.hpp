// Paper 004's labelling and the two ways beyond it, as the table of label names them. Each is one
// file.
#pragma once

#include "ops/label/args.hpp"

namespace cuesta::label_ladder {

/// Threads of the kernels that run over pixels. The first values are the shape of `plain`; the
/// others are those of motion's v1.3. Some pairs are no block of whole warps; `supports` says so.
inline constexpr std::string_view block_x_values[] = {"256", "16", "32", "8", "64"};
inline constexpr std::string_view block_y_values[] = {"1", "32", "16", "8", "4"};
inline constexpr std::string_view boxes_values[] = {"gpu", "host"};
// Boxes first, so that in the turns of verify each meets both types of mask.
inline constexpr ParameterInfo union_find_parameters[] = {
    {"boxes", "who gathers the components; the host, from a copy of the labels", boxes_values},
    {"block_x", "threads along a row of a block", block_x_values},
    {"block_y", "rows of threads of a block; 1: pixels on end, over the ends of rows",
     block_y_values}};

void union_find(const LabelArgs& args, Call& call);
void blocks(const LabelArgs& args, Call& call);
void runs(const LabelArgs& args, Call& call);

}  // namespace cuesta::label_ladder
