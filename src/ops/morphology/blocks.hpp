// An element as blocks: every run of a row of cells is one or two blocks whose length is a power of
// two, overlapping where they must. Minima and maxima do not mind cells met twice, and rows of
// blocks are made by doubling.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <tuple>

#include "ops/morphology/args.hpp"

namespace cuesta::morph {

/// The cells (offset .. offset + 2^level - 1, row).
struct Block {
  uint8_t row, offset, level;
};

class Blocks {
 public:
  static constexpr int levels = 8;  // 2^7 is the largest power of two in a row of 255 cells

  Blocks(const ElementView& element, Scratch& scratch) : element_(element) {
    // A row has at most every second cell begin a run, of two blocks.
    blocks_ = scratch.take<Block>(size_t(element.width() + 1) * size_t(element.height()));
    for (int j = 0; j < element.height(); ++j) {
      for (int begin = 0; begin < element.width(); ++begin) {
        if (!element.contains(begin, j)) continue;
        int end = begin;
        while (end < element.width() && element.contains(end, j)) ++end;
        add_run(j, begin, end);
        begin = end;
      }
    }
    std::sort(blocks_, blocks_ + count_, [](const Block& a, const Block& b) {
      return std::tuple(a.level, a.offset, a.row) < std::tuple(b.level, b.offset, b.row);
    });
  }

  const ElementView& element() const { return element_; }
  /// Sorted by level, offset, row.
  const Block* begin() const { return blocks_; }
  const Block* end() const { return blocks_ + count_; }
  int count() const { return count_; }
  bool uses(int level) const { return (used_ >> level) & 1; }
  int top_level() const { return std::bit_width(used_) - 1; }

 private:
  void add_run(int row, int begin, int end) {
    const int level = std::bit_width(unsigned(end - begin)) - 1;
    used_ |= 1u << level;
    blocks_[count_++] = {uint8_t(row), uint8_t(begin), uint8_t(level)};
    const int second = end - (1 << level);
    if (second > begin) blocks_[count_++] = {uint8_t(row), uint8_t(second), uint8_t(level)};
  }

  ElementView element_;
  Block* blocks_ = nullptr;
  int count_ = 0;
  unsigned used_ = 0;
};

}  // namespace cuesta::morph
