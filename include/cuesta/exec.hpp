// How a call runs: which strategy, with how many threads, out of whose memory, on which stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuesta/image.hpp"

namespace cuesta {

class Scratch;

/// Scratch memory and objects that calls share: taps on the GPU, textures. Calls of a size that was
/// seen before allocate nothing.
/// Serves one call at a time, on CUDA one stream at a time; a concurrent second call throws. Its
/// GPU memory belongs to the GPU of the first device call. A call on another GPU throws
/// Error{invalid_argument} until release_memory(). Calls on the host use no GPU memory.
class Workspace {
 public:
  /// Makes an empty workspace. It can be moved, not copied.
  Workspace();
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  /// Returns the bytes of scratch memory held now in `space`.
  size_t bytes(Space space = Space::host) const;
  /// Frees all memory; the next call allocates again.
  void release_memory();

 private:
  friend class Scratch;
  friend void release_memory();
  struct State;
  std::unique_ptr<State> state_;
};

/// Frees the memory that this thread's calls without a Workspace have cached.
/// This is host memory, and GPU memory of each GPU and stream. Memory of the streams used longest
/// ago is freed from 64 streams on.
void release_memory();

/// Name and value of a strategy parameter, as `--param block=16` gives them.
using Parameter = std::pair<std::string, std::string>;

struct Choice;

/// Receives the strategy that a call runs, and its stages ("blur", "hysteresis") if it has any.
/// A stage ends where the next begins, the last one with the call. Called on
/// the caller's thread. On CUDA the stage's work is enqueued on `stream` after the work that the
/// observer enqueues there.
class StageObserver {
 public:
  virtual ~StageObserver() = default;
  /// The strategy that is about to run.
  virtual void chosen(const Choice& choice) { static_cast<void>(choice); }
  virtual void stage(std::string_view name, void* stream) = 0;
  /// A figure a strategy can give about this call, such as the depth of a search.
  virtual void statistic(std::string_view name, double value) = 0;
};

/// How a call runs: strategy, threads, workspace, stream, GPUs.
struct Exec {
  /// Selects a strategy by name; empty selects the fastest production strategy for the request.
  /// The environment variable CUESTA_STRATEGY="canny:serial,label:rows", read at the first call of
  /// a process, pins where this is empty.
  std::string strategy{};
  std::vector<Parameter> parameters{};
  /// Threads on the CPU; 0 takes every core the process may use, 1 stays on the caller's thread.
  int threads = 0;
  Workspace* workspace = nullptr;
  /// A cudaStream_t for device views; null is the default stream. Calls enqueue and return, except
  /// where their result is a host object: thresholds to be found, bins of a histogram, numbers and
  /// lists of components, detections and their mask. Then the call waits for the stream, and
  /// returns what it found. Steps of a paper (Tier::ladder) that wait besides say so: `host_sync`.
  void* stream = nullptr;
  StageObserver* observer = nullptr;
  /// Given: the call is checked and strategies are chosen, which it appends here, and nothing runs:
  /// no sample is read or written. See which().
  std::vector<Choice>* choices = nullptr;
  /// GPUs, by the runtime's index, for spread() and the functions on files (edges_file(),
  /// filter_file(), label_file()); empty selects the CPU. Results do not depend on their number.
  /// These functions do not use workspace, stream and observer. Other calls run in the space of
  /// their pictures.
  std::vector<int> devices{};
};

/// The purpose of a strategy: oracle, plain loops over threads, step of a paper, or production.
enum class Tier : uint8_t { reference, baseline, ladder, production };
/// Returns the name of a tier or space, as `cuesta list strategies` prints it.
std::string_view name_of(Tier tier);
std::string_view name_of(Space space);

/// A parameter a strategy declares: its name, what it means, the values it takes (first = default).
/// With `most` any whole number from `least` to `most` too; `values` then has those that verify
/// tries.
struct ParameterInfo {
  std::string_view name{};
  std::string_view meaning{};
  std::span<const std::string_view> values{};
  int least = 0, most = 0;

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
