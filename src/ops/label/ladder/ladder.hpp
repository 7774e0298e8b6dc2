// Paper 004's labelling, as the table of label names it.
#pragma once

#include "ops/label/args.hpp"

namespace cuesta::label_ladder {

void union_find(const LabelArgs& args, Call& call);

}  // namespace cuesta::label_ladder
