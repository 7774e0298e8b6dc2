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
#include "cuesta/strategies.hpp"

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

/// A function of a device row, whose table every build reads; null where the build has no CUDA.
#if CUESTA_HAS_CUDA
#define CUESTA_GPU(...) __VA_ARGS__
#else
#define CUESTA_GPU(...) nullptr
#endif

/// One strategy of an operation: a row of its table. `Args` is the one argument of all of them.
template <class Args>
struct Strategy {
  std::string_view name{};
  Space space = Space::host;
  Tier tier = Tier::reference;
  std::string_view idea{};
  std::string_view paper{};
  std::string_view exactness = "equal bytes";
  std::span<const ParameterInfo> parameters{};
  /// `host_sync` waits for the GPU inside the call, whatever is asked; `allocates` device memory
  /// also after the first call of a size. Ladder rows may do either. Rows of the other tiers may
  /// where the result is a host object: they wait for it (a row that does so for some requests
  /// only, as canny's for thresholds to be found, does not declare it), and take memory that
  /// follows from it (a list of components). Nothing else waits.
  bool allocates = false, host_sync = false;
  /// "" when the strategy takes the request, else why not, in words that the operation's README
  /// lists under "Refused".
  std::string_view (*supports)(const Args&, const Parameters&) =
      [](const Args&, const Parameters&) { return std::string_view(); };
  void (*run)(const Args&, Call&) = nullptr;

  /// Rows for the GPU stand in the table of a build without CUDA too, to be listed; nothing asks
  /// them what they take.
  bool built() const { return run != nullptr; }
  /// The same, which waits for the GPU inside the call.
  constexpr Strategy waiting() const {
    Strategy row = *this;
    row.host_sync = true;
    return row;
  }
};

namespace verify {
template <class Args>
struct Case;
enum class Level : uint8_t;
}  // namespace verify

/// An operation is its Args: what it is called and for, where a request's views live, and the table
/// of its strategies (ops/<op>/strategies.cpp), those of both spaces.
template <class Args>
concept OperationArgs = requires(const Args& args) {
  { Args::operation } -> std::convertible_to<std::string_view>;
  { Args::summary } -> std::convertible_to<std::string_view>;
  { Args::strategies() } -> std::same_as<std::span<const Strategy<Args>>>;
  { args.space() } -> std::convertible_to<Space>;
  { args.type() } -> std::convertible_to<PixelType>;  // of the source's samples
};

namespace detail {
/// The name pinned for `operation` by the Exec or CUESTA_STRATEGY, which is read once a process;
/// empty for automatic.
std::string_view pinned_strategy(std::string_view operation, const Exec& exec);
void check_parameters(std::string_view operation, std::string_view strategy, const Exec& exec,
                      std::span<const ParameterInfo> declared);
/// That there is no strategy of this name in this space, as a sentence.
std::string unknown_strategy(std::string_view operation, std::string_view name, Space space,
                             std::span<const std::string_view> known);
/// Why nothing runs, as a sentence. `ladder`: strategies that run only by name.
std::string refusal(std::string_view operation, std::string_view pinned, Space space,
                    std::string_view why, std::span<const std::string_view> ladder);
/// Fills what a Choice says besides refusals: what runs, and on what.
void describe_choice(Choice& choice, std::string_view strategy, Tier tier, const Exec& exec);
}  // namespace detail

template <OperationArgs Args>
void run_strategy(const Strategy<Args>& strategy, const Args& args, const Exec& exec) {
  Call call(exec, strategy.space, strategy.parameters);
  strategy.run(args, call);
}

/// Automatic choice: the first production strategy of `space` that `takes` agrees to, else
/// baseline, else reference; never one of a ladder. Null where there is none.
template <OperationArgs Args, class Takes>
const Strategy<Args>* first_by_tier(Space space, const Takes& takes) {
  for (const Tier tier : {Tier::production, Tier::baseline, Tier::reference}) {
    for (const auto& s : Args::strategies())
      if (s.space == space && s.tier == tier && s.built() && takes(s)) return &s;
  }
  return nullptr;
}

