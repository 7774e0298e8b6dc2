// The oracle, by rows, so that `rows` can spread it over threads.
#pragma once

#include "ops/median/args.hpp"

namespace cuesta {

/// Output rows [first, end) of the request.
void median_reference_rows(const MedianArgs& args, int32_t first, int32_t end);

/// Strategy `serial`.
void median_serial(const MedianArgs& args, Call& call);
/// Strategy `rows`.
void median_rows(const MedianArgs& args, Call& call);
/// Strategy `simd`.
void median_simd(const MedianArgs& args, Call& call);

/// What `constant` puts outside a mask: the value rounded and saturated to 0 or 1.
bool median_border_bit(const Border& border);

}  // namespace cuesta
