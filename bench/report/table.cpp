#include "bench/report/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

// The place of `name` in `names`, which has it then.
size_t place_of(std::vector<std::string>& names, const std::string& name) {
  const auto place = size_t(std::find(names.begin(), names.end(), name) - names.begin());
  if (place == names.size()) names.push_back(name);
  return place;
}

std::string papers(const Row& row) {
  return row.paper_figure
             ? fmt::format("{:.4g} {}", row.paper_figure->value, row.paper_figure->unit)
             : std::string("-");
}

std::string printed(const Figure& figure) {
  if (!figure.words.empty()) return figure.words;
  return figure.value < 1e4 ? fmt::format("{:.4g}", figure.value)
                            : fmt::format("{:.0f}", figure.value);
}

// What a model says of rows that there are none of, the paper's figures beside it.
std::string predicted_text_of(const Measured& measured) {
  if (measured.predicted.empty()) return {};
  const Row& first = measured.predicted.front();
  TextTable table(
      fmt::format("{}: {} {}, {}x{} {}, predicted for {}", first.experiment, first.operation,
                  first.parameters, first.width, first.height, first.type, measured.predicted_for),
      {"strategy", "predicted, ms", "bound by", "paper's"});
  for (const Row& row : measured.predicted) {
    table.add({label_of(row), milliseconds(row.predicted_ms), row.bound_by, papers(row)});
  }
  return table.text();
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
    if (row.strategy == "opencv" && opencv_ms == 0) opencv_ms = row.ms;  // on all threads
  }
  struct Column {
    const char* name;
    std::function<std::string(const Row&)> cell;
  };
  const Column columns[] = {
      {"predicted", [](const Row& row) { return milliseconds(row.predicted_ms); }},
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
      {"bound by", [](const Row& row) { return row.bound_by.empty() ? "-" : row.bound_by; }},
      {"border", [](const Row& row) { return row.border.empty() ? std::string("-") : row.border; }},
      {"paper's", [](const Row& row) { return papers(row); }}};
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
  return text + predicted_text_of(measured);
}

std::string paper_text_of(std::span<const Figure> figures, std::string_view experiment) {
  struct Kind {
    std::vector<std::string> lines{}, columns{};
    std::vector<std::pair<std::pair<size_t, size_t>, std::string>> cells{};
  };
  std::vector<std::string> names;
  std::vector<Kind> kinds;
  for (const Figure& figure : figures) {
    if (figure.experiment != experiment || figure.source != "paper") continue;
    const size_t at =
        place_of(names, figure.what + (figure.unit.empty() ? "" : ", " + figure.unit));
    if (at == kinds.size()) kinds.emplace_back();
    std::vector<std::string> line;
    if (!figure.parameters.empty()) line.push_back(figure.parameters);
    if (figure.width > 0) line.push_back(fmt::format("{}x{}", figure.width, figure.height));
    if (!figure.detail.empty()) line.push_back(figure.detail);
    Kind& kind = kinds[at];
    const size_t row = place_of(kind.lines, fmt::format("{}", fmt::join(line, " ")));
    kind.cells.push_back({{row, place_of(kind.columns, figure.subject)}, printed(figure)});
  }
  std::string text;
  for (size_t i = 0; i < kinds.size(); ++i) {
    const Kind& kind = kinds[i];
    std::vector<std::vector<std::string>> lines;
    for (const std::string& name : kind.lines) {
      lines.emplace_back(kind.columns.size() + 1, "-")[0] = name;
    }
    for (const auto& [place, value] : kind.cells) lines[place.first][place.second + 1] = value;
    std::vector<std::string> head = {""};
    head.insert(head.end(), kind.columns.begin(), kind.columns.end());
    TextTable table(fmt::format("{}: the paper's {}", experiment, names[i]), std::move(head));
    for (auto& line : lines) table.add(std::move(line));
    text += table.text();
  }
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
