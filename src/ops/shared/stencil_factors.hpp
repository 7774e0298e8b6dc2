// Rank-1 factors and Gaussian taps, into memory of the caller: what the public entries need without
// allocating.
#pragma once

#include <cstdint>
#include <span>

namespace cuesta {

/// taps (row-major, column.size() rows of row.size()) = column · rowᵀ, exact. The first tap of
/// `row` that is not 0 is positive and row's taps share no factor. False where the rank is not 1.
bool factor(std::span<const int32_t> taps, std::span<int32_t> column, std::span<int32_t> row);
/// The same within 1e-6 of the largest tap.
bool factor(std::span<const float> taps, std::span<float> column, std::span<float> row);

/// gaussian_taps and gaussian_taps_q8 of taps.size(), which is odd, 1..255 (not checked).
void fill_gaussian(std::span<double> taps, double sigma);
void fill_gaussian_q8(std::span<int32_t> taps, double sigma);

}  // namespace cuesta
