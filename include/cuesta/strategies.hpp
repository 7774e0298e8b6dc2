// Which strategies there are, and which of them a call would run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuesta/exec.hpp"
#include "cuesta/image.hpp"

namespace cuesta {

/// The purpose of a strategy: oracle, plain loops over threads, step of a paper, or production.
enum class Tier : uint8_t { reference, baseline, ladder, production };
/// Returns the name of a tier, as `cuesta list strategies` prints it.
std::string_view name_of(Tier tier);

/// A parameter a strategy declares: its name, what it means, the values it takes (first = default).
/// If `max` is not 0, any whole number from `min` to `max` is supported too; `values` then has
/// those that verify tries.
struct ParameterInfo {
  std::string_view name{};
  std::string_view meaning{};
  std::span<const std::string_view> values{};
  int min = 0, max = 0;

  /// Returns whether `value` is supported.
  bool takes(std::string_view value) const;
  /// Returns the supported values in words: "32, 16, 8", or "a whole number from 1 to 1024".
  std::string choices() const;
};

/// Which strategy a call runs, or why none does.
struct Choice {
  std::string_view operation{};
  Space space = Space::host;
  std::string_view strategy{};  ///< empty where none takes the request
  Tier tier = Tier::reference;
  std::string processor{};  ///< the instruction set ("AVX2"), or the GPU's name
  int threads = 0;          ///< on the CPU
  /// A strategy that does not support the request, and the reason.
  struct PassedOver {
    std::string_view strategy{}, why{};
  };
  std::vector<PassedOver> passed_over{};  ///< those before it that refuse the request
  std::string refusal{};                  ///< one sentence where none takes it; else empty
  explicit operator bool() const { return !strategy.empty(); }
};

/// which() and which_all() return what `call(exec)` would run, without running it.
///
///     which([&](const Exec& e) { canny(src, dst, {}, e); })
///
/// The views' samples need not exist (see placeholder()). Throws as the call itself does
/// for what cannot be meant; the Choice reports what is refused.
///
/// which_all() returns a Choice for every step, in the order in which they run: a call may be made
/// of several operations (log_edges() above sigma 2.2 is gaussian, then log). which() returns the
/// first step that nothing takes, else the last one, which writes the result: it converts to false
/// where the call would throw.
template <class Call>
std::vector<Choice> which_all(Call&& call, Exec exec = {}) {
  std::vector<Choice> choices;
  exec.choices = &choices;
  call(std::as_const(exec));
  return choices;
}
template <class Call>
Choice which(Call&& call, const Exec& exec = {}) {
  std::vector<Choice> choices = which_all(call, exec);
  for (Choice& choice : choices)
    if (!choice) return std::move(choice);
  return choices.empty() ? Choice() : std::move(choices.back());
}

/// Returns a view of a size, a type and a space, without samples. For calls that only choose
/// (which()); nothing may read or write it.
AnyView placeholder(int32_t width, int32_t height, PixelType type, int32_t channels = 1,
                    Space space = Space::host);

/// One row of an operation's table, as `cuesta list strategies` prints it.
struct StrategyDescription {
  std::string_view operation{}, name{};
  Space space{};
  Tier tier{};
  std::string_view idea{};       ///< what this row does that the rows before it do not
  std::string_view paper{};      ///< the report it comes from ("000".."004"); empty for ours
  std::string_view exactness{};  ///< "equal bytes", or the bound on floating-point results
  std::span<const ParameterInfo> parameters{};
  bool allocates = false;  ///< device memory, also after the first call of a size
  bool host_sync = false;  ///< waits for the GPU inside the call, whatever is asked
  bool built = true;       ///< false: needs a GPU, and this build has no CUDA
};

/// Returns every strategy of every operation, in table order; also those this build cannot run.
std::vector<StrategyDescription> list_strategies();
/// An operation: its name, and one line on what it is for.
struct OperationDescription {
  std::string_view name, summary;
};
/// Returns every operation, in the order of the tables.
std::vector<OperationDescription> list_operations();

/// Returns the CPU instruction set in use: "AVX3", "AVX2", "SSE4" or "SSE2".
/// The environment variable CUESTA_SIMD=sse4 (for example) forces a lower one.
std::string_view simd_target();
/// Returns the instruction sets that this build has and this CPU supports, fastest first.
std::vector<std::string_view> simd_targets();
/// Forces one of simd_targets() for the whole process; "" restores the default. Not to be called
/// while operations run.
void force_simd_target(std::string_view name);

}  // namespace cuesta
