// Strengths of boundaries: the chance that a person draws one, from a score or a ratio. Integers
// but for a table, on the host alone. src/ops/boundaries/README.md has them as equations.
#pragma once

#include <array>
#include <cstdint>

#include "ops/boundaries/cues.hpp"

namespace cuesta::boundary {

/// 65535 times the root of the logistic function, of scores from -8 to 8 in 16ths.
const std::array<uint16_t, 256>& strength_table();

/// The strength of a score in 2⁻¹⁴; never 0.
inline uint16_t strength_of(int32_t score) {
  return strength_table()[size_t(std::clamp((score >> 10) + 128, 0, 255))];
}
/// That of a maximum m above the limit of `scored`, as BoundaryQuality::fast compares them: the
/// score of a threshold is that of score_limits().
inline uint16_t strength_of_ratio(int32_t m, int32_t limit) {
  const int32_t doublings = log_from(uint32_t(64 * m / limit), 6);  // in 32nds
  return strength_of(1536 * doublings / 5 - 31965);
}

}  // namespace cuesta::boundary
