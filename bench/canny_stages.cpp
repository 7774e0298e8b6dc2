// Paper 001: Canny by stage. Time and share of each stage by size and how they grow, the paper's
// operation counts, the search of hysteresis, its time models beside measured times, convolution
// from global memory against rolling rows. Its stage tables are charts without figures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "bench/canny_work.hpp"
#include "bench/details.hpp"
#include "bench/paper_001.hpp"
#include "bench/text.hpp"
#include "ops/canny/time_model.hpp"

namespace cuesta::bench {
namespace {

namespace p1 = paper_001;

// The paper's five stages; what our strategies announce apart and it counts as gradient; and all
// that a fused strategy does before hysteresis.
constexpr std::string_view columns[] = {"gaussian",  "gradient",   "suppression",
                                        "threshold", "hysteresis", "gradient and suppression"};

std::string_view column_of(std::string_view stage) {
  return stage == "sobel" || stage == "magnitude" ? "gradient" : stage;
}

double stage_ms(const Row& row, std::string_view column) {
  double ms = 0;
  for (const auto& [name, value] : row.stages) {
    if (column_of(name) == column) ms += value;
  }
  return ms;
}

double all_stages_ms(const Row& row) {
  double ms = 0;
  for (const auto& stage : row.stages) ms += stage.second;
  return ms;
}

std::string size_of(int32_t side) { return fmt::format("{0}x{0}", side); }
std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : "-";
}

// One size.
struct Run {
  int32_t side = 0;
  CannyOptions options;
  EdgeSearch search;
  Measured measured;

