// Who goes with whom: the assignment problem, solved exactly.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cuesta::track {

/// For each row its column, -1 for none, such that no column is taken twice and the sum of worth is
/// the largest there is. worth[row * columns + column] is 0 (they never go together) to 2^40. Among
/// assignments of one sum the choice is fixed, by the order of rows and columns alone.
///
/// Shortest augmenting paths with potentials (Jonker & Volgenant 1987; for rectangles, Crouse 2016,
/// doi:10.1109/TAES.2016.140952): O(min^2 max) steps.
std::vector<int> best_assignment(int rows, int columns, std::span<const int64_t> worth);

}  // namespace cuesta::track
