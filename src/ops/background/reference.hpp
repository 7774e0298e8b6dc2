// The oracle, by rows, so that `rows` can spread it over threads.
#pragma once

#include "ops/background/args.hpp"

namespace cuesta {

/// Rows [first, end) of one frame.
void background_reference_rows(const BackgroundArgs& args, int32_t first, int32_t end);

/// Strategy `serial`.
void background_serial(const BackgroundArgs& args, Call& call);
/// Strategy `rows`.
void background_rows(const BackgroundArgs& args, Call& call);
/// Strategy `simd`.
void background_simd(const BackgroundArgs& args, Call& call);

}  // namespace cuesta