  const Row* searching(std::string_view strategy) const {
    for (const Row& row : measured.rows) {
      if (row.strategy == strategy && parameter_of(row, "hysteresis", "") == "bfs-launch")
        return &row;
    }
    return nullptr;
  }
};

// "N^1.9" between the first and the last size.
std::string growth(double first_ms, double last_ms, int32_t first_side, int32_t last_side) {
  if (first_ms <= 0 || last_ms <= 0 || first_side >= last_side) return "-";
  return fmt::format(
      "N^{:.1f}", std::log(last_ms / first_ms) / std::log(double(last_side) / double(first_side)));
}

// A table of times by size, the rows that have any; `time` gives 0 for a row that has none.
template <class Time>
std::string by_size(const std::vector<Run>& runs, const std::string& title, const Time& time) {
  Grid grid;
  const Run &first = runs.front(), &last = runs.back();
  for (const Run& run : runs) {
    for (const Row& row : run.measured.rows) {
      if (const double ms = time(row); ms > 0)
        grid.set(label_of(row), size_of(run.side), milliseconds(ms));
    }
  }
  if (grid.empty()) return {};
  for (const Row& row : last.measured.rows) {
    if (time(row) <= 0) continue;
    double first_ms = 0;
    for (const Row& other : first.measured.rows) {
      if (label_of(other) == label_of(row)) first_ms = time(other);
    }
    grid.set(label_of(row), "grows as", growth(first_ms, time(row), first.side, last.side));
  }
  return grid.text(title, "strategy");
}

std::string shares_text(const std::string& title, const Run& run) {
  std::vector<std::string> head = {"strategy"};
  head.insert(head.end(), std::begin(columns), std::end(columns));
  head.push_back("stages, ms");
  head.push_back("call, ms");
  TextTable table(fmt::format("{}, {}: share of each stage", title, size_of(run.side)), head);
  for (const Row& row : run.measured.rows) {
    if (row.stages.empty()) continue;
    const double all = all_stages_ms(row);
    std::vector<std::string> line = {label_of(row)};
    for (const std::string_view column : columns) {
      const double ms = stage_ms(row, column);
      line.push_back(ms > 0 ? percent(ms, all) : "-");
    }
    line.push_back(milliseconds(all));
    line.push_back(milliseconds(row.ms));
    table.add(line);
  }
  // What its text says; the share chart of its CPU has no figures.
  table.add({"paper's GPU, in words", "no paper figure", "under 10 %", "about 30 %",
             "no paper figure", "40 to 60 %"});
  return table.text();
}

std::string operations_text(const std::string& title, const std::vector<Run>& runs) {
  namespace model = canny_model;
  TextTable table(
      title +
          ": the paper's operations by stage, millions (2n²k², 4n²k² + 4n², 4n², n², "
          "cn²; c: 8 neighbours of every edge)",
      {"image", "gaussian", "gradient", "suppression", "threshold", "hysteresis", "c", "all"});
  constexpr double aperture = 3;
  const auto millions = [](double value) { return fmt::format("{:.3f}", value / 1e6); };
  for (const Run& run : runs) {
    const double n = run.side, k = run.options.ksize;
    const double content = 8 * double(run.search.trees_end) / (n * n);
    const double stages[] = {model::gaussian_operations(n, k),
                             model::gradient_operations(n, aperture),
                             model::suppression_operations(n), model::threshold_operations(n),
                             model::hysteresis_operations(n, content)};
    double all = 0;
    for (const double operations : stages) all += operations;
    std::vector<std::string> line = {size_of(run.side)}, shares = {"  share"};
    for (const double operations : stages) {
      line.push_back(millions(operations));
      shares.push_back(percent(operations, all));
    }
    line.push_back(figure(content));
    line.push_back(millions(all));
    table.add(line);
    if (&run == &runs.back()) table.add(shares);
  }
  return table.text();
}

std::string search_text(const std::string& title, const std::vector<Run>& runs) {
  TextTable table(title + ": breadth-first search of hysteresis, window 3x3",
                  {"image", "low, high", "initial trees", "final trees", "depth", "paper's depth"});
  for (const Run& run : runs) {
    table.add({size_of(run.side),
               fmt::format("{}, {}", run.options.thresholds.low, run.options.thresholds.high),
               fmt::to_string(run.search.trees_start), fmt::to_string(run.search.trees_end),
               fmt::to_string(run.search.depth), "no paper figure"});
  }
  return table.text() + "  theirs are means over 100 to 200 pictures, in charts\n";
}

std::string model_text(const std::string& title, const std::vector<Run>& runs, const Gpu* gpu) {
  namespace model = canny_model;
  std::vector<std::string> head = {"image",    "depth",     "memory",     "computation",
                                   "transfer", "predicted", "paper's ms", "paper's/predicted"};
  if (gpu)
    head.insert(head.end(), {"this GPU: predicted", "global", "row-cyclic", "measured/predicted"});
  TextTable table(title + ": the paper's time model, ms (its GPU by its own data)", head);
  for (const Run& run : runs) {
    const auto theirs = model::predict(run.side, run.search.depth, model::paper_machine);
    const double printed = p1::at(p1::gpu_ms, run.side);
    std::vector<std::string> line = {size_of(run.side),
                                     fmt::to_string(run.search.depth),
                                     milliseconds(1e3 * theirs.memory),
                                     milliseconds(1e3 * theirs.computation),
                                     milliseconds(1e3 * theirs.transfer),
                                     milliseconds(1e3 * theirs.total()),
                                     paper_figure(printed, 4),
                                     figure(printed / (1e3 * theirs.total()))};
    if (gpu) {
      // An operation a cycle, so half of what fused multiply-adds count; nothing is transferred.
      const auto ours =
          model::predict(run.side, run.search.depth,
                         {gpu->ceilings.copy_gbs * 1e9, gpu->ceilings.fma_gflops / 2 * 1e9,
                          std::numeric_limits<double>::infinity()});
      const Row *global = run.searching("global"), *cyclic = run.searching("row-cyclic");
      line.push_back(milliseconds(1e3 * ours.total()));
      line.push_back(global ? milliseconds(global->ms) : "-");
      line.push_back(cyclic ? milliseconds(cyclic->ms) : "-");
      line.push_back(global ? figure(global->ms / (1e3 * ours.total())) : "-");
    }
    table.add(line);
  }
  return table.text();
}

std::string cpu_model_text(const std::string& title, const std::vector<Run>& runs) {
  Grid grid;
  for (const Run& run : runs) {
    const std::string size = size_of(run.side);
    grid.set("model N²/40960 (the paper's 16 threads)", size,
             milliseconds(1e3 * canny_model::cpu_seconds(run.side)));
    const double printed = p1::at(p1::cpu_fps, run.side);
    grid.set("paper, 16 cores (1 / its FPS)", size, paper_figure(printed ? 1000 / printed : 0, 3));
    for (const Row& row : run.measured.rows) {
      if (row.space == "host" && row.operation == "canny")
        grid.set(label_of(row), size, milliseconds(row.ms));
    }
  }
  return grid.text(title + ": the paper's model of the CPU beside measured times, ms", "");
}

std::string convolution_text(const std::string& title, const std::vector<Run>& runs) {
  TextTable table(
      fmt::format("{}: gaussian and sobel from global memory and from rolling rows in shared "
                  "memory, ms (the paper: 30K²/(3K²+20) = {:.2f} at K = 3, {:.2f} at K = 5)",
                  title, canny_model::shared_gain(3), canny_model::shared_gain(5)),
      {"image", "global", "row-cyclic", "gain", "gaussian alone", "sobel alone", "paper's gain"});
  for (const Run& run : runs) {
    const Row *global = run.searching("global"), *cyclic = run.searching("row-cyclic");
    if (!global || !cyclic) continue;
    const auto ms = [](const Row* row, std::string_view stage) {
      for (const auto& [name, value] : row->stages) {
        if (name == stage) return value;
      }
      return 0.0;
    };
    const double g[] = {ms(global, "gaussian"), ms(global, "sobel")};
    const double c[] = {ms(cyclic, "gaussian"), ms(cyclic, "sobel")};
    const auto gain = [](double from, double to) { return to > 0 ? figure(from / to) : "-"; };
    table.add({size_of(run.side), milliseconds(g[0] + g[1]), milliseconds(c[0] + c[1]),
               gain(g[0] + g[1], c[0] + c[1]), gain(g[0], c[0]), gain(g[1], c[1]),
               "no paper figure"});
  }
  return table.empty() ? std::string() : table.text();
}

// Strategies that search tell what they did; it must be what the host's search says.
void check_statistics(Session& session, const Row& row, const EdgeSearch& search) {
  const bool single = parameter_of(row, "window", "3") == "3";
  for (const auto& [name, value] : row.statistics) {
    const double want = name == "bfs depth" && single  ? search.depth
                        : name == "trees at the start" ? double(search.trees_start)
                        : name == "trees at the end"   ? double(search.trees_end)
                                                       : value;
    session.expect(value == want,
                   fmt::format("{} {}x{}: {} is {}, by the host's search {}", label_of(row),
                               row.width, row.height, name, value, want));
  }
}

}  // namespace