/// The strategy that takes the request, pinned or by automatic choice; or null, and then
/// choice->refusal says why. A null `choice` is not filled, and nothing allocates.
template <OperationArgs Args>
const Strategy<Args>* choose(const Args& args, const Exec& exec, Choice* choice = nullptr) {
  constexpr std::string_view operation = Args::operation;
  const Space space = args.space();
  const auto table = Args::strategies();
  const std::string_view pinned = detail::pinned_strategy(operation, exec);
  if (choice) *choice = {.operation = operation, .space = space};
  std::string_view why;
  const auto takes = [&](const Strategy<Args>& s) {
    why = s.supports(args, {exec, s.parameters});
    if (why.empty()) {
      detail::check_parameters(operation, s.name, exec, s.parameters);
      if (choice) detail::describe_choice(*choice, s.name, s.tier, exec);
    } else if (choice) {
      choice->passed_over.push_back({s.name, why});
    }
    return why.empty();
  };
  std::vector<std::string_view> known;  // by name only
  if (!pinned.empty()) {
    const Strategy<Args>* named = nullptr;
    for (const auto& s : table)
      if (s.space == space && s.name == pinned && s.built()) named = &s;
    if (!named) {
      bool elsewhere = false;  // the name of a strategy for the other space
      for (const auto& s : table) {
        if (s.space == space && s.built()) known.push_back(s.name);
        elsewhere |= s.name == pinned;
      }
      std::string unknown = detail::unknown_strategy(operation, pinned, space, known);
      if (!choice || !elsewhere) {
        throw Error(elsewhere ? ErrorCode::unsupported : ErrorCode::invalid_argument,
                    std::move(unknown), std::string(pinned));
      }
      choice->refusal = std::move(unknown);
      return nullptr;
    }
    detail::check_parameters(operation, pinned, exec, named->parameters);
    if (takes(*named)) return named;
  } else {
    if (const auto* first = first_by_tier<Args>(space, takes)) return first;
    for (const auto& s : table)
      if (s.space == space && s.tier == Tier::ladder && s.built()) known.push_back(s.name);
  }
  if (choice) choice->refusal = detail::refusal(operation, pinned, space, why, known);
  return nullptr;
}

/// Chooses a strategy and runs it; with Exec::choices, only chooses. Throws Error{unsupported}
/// where none takes the request.
template <OperationArgs Args>
void dispatch(const Args& args, const Exec& exec) {
  Choice choice;
  if (exec.choices) {
    choose(args, exec, &choice);
    exec.choices->push_back(std::move(choice));
    return;
  }
  const Strategy<Args>* strategy = choose(args, exec, exec.observer ? &choice : nullptr);
  if (!strategy) {
    choose(args, exec, &choice);
    throw Error(ErrorCode::unsupported, choice.refusal, std::string(exec.strategy));
  }
  if (exec.observer) exec.observer->chosen(choice);
  run_strategy(*strategy, args, exec);
}

/// The strategy that automatic choice would take for the request if its views were in `space`; null
/// where none there takes it.
template <OperationArgs Args>
const Strategy<Args>* automatic_in(Space space, const Args& args) {
  const Exec exec;
  return first_by_tier<Args>(space, [&](const Strategy<Args>& s) {
    return s.supports(args, {exec, s.parameters}).empty();
  });
}

/// The operation's oracle: the host's reference, which takes every valid request.
template <OperationArgs Args>
const Strategy<Args>& reference_of() {
  for (const auto& s : Args::strategies())
    if (s.space == Space::host && s.tier == Tier::reference) return s;
  throw Error(ErrorCode::unsupported, std::string(Args::operation) + " has no reference strategy");
}

}  // namespace cuesta
