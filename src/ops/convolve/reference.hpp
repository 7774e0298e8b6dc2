// The oracle, by rows, so that `rows` can spread it over threads.
#pragma once

#include "ops/convolve/args.hpp"

namespace cuesta {

/// Output rows [first, end) of the request.
void convolve_reference_rows(const ConvolveArgs& args, int32_t first, int32_t end);

/// Strategy `serial`.
void convolve_serial(const ConvolveArgs& args, Call& call);
/// Strategy `rows`.
void convolve_rows(const ConvolveArgs& args, Call& call);
/// Strategy `simd`, and what it takes.
void convolve_simd(const ConvolveArgs& args, Call& call);
std::string_view convolve_simd_supports(const ConvolveArgs& args, const Parameters&);

}  // namespace cuesta