void bench_canny_stages(Session& session) {
  const std::string title = fmt::format("paper 001: Canny u8, {}", session.where());
  std::vector<Run> runs;
  for (const int32_t side : session.sizes({std::begin(p1::sides), std::end(p1::sides)})) {
    const Image<uint8_t> src = canny_picture(side);
    const CannyOptions options = canny_options();
    Run run{side, options, search_edges(session, src, options), {}};
    Work work = canny_work("canny-stages", options, src);
    work.stages = true;
    run.measured = session.measure(work, [&](Row& row) {
      set_paper_001_figure(row);
      check_statistics(session, row, run.search);
    });
    runs.push_back(std::move(run));
  }
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.side < b.side; });

  for (const std::string_view column : columns) {
    session.print(by_size(runs,
                          fmt::format("{}: {}, ms (no paper figure: chart only)", title, column),
                          [&](const Row& row) { return stage_ms(row, column); }));
  }
  for (const Run& run : runs) session.print(shares_text(title, run));
  session.print(operations_text(title, runs));
  session.print(search_text(title, runs));
  session.print(model_text(title, runs, session.gpu()));
  session.print(cpu_model_text(title, runs));
  session.print(convolution_text(title, runs));
  session.print(
      details_of(fmt::format("{}, {}", title, size_of(runs.back().side)), runs.back().measured));
}

}  // namespace cuesta::bench
