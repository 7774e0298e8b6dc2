#include "bench/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace cuesta::bench {
namespace {

// Code points, so that "×" takes one column.
size_t columns_of(std::string_view text) {
  return size_t(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
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

std::string text_of(const Measured& measured) {
  if (measured.rows.empty()) return {};
  const Row& first = measured.rows.front();
  double opencv_ms = 0;
  for (const Row& row : measured.rows) {
    if (row.strategy == "opencv") opencv_ms = row.ms;
  }
  struct Column {
    const char* name;
    std::function<std::string(const Row&)> cell;
  };
  const Column columns[] = {
      {"ms", [](const Row& row) { return milliseconds(row.ms); }},
      {"spread", [](const Row& row) { return milliseconds(row.ms_spread); }},
      {"Mpixel/s",
       [](const Row& row) {
         return figure(row.ms > 0 ? double(row.width) * row.height / (row.ms * 1e3) : 0, 0);
       }},
      {"x copy", [](const Row& row) { return figure(row.times_copy()); }},
      {"x one core", [](const Row& row) { return figure(row.speedup()); }},
      {"x opencv",
       [&](const Row& row) {
         const bool ours = row.operation != "copy" && row.strategy != "opencv";
         return figure(ours && row.ms > 0 ? opencv_ms / row.ms : 0);
       }},
      {"GFLOP/s", [](const Row& row) { return figure(row.gflops, 1); }},
      {"% roofline", [](const Row& row) { return figure(row.roofline_percent(), 1); }},
      {"paper's", [](const Row& row) {
         return row.paper_figure
                    ? fmt::format("{:.4g} {}", row.paper_figure->value, row.paper_figure->unit)
                    : std::string("-");
       }}};
  std::vector<std::string> head = {"strategy"};
  std::vector<std::vector<std::string>> lines;
  for (const Row& row : measured.rows) lines.push_back({label_of(row)});
  for (const Column& column : columns) {
    std::vector<std::string> cells;
    for (const Row& row : measured.rows) cells.push_back(column.cell(row));
    if (std::all_of(cells.begin(), cells.end(), [](const auto& cell) { return cell == "-"; }))
      continue;
    head.emplace_back(column.name);
    for (size_t i = 0; i < cells.size(); ++i) lines[i].push_back(std::move(cells[i]));
  }
  // The first row may be the copy's, whose operation is its own.
  const Row& last = measured.rows.back();
  TextTable table(fmt::format("{}: {} {}, {}x{} {}", first.experiment, last.operation,
                              first.parameters, first.width, first.height, first.type),
                  std::move(head));
  for (auto& line : lines) table.add(std::move(line));
  std::string text = table.text();
  for (const std::string& note : measured.notes) text += "  " + note + "\n";
  return text;
}

std::string figure(double value, int digits) {
  return value == 0 ? "-" : fmt::format("{:.{}f}", value, digits);
}

std::string milliseconds(double ms) {
  if (ms <= 0) return "-";
  const int before = int(std::floor(std::log10(ms))) + 1;
  return fmt::format("{:.{}f}", ms, std::clamp(4 - before, 0, 6));
}

}  // namespace cuesta::bench
