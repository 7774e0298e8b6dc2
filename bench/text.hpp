// Tables in plain text.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cuesta::bench {

/// Lines of cells under a title; the first column stands left, the others right.
class TextTable {
 public:
  TextTable(std::string title, std::vector<std::string> head);
  void add(std::vector<std::string> cells);
  bool empty() const { return lines_.size() < 2; }
  std::string text() const;

 private:
  std::string title_;
  std::vector<std::vector<std::string>> lines_;
};

/// A table that is filled cell by cell; rows and columns come in the order of their first cell.
class Grid {
 public:
  void set(const std::string& row, const std::string& column, std::string text);
  bool empty() const { return rows_.empty(); }
  /// `corner` heads the column of row names. Cells never set are blank.
  std::string text(std::string title, std::string corner) const;

 private:
  std::vector<std::string> columns_;
  std::vector<std::pair<std::string, std::vector<std::string>>> rows_;
};

/// A value with this many digits after the point; "-" for 0, which stands for "not known".
std::string figure(double value, int digits = 2);
/// Four significant digits, for times in ms.
std::string milliseconds(double ms);
/// The paper's figure, or "no paper figure" for 0.
std::string paper_figure(double value, int digits = 2);
/// "kernel<float>" of "void cuesta::(anonymous namespace)::kernel<float>(cuesta::Request<float>)".
std::string short_kernel_name(std::string_view demangled);

}  // namespace cuesta::bench
