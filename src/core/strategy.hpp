// The table of an operation, and how a call finds its row.
#pragma once

#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/threads.hpp"
#include "core/workspace.hpp"
#include "cuesta/error.hpp"
#include "cuesta/exec.hpp"

namespace cuesta {

/// The values of a row's declared parameters: the caller's, or the first declared one. Refers to
/// both.
class Parameters {
 public:
  Parameters(const Exec& exec, std::span<const ParameterInfo> declared)
      : exec_(exec), declared_(declared) {}
  std::string_view text(std::string_view name) const;
  int integer(std::string_view name) const;

 private:
  const Exec& exec_;
  std::span<const ParameterInfo> declared_;
};

/// What a strategy sees of the call besides its Args: parameters resolved, threads counted, scratch
/// at hand.
class Call {
 public:
  Call(const Exec& exec, Space space, std::span<const ParameterInfo> declared);

  int threads() const { return threads_; }
  void* stream() const { return exec_.stream; }
  Scratch& scratch() { return scratch_; }
  const Parameters& parameters() const { return parameters_; }
  /// Tells the caller's observer, if any, that the next stage begins.
  void stage(std::string_view name) const {
    if (exec_.observer) exec_.observer->stage(name, exec_.stream);
  }
  /// Whether anybody asks for figures; making them may cost.
  bool wants_statistics() const { return exec_.observer != nullptr; }
  void statistic(std::string_view name, double value) const {
    if (exec_.observer) exec_.observer->statistic(name, value);
  }
  /// For operations called from inside this one: same threads, workspace and stream; nothing
  /// pinned, nobody observing.
  Exec nested() const;

 private:
  const Exec& exec_;
  Parameters parameters_;
  int threads_;
  Scratch scratch_;
};

/// One row of a table. `Args` is the one argument of every strategy of the operation.
template <class Args>
struct Strategy {
  std::string_view name{};
  Space space = Space::host;
  Tier tier = Tier::reference;
  std::string_view idea{};
  std::string_view paper{};
  std::string_view exactness = "equal bytes";
  std::span<const ParameterInfo> parameters{};
  /// Only ladder rows may: `allocates` device memory also after the first call of a size;
  /// `host_sync` waits for the GPU inside the call.
  bool allocates = false, host_sync = false;
  /// "" when the row takes the request, else why not, in words that the operation's README lists
  /// under "Refused".
  std::string_view (*supports)(const Args&, const Parameters&) =
      [](const Args&, const Parameters&) { return std::string_view(); };
  void (*run)(const Args&, Call&) = nullptr;
};

/// Arguments of an operation say its name and where their views live.
template <class Args>
concept OperationArgs = requires(const Args& args) {
  { Args::operation } -> std::convertible_to<std::string_view>;
  { args.space() } -> std::convertible_to<Space>;
};

/// The table of the operation that takes these Args. Every `<op>.cpp` specialises it for its own
/// (args.hpp declares it).
template <OperationArgs Args>
std::span<const Strategy<Args>> strategies(Space space);

namespace detail {
/// The name pinned for `operation` by the Exec or CUESTA_STRATEGY; empty for automatic.
std::string pinned_strategy(std::string_view operation, const Exec& exec);
void check_parameters(std::string_view operation, std::string_view strategy, const Exec& exec,
                      std::span<const ParameterInfo> declared);
[[noreturn]] void throw_unknown_strategy(std::string_view operation, std::string_view name,
                                         Space space, std::span<const std::string_view> known);
[[noreturn]] void throw_refused(std::string_view operation, std::string_view name,
                                std::string_view why);
/// `rungs`: rows that run only by name.
[[noreturn]] void throw_nothing_runs(std::string_view operation, Space space, std::string_view why,
                                     std::span<const std::string_view> rungs);
}  // namespace detail

template <OperationArgs Args>
void run_strategy(const Strategy<Args>& row, const Args& args, const Exec& exec) {
  Call call(exec, row.space, row.parameters);
  row.run(args, call);
}

/// Chooses a row and runs it. Automatic choice: the first production row that takes the request,
/// else baseline, else reference.
template <OperationArgs Args>
void dispatch(const Args& args, const Exec& exec) {
  constexpr std::string_view operation = Args::operation;
  const Space space = args.space();
  const auto table = strategies<Args>(space);
  const std::string pinned = detail::pinned_strategy(operation, exec);
  if (!pinned.empty()) {
    std::vector<std::string_view> known;
    for (const auto& row : table) {
      if (row.space != space) continue;
      known.push_back(row.name);
      if (row.name != pinned) continue;
      detail::check_parameters(operation, pinned, exec, row.parameters);
      if (const auto why = row.supports(args, {exec, row.parameters}); !why.empty())
        detail::throw_refused(operation, pinned, why);
      return run_strategy(row, args, exec);
    }
    detail::throw_unknown_strategy(operation, pinned, space, known);
  }
  std::string_view why;
  for (const Tier tier : {Tier::production, Tier::baseline, Tier::reference}) {
    for (const auto& row : table) {
      if (row.space != space || row.tier != tier) continue;
      why = row.supports(args, {exec, row.parameters});
      if (!why.empty()) continue;
      detail::check_parameters(operation, row.name, exec, row.parameters);
      return run_strategy(row, args, exec);
    }
  }
  std::vector<std::string_view> rungs;
  for (const auto& row : table) {
    if (row.space == space && row.tier == Tier::ladder) rungs.push_back(row.name);
  }
  detail::throw_nothing_runs(operation, space, why, rungs);
}

template <OperationArgs Args>
void describe(std::vector<StrategyDescription>& out) {
  for (const Space space : {Space::host, Space::device}) {
    for (const auto& row : strategies<Args>(space)) {
      out.push_back({Args::operation, row.name, row.space, row.tier, row.idea, row.paper,
                     row.exactness, row.parameters, row.allocates, row.host_sync});
    }
  }
}

}  // namespace cuesta
