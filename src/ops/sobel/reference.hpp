// The oracle, by rows, so that `rows` can spread it over threads.
#pragma once

#include "ops/sobel/args.hpp"

namespace cuesta {

/// Output rows [first, end) of the request.
void sobel_reference_rows(const SobelArgs& args, int32_t first, int32_t end);

/// Strategy `serial`.
void sobel_serial(const SobelArgs& args, Call& call);
/// Strategy `rows`.
void sobel_rows(const SobelArgs& args, Call& call);
/// Strategy `simd`, which takes every request.
void sobel_simd(const SobelArgs& args, Call& call);

}  // namespace cuesta
