// The one plain table that `cuesta bench` prints. report.py lays out the papers' forms.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/engine/result.hpp"

namespace cuesta::bench {

/// Lines of cells under a title; the first column stands left, the others right.
class TextTable {
 public:
  TextTable(std::string title, std::vector<std::string> head);
  void add(std::vector<std::string> cells);
  std::string text() const;

 private:
  std::string title_;
  std::vector<std::vector<std::string>> lines_;
};

/// One measurement, a line a row: time, spread, pixels a second, times a copy, times as fast as one
/// core and as OpenCV, GFLOP/s, percent of the roofline, the paper's figure; a column without any
/// is left out. Then the notes.
std::string text_of(const Measured& measured);

/// What the papers themselves print of an experiment, without any row of ours: a table for each
/// kind of figure, a line a request, size and part, a column for each of whom it is.
std::string paper_text_of(std::span<const Figure> figures, std::string_view experiment);

/// A value with this many digits after the point; "-" for 0, which stands for "not known".
std::string figure(double value, int digits = 2);
/// Four significant digits, for times in ms.
std::string milliseconds(double ms);

}  // namespace cuesta::bench
