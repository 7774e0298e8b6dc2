#include "track/assignment.hpp"

#include <algorithm>
#include <limits>

namespace cuesta::track {
namespace {

// The column of each row, where there are at least as many columns.
template <class Cost>
std::vector<int> shortest_paths(int rows, int columns, Cost&& cost) {
  constexpr int64_t far = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> row_price(size_t(rows), 0), column_price(size_t(columns), 0);
  std::vector<int> column_of(size_t(rows), -1), row_of(size_t(columns), -1);
  std::vector<int64_t> length(static_cast<size_t>(columns));
  std::vector<int> from(static_cast<size_t>(columns));  // the row before a column on its path
  std::vector<bool> settled(static_cast<size_t>(columns));
  for (int begin = 0; begin < rows; ++begin) {
    std::ranges::fill(length, far);
    settled.assign(size_t(columns), false);
    int row = begin, end = -1;
    int64_t reached = 0;
    while (end < 0) {
      int nearest = -1;
      for (int c = 0; c < columns; ++c) {
        if (settled[size_t(c)]) continue;
        const int64_t through =
            reached + cost(row, c) - row_price[size_t(row)] - column_price[size_t(c)];
        if (through < length[size_t(c)]) {
          length[size_t(c)] = through;
          from[size_t(c)] = row;
        }
        if (nearest < 0 || length[size_t(c)] < length[size_t(nearest)]) nearest = c;
      }
      reached = length[size_t(nearest)];
      settled[size_t(nearest)] = true;
      if (row_of[size_t(nearest)] < 0)
        end = nearest;
      else
        row = row_of[size_t(nearest)];
    }
    // New prices keep every reduced cost at 0 or more, and at 0 along the path.
    row_price[size_t(begin)] += reached;
    for (int c = 0; c < columns; ++c) {
      if (!settled[size_t(c)] || c == end) continue;
      row_price[size_t(row_of[size_t(c)])] += reached - length[size_t(c)];
      column_price[size_t(c)] -= reached - length[size_t(c)];
    }
    for (int c = end;;) {
      const int r = from[size_t(c)];
      row_of[size_t(c)] = r;
      std::swap(column_of[size_t(r)], c);
      if (r == begin) break;
    }
  }
  return column_of;
}

}  // namespace

std::vector<int> best_assignment(int rows, int columns, std::span<const int64_t> worth) {
  const auto worth_of = [&](int row, int column) {
    return worth[size_t(row) * size_t(columns) + size_t(column)];
  };
  std::vector<int> found(size_t(rows), -1);
  if (rows <= columns) {
    found = shortest_paths(rows, columns, [&](int r, int c) { return -worth_of(r, c); });
  } else {
    const auto row_of =
        shortest_paths(columns, rows, [&](int c, int r) { return -worth_of(r, c); });
    for (int c = 0; c < columns; ++c) found[size_t(row_of[size_t(c)])] = c;
  }
  for (int r = 0; r < rows; ++r) {
    if (found[size_t(r)] >= 0 && worth_of(r, found[size_t(r)]) == 0) found[size_t(r)] = -1;
  }
  return found;
}

}  // namespace cuesta::track
