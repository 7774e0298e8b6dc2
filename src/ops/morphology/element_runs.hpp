// An element as runs of cells, equal runs of several rows together. A run is one or two blocks
// whose length is a power of two, overlapping where they must: minima and maxima do not mind a cell
// met twice, and rows of blocks are made by doubling.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <tuple>

#include "ops/morphology/args.hpp"

namespace cuesta::morph {

/// The cells [begin, end) of a row; both at most 255.
struct Run {
  uint8_t begin, end, row;

  /// Its blocks have 2^level cells and begin at `begin` and at last_block().
  int level() const { return std::bit_width(unsigned(end - begin)) - 1; }
  int last_block() const { return end - (1 << level()); }
  bool same_cells(const Run& other) const { return begin == other.begin && end == other.end; }
};

/// visit(run) for every run of an element, row by row.
template <class Visit>
void for_each_run(const ElementView& element, Visit visit) {
  for (int j = 0; j < element.height(); ++j) {
    for (int begin = 0; begin < element.width(); ++begin) {
      if (!element.contains(begin, j)) continue;
      int end = begin;
      while (end < element.width() && element.contains(end, j)) ++end;
      visit(Run{uint8_t(begin), uint8_t(end), uint8_t(j)});
      begin = end;
    }
  }
}

class ElementRuns {
 public:
  static constexpr int max_levels = 8;  // blocks of up to 2^7 cells in 255

  /// The list lives in `scratch`.
  ElementRuns(const ElementView& element, Scratch& scratch) : element_(element) {
    runs_ = scratch.take<Run>(size_t(element.width() / 2 + 1) * size_t(element.height()));
    for_each_run(element, [&](const Run& run) {
      runs_[count_++] = run;
      top_level_ = std::max(top_level_, run.level());
    });
    std::sort(runs_, runs_ + count_, [](const Run& a, const Run& b) {
      return std::tuple(a.begin, a.end, a.row) < std::tuple(b.begin, b.end, b.row);
    });
  }

  const ElementView& element() const { return element_; }
  int top_level() const { return top_level_; }
  int count() const { return count_; }
  /// Whether every cell is in it.
  bool is_rectangle() const {
    return count_ == element_.height() && runs_[0].begin == 0 && runs_[0].end == element_.width() &&
           runs_[0].same_cells(runs_[count_ - 1]);
  }
  /// visit(run) for every run.
  template <class Visit>
  void for_each(Visit visit) const {
    for (int i = 0; i < count_; ++i) visit(runs_[i]);
  }
  /// group(first, last) for the runs of equal cells, [first, last) being their rows.
  template <class Group>
  void for_each_group(Group group) const {
    for (const Run* first = runs_; first != runs_ + count_;) {
      const Run* last = first;
      while (last != runs_ + count_ && last->same_cells(*first)) ++last;
      group(first, last);
      first = last;
    }
  }

 private:
  ElementView element_;
  Run* runs_ = nullptr;
  int count_ = 0, top_level_ = 0;
};

}  // namespace cuesta::morph
