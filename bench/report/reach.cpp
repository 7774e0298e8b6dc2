#include "bench/report/reach.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "bench/report/table.hpp"

namespace cuesta::bench {
namespace {

bool of_one_request(const Row& a, const Row& b) {
  return a.experiment == b.experiment && a.parameters == b.parameters && a.type == b.type;
}

// Of one request and size.
struct Cell {
  const Row *ours = nullptr, *copy = nullptr, *npp = nullptr, *opencv = nullptr;
  std::string operation{};
};

double pixels(const Row& row) { return double(row.width) * row.height; }

double statistic(const Row& row, std::string_view name, double otherwise) {
  for (const auto& [known, value] : row.statistics)
    if (known == name) return value;
  return otherwise;
}

/// A row in what a goal is told in; 0 where it cannot be told.
double measured(const Cell& cell, const Row* beside, std::string_view what) {
  const Row& row = *cell.ours;
  if (row.ms <= 0) return 0;
  if (what == "times a copy") return row.times_copy();
  if (what == "us a picture") return 1e3 * row.ms / statistic(row, "pictures a call", 1);
  if (what == "of a copy's bandwidth")
    return cell.copy ? row.bytes_per_pixel / cell.copy->bytes_per_pixel * row.copy_ms / row.ms : 0;
  return beside && beside->ms > 0 ? row.ms / pixels(row) / (beside->ms / pixels(*beside)) : 0;
}

std::string met(double value, const Figure* reach, const Figure* stretch) {
  if (!reach || value <= 0) return "-";
  const bool more = reach->what == "of a copy's bandwidth";
  const auto by = [&](const Figure* goal) {
    return goal && (more ? value >= goal->value : value <= goal->value);
  };
  return by(stretch) ? "stretch" : by(reach) ? "reach" : "no";
}

class Requests {
 public:
  Requests(const Result& result, std::string_view experiment)
      : result_(result), experiment_(experiment) {
    for (const Row& row : result.rows)
      if (row.experiment == experiment) add(row);
  }

  /// By size in the order of the rows, then by request.
  struct Line {
    const Row* first;
    Cell cell;
  };
  const std::vector<Line>& lines() const { return lines_; }

  const Row* ours(const Row& like, std::string_view parameters) const {
    for (const Line& line : lines_) {
      const Row* row = line.cell.ours;
      // An odd width is a little less than its aligned one.
      if (row && row->parameters == parameters && row->type == like.type &&
          row->height == like.height)
        return row;
    }
    return nullptr;
  }

  const Figure* goal(const Row& row, std::string_view subject) const {
    for (const Figure& figure : result_.figures) {
      if (figure.experiment == experiment_ && figure.source == "goal" &&
          figure.subject == subject && figure.parameters == row.parameters &&
          figure.width == row.width && figure.height == row.height)
        return &figure;
    }
    return nullptr;
  }

 private:
  void add(const Row& row) {
    auto line = std::find_if(lines_.begin(), lines_.end(), [&](const Line& known) {
      return of_one_request(*known.first, row) && known.first->width == row.width &&
             known.first->height == row.height;
    });
    if (line == lines_.end()) line = lines_.insert(lines_.end(), {&row, {}});
    const bool device = row.space == "device";
    Cell& cell = line->cell;
    if (row.operation != "copy") cell.operation = row.operation;
    if (device && row.operation == "copy")
      cell.copy = &row;
    else if (row.strategy == "npp")
      cell.npp = &row;
    else if (row.strategy == "opencv")
      cell.opencv = cell.opencv ? cell.opencv : &row;
    else if (device)
      cell.ours = &row;
  }

  const Result& result_;
  std::string_view experiment_;
  std::vector<Line> lines_;
};

}  // namespace

std::string reach_text_of(const Result& result, std::string_view experiment) {
  if (std::none_of(result.figures.begin(), result.figures.end(), [&](const Figure& figure) {
        return figure.source == "goal" && figure.experiment == experiment;
      }))
    return {};
  const Requests requests(result, experiment);
  std::vector<std::pair<int32_t, TextTable>> tables;  // by height
  for (const auto& [first, cell] : requests.lines()) {
    if (tables.empty() || tables.back().first != first->height)
      tables.emplace_back(
          first->height,
          TextTable(fmt::format("{}: {}x{}, goals", experiment, first->width, first->height),
                    {"work", "strategy", "ms", "x copy", "judged", "", "reach", "stretch", "met",
                     "npp x copy", "npp's answer", "opencv, ms"}));
    const Figure* reach = requests.goal(*first, "reach");
    const Figure* stretch = requests.goal(*first, "stretch");
    const Row* beside = reach && !reach->detail.empty() && cell.ours
                            ? requests.ours(*cell.ours, reach->detail)
                            : nullptr;
    const double value = cell.ours && reach ? measured(cell, beside, reach->what) : 0;
    tables.back().second.add({fmt::format("{} {}", cell.operation, first->parameters),
                              cell.ours ? label_of(*cell.ours) : "-",
                              cell.ours ? milliseconds(cell.ours->ms) : "-",
                              cell.ours ? figure(cell.ours->times_copy()) : "-", figure(value),
                              reach ? reach->what : "-", figure(reach ? reach->value : 0),
                              figure(stretch ? stretch->value : 0), met(value, reach, stretch),
                              figure(cell.npp ? cell.npp->times_copy() : 0),
                              cell.npp && !cell.npp->answer.empty() ? cell.npp->answer : "-",
                              milliseconds(cell.opencv ? cell.opencv->ms : 0)});
  }
  std::string text;
  for (const auto& [height, table] : tables) text += table.text();
  return text;
}

}  // namespace cuesta::bench
