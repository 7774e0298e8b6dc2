// Every strategy against its operation's oracle. The command, the tests and the benches all come
// through here.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/strategy.hpp"
#include "verify/harness.hpp"

namespace cuesta::verify {

/// One request to an operation. `make` builds the same Args, over fresh pictures of the harness,
/// each time it is called.
template <class Args>
struct Case {
  std::string label{};  ///< its first WxH is the shape
  std::function<Args(Harness&)> make{};
  std::function<void(const Args&, Harness&)>
      collect;  ///< after the run: results that are no pictures; may be empty
};

enum class Level : uint8_t {
  quick,
  full,   ///< more shapes and options
  sizes,  ///< all sizes 1..70 × 1..70, each with the default parameters and one request that the
          ///< strategy takes; requests take turns from size to size
};
std::string_view name_of(Level level);
/// Throws Error{invalid_argument} for any other name.
Level level_from(std::string_view name);

struct Options {
  std::string strategy{};  ///< only strategies of this name
  Level level = Level::quick;
  Space space = Space::host;
  int stride = 1;  ///< of Level::sizes: only every n-th size
};

struct StrategyReport {
  std::string_view operation{}, strategy{};
  Space space = Space::host;
  int64_t run = 0, refused = 0, failed = 0;
  std::set<std::string> refusals{};     ///< the words of `supports`
  std::vector<std::string> failures{};  ///< the first few, each naming its case
  /// A strategy that ran nothing has shown nothing.
  bool passed() const { return failed == 0 && run > 0; }
};

/// The shapes every operation is tried on: one pixel, one row, one column, around its radius,
/// around vector and word lengths, tall and wide.
std::vector<std::pair<int32_t, int32_t>> shapes(int radius, Level level);

namespace detail {
constexpr int thread_counts[] = {1, 2, 3, 8, 99, 0};
/// The cases to try: of each group the first that the strategy takes. At quick and full every case
/// is a group of its own; at sizes a group is a shape, begun at another case for each.
std::vector<std::vector<size_t>> groups(std::span<const std::string> labels,
                                        const Options& options);
/// Whether a case's picture has at most 1,024 pixels.
bool is_small(std::string_view label);
/// Every combination of declared values, the defaults first.
std::vector<std::vector<Parameter>> combinations(std::span<const ParameterInfo> parameters);

template <class Args>
std::string run_case(const Strategy<Args>& strategy, const Case<Args>& c, Harness& harness,
                     const Exec& exec, bool& refused, std::set<std::string>& refusals) {
  const Args args = c.make(harness);
  if (const auto why = strategy.supports(args, {exec, strategy.parameters}); !why.empty()) {
    refused = true;
    refusals.insert(std::string(why));
    return {};
  }
  try {
    harness.begin();
    run_strategy(strategy, args, exec);
    harness.finish();
    if (c.collect) c.collect(args, harness);
  } catch (const std::exception& error) {
    return std::string("threw: ") + error.what();
  }
  return {};
}
}  // namespace detail

/// Runs `strategy` on one case and on the oracle and compares: bytes, results, canaries. Layout and
/// thread count are drawn from the case's number. False when the strategy refuses it.
template <class Args>
bool verify_case(const Strategy<Args>& strategy, const Strategy<Args>& oracle, const Case<Args>& c,
                 size_t number, const std::vector<Parameter>& parameters, Workspace& workspace,
                 StrategyReport& report) {
  Exec exec;
  Random draw(number);
  const auto layout = Layout(draw.below(layout_count));
  exec.threads = detail::thread_counts[draw.below(uint32_t(std::size(detail::thread_counts)))];
  exec.parameters = parameters;
  exec.workspace = &workspace;
  Harness mine(layout, 0xCD, strategy.space), theirs(Layout::tight, 0x5A, oracle.space);
  bool refused = false;
  std::string problem = detail::run_case(strategy, c, mine, exec, refused, report.refusals);
  if (refused) return false;
  ++report.run;
  if (problem.empty()) problem = mine.check_canaries();
  if (problem.empty()) {
    std::set<std::string> unused;
    problem = detail::run_case(oracle, c, theirs, Exec{}, refused, unused);
    if (!problem.empty() || refused)
      problem = "the reference did not run: " + problem;
    else
      problem = mine.compare(theirs, strategy.exactness != "equal bytes");
  }
  if (problem.empty()) return true;
  ++report.failed;
  if (report.failures.size() < 5) {
    std::string with;
    for (const auto& [name, value] : exec.parameters) with += " " + name + "=" + value;
    report.failures.push_back(c.label + " layout=" + std::string(name_of(layout)) +
                              " threads=" + std::to_string(exec.threads) + with + ": " + problem);
  }
  return true;
}

/// Runs `strategy` on the cases as the level says. Combinations of parameter values take turns,
/// except at Level::sizes.
template <class Args>
StrategyReport verify_strategy(const Strategy<Args>& strategy, const Strategy<Args>& oracle,
                               const std::vector<Case<Args>>& cases, const Options& options = {}) {
  StrategyReport report{Args::operation, strategy.name, strategy.space};
  auto parameters = detail::combinations(strategy.parameters);
  if (options.level == Level::sizes) parameters.resize(1);
  std::vector<std::string> labels;
  labels.reserve(cases.size());
  for (const auto& c : cases) labels.push_back(c.label);
  Workspace workspace;
  for (const auto& group : detail::groups(labels, options)) {
    bool ran = false;
    for (size_t at = 0; at < group.size() && !ran; ++at) {
      const size_t i = group[at];
      ran = verify_case(strategy, oracle, cases[i], i, parameters[i % parameters.size()], workspace,
                        report);
    }
    report.refused += !ran;
  }
  return report;
}

template <OperationArgs Args>
std::vector<StrategyReport> verify_operation(const Options& options) {
  const auto all = Args::cases(options.level);
  std::vector<StrategyReport> reports;
  for (const auto& s : Args::strategies()) {
    if (s.space != options.space || !s.built()) continue;
    if (options.strategy.empty() || s.name == options.strategy)
      reports.push_back(verify_strategy(s, reference_of<Args>(), all, options));
  }
  return reports;
}

/// Who serves the requests of one source type in one space, by automatic choice.
struct Coverage {
  PixelType type = PixelType::none;
  Space space = Space::host;
  /// Of each tier the strategies, and how many requests go to it.
  std::map<Tier, std::pair<std::set<std::string_view>, int64_t>> tiers{};
  int64_t unserved = 0;
};

/// Asked of every small request of the quick level, for both spaces of this build.
template <OperationArgs Args>
std::vector<Coverage> coverage_of() {
  std::vector<Coverage> cells;
  bool on_device = false;
  for (const auto& s : Args::strategies()) on_device |= s.space == Space::device && s.built();
  for (const auto& c : Args::cases(Level::quick)) {
    if (!detail::is_small(c.label)) continue;
    Harness harness(Layout::tight, 0);
    const Args args = c.make(harness);
    for (const Space space : {Space::host, Space::device}) {
      if (space == Space::device && !on_device) continue;
      auto cell = std::find_if(cells.begin(), cells.end(), [&](const Coverage& known) {
        return known.type == args.type() && known.space == space;
      });
      if (cell == cells.end()) cell = cells.insert(cell, {args.type(), space, {}, 0});
      if (const auto* s = automatic_in(space, args)) {
        auto& [names, requests] = cell->tiers[s->tier];
        names.insert(s->name);
        ++requests;
      } else {
        ++cell->unserved;
      }
    }
  }
  std::sort(cells.begin(), cells.end(), [](const Coverage& a, const Coverage& b) {
    return std::pair(a.space, a.type) < std::pair(b.space, b.type);
  });
  return cells;
}

/// One operation as verify sees it.
struct Operation {
  std::string_view name{};
  std::vector<StrategyReport> (*run)(const Options&);
  std::vector<Coverage> (*coverage)();
};

/// Every operation, in the order of list_operations().
const std::vector<Operation>& operations();

}  // namespace cuesta::verify
