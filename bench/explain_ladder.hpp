// The verb explain-ladder of cuesta-bench.
#pragma once

#include "cli/common.hpp"

namespace cuesta::cli {

Verb add_explain_ladder_itself(CLI::App& parent);

}  // namespace cuesta::cli
