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
  std::string strategy{};        ///< only strategies of this name
  bool production_only = false;  ///< no plain loops, which are the same on every instruction set
  Level level = Level::quick;
  Space space = Space::host;
  int stride = 1;  ///< of Level::sizes: only every n-th size
  /// Every case with every value of each parameter, the others at their defaults, and a report for
  /// each; otherwise combinations of values take turns.
  bool every_value = false;
  bool stops_at_failure = false;
  /// Instruction sets to run on, of simd_targets(). Empty: the one in force.
  std::vector<std::string_view> targets{};
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
/// The defaults, then each other declared value with the defaults of the other parameters.
std::vector<std::vector<Parameter>> single_values(std::span<const ParameterInfo> parameters);
/// Runs `work` on each instruction set, and puts the one in force back.
void on_each_target(std::span<const std::string_view> targets, const std::function<void()>& work);

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

/// What the oracle makes of a case. Each is computed once, however many strategies ask.
template <class Args>
class Expected {
 public:
  struct Result {
    Harness harness;
    std::string problem{};  ///< "" if the oracle ran
  };

  Expected(const Strategy<Args>& oracle, const std::vector<Case<Args>>& cases)
      : oracle_(oracle), cases_(cases) {}

  const Result& of(size_t number) {
    if (const auto known = results_.find(number); known != results_.end()) return known->second;
    Result made{Harness(Layout::tight, 0x5A, oracle_.space)};
    bool refused = false;
    std::set<std::string> unused;
    made.problem = detail::run_case(oracle_, cases_[number], made.harness, Exec{}, refused, unused);
    if (refused) made.problem = "it refuses the request";
    return results_.emplace(number, std::move(made)).first->second;
  }
  /// Frees the results.
  void clear() { results_.clear(); }

 private:
  const Strategy<Args>& oracle_;
  const std::vector<Case<Args>>& cases_;
  std::map<size_t, Result> results_;
};

/// One strategy as it runs through the cases.
template <class Args>
struct Tried {
  const Strategy<Args>* strategy;
  std::vector<std::vector<Parameter>> parameters;  ///< combinations that take turns
  StrategyReport report;
  Workspace workspace{};
};

/// Runs a strategy on case `number` and compares with the oracle: bytes, results, canaries. Layout
/// and thread count are drawn from the number. False when the strategy refuses it.
template <class Args>
bool verify_case(Tried<Args>& tried, Expected<Args>& expected, const Case<Args>& c, size_t number) {
  const Strategy<Args>& strategy = *tried.strategy;
  StrategyReport& report = tried.report;
  Exec exec;
  Random draw(number);
  const auto layout = Layout(draw.below(layout_count));
  exec.threads = detail::thread_counts[draw.below(uint32_t(std::size(detail::thread_counts)))];
  exec.parameters = tried.parameters[number % tried.parameters.size()];
  exec.workspace = &tried.workspace;
  Harness mine(layout, 0xCD, strategy.space);
  bool refused = false;
  std::string problem = detail::run_case(strategy, c, mine, exec, refused, report.refusals);
  if (refused) return false;
  ++report.run;
  if (problem.empty()) problem = mine.check_canaries();
  if (problem.empty()) {
    const auto& theirs = expected.of(number);
    problem = theirs.problem.empty()
                  ? mine.compare(theirs.harness, strategy.exactness != "equal bytes")
                  : "the reference did not run: " + theirs.problem;
  }
  if (problem.empty()) return true;
  ++report.failed;
  if (report.failures.size() < 5) {
    std::string with;
    for (const auto& [name, value] : exec.parameters) with += " " + name + "=" + value;
    report.failures.push_back(c.label + " layout=" + std::string(name_of(layout)) +
                              " threads=" + std::to_string(exec.threads) + with +
                              " instruction set=" + std::string(simd_target()) + ": " + problem);
  }
  return true;
}

/// Runs `strategies` on the cases as the level says. Combinations of parameter values take turns,
/// except at Level::sizes. The oracle runs once per case.
template <class Args>
std::vector<StrategyReport> verify_strategies(const std::vector<const Strategy<Args>*>& strategies,
                                              const Strategy<Args>& oracle,
                                              const std::vector<Case<Args>>& cases,
                                              const Options& options) {
  std::vector<Tried<Args>> all;
  all.reserve(strategies.size());
  for (const auto* s : strategies) {
    const StrategyReport report{Args::operation, s->name, s->space};
    if (options.every_value) {
      for (auto& setting : detail::single_values(s->parameters))
        all.push_back({s, {std::move(setting)}, report});
      continue;
    }
    all.push_back({s, detail::combinations(s->parameters), report});
    if (options.level == Level::sizes) all.back().parameters.resize(1);
  }
  std::vector<std::string> labels;
  labels.reserve(cases.size());
  for (const auto& c : cases) labels.push_back(c.label);
  Expected<Args> expected(oracle, cases);
  for (const auto& group : detail::groups(labels, options)) {
    detail::on_each_target(options.targets, [&] {
      for (Tried<Args>& tried : all) {
        tried.report.refused += std::none_of(group.begin(), group.end(), [&](size_t i) {
          return verify_case(tried, expected, cases[i], i);
        });
      }
    });
    expected.clear();
    if (options.stops_at_failure &&
        std::ranges::any_of(all, [](const auto& tried) { return tried.report.failed > 0; }))
      break;
  }
  std::vector<StrategyReport> reports;
  reports.reserve(all.size());
  for (Tried<Args>& tried : all) reports.push_back(std::move(tried.report));
  return reports;
}

template <OperationArgs Args>
std::vector<StrategyReport> verify_operation(const Options& options) {
  std::vector<const Strategy<Args>*> chosen;
  for (const auto& s : Args::strategies()) {
    if (s.space != options.space || !s.built()) continue;
    if (options.production_only && s.tier != Tier::production) continue;
    if (options.strategy.empty() || s.name == options.strategy) chosen.push_back(&s);
  }
  if (chosen.empty()) return {};
  return verify_strategies(chosen, reference_of<Args>(), Args::cases(options.level), options);
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
