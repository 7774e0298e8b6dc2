#include "bench/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cuesta::bench {
namespace {

// Code points, so that "×" takes one column.
size_t columns_of(std::string_view text) {
  return size_t(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

void erase_all(std::string& text, std::string_view what) {
  for (size_t at; (at = text.find(what)) != text.npos;) text.erase(at, what.size());
}

}  // namespace

TextTable::TextTable(std::string title, std::vector<std::string> head)
    : title_(std::move(title)), lines_{std::move(head)} {}

void TextTable::add(std::vector<std::string> cells) { lines_.push_back(std::move(cells)); }

std::string TextTable::text() const {
  std::vector<size_t> widths;
  for (const auto& line : lines_) {
    widths.resize(std::max(widths.size(), line.size()), 0);
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], columns_of(line[i]));
  }
  std::string out = "\n" + title_ + "\n";
  for (const auto& line : lines_) {
    std::string row = " ";
    for (size_t i = 0; i < line.size(); ++i) {
      const std::string blanks(widths[i] - columns_of(line[i]), ' ');
      row += i == 0 ? " " + line[i] + blanks : "  " + blanks + line[i];
    }
    row.erase(row.find_last_not_of(' ') + 1);
    out += row + "\n";
  }
  return out;
}

void Grid::set(const std::string& row, const std::string& column, std::string text) {
  const auto c = size_t(std::find(columns_.begin(), columns_.end(), column) - columns_.begin());
  if (c == columns_.size()) columns_.push_back(column);
  auto r = std::find_if(rows_.begin(), rows_.end(),
                        [&](const auto& known) { return known.first == row; });
  if (r == rows_.end()) r = rows_.insert(rows_.end(), {row, {}});
  if (r->second.size() <= c) r->second.resize(c + 1);
  r->second[c] = std::move(text);
}

std::string Grid::text(std::string title, std::string corner) const {
  std::vector<std::string> head = {std::move(corner)};
  head.insert(head.end(), columns_.begin(), columns_.end());
  TextTable table(std::move(title), std::move(head));
  for (const auto& [name, cells] : rows_) {
    std::vector<std::string> line = {name};
    line.insert(line.end(), cells.begin(), cells.end());
    table.add(std::move(line));
  }
  return table.text();
}

std::string figure(double value, int digits) {
  return value == 0 ? "-" : fmt::format("{:.{}f}", value, digits);
}

std::string milliseconds(double ms) {
  if (ms <= 0) return "-";
  const int before = int(std::floor(std::log10(ms))) + 1;
  return fmt::format("{:.{}f}", ms, std::clamp(4 - before, 0, 6));
}

std::string paper_figure(double value, int digits) {
  return value == 0 ? "no paper figure" : fmt::format("{:.{}f}", value, digits);
}

std::string short_kernel_name(std::string_view demangled) {
  std::string name(demangled);
  erase_all(name, "(anonymous namespace)::");
  erase_all(name, "cuesta::");
  if (name.starts_with("void ")) name.erase(0, 5);
  // Up to the parameters: the first bracket outside template arguments.
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] == '(' && depth == 0) {
      name.erase(i);
      break;
    }
  }
  return name;
}

}  // namespace cuesta::bench
