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

/// Scratch memory that a caller keeps, so that calls of a size already seen allocate nothing.
/// Serves one call at a time (on CUDA: one stream at a time); a second one at once throws.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  /// Bytes held now in `space`.
  size_t bytes(Space space = Space::host) const;
  /// Gives everything back; the next call allocates again.
  void release_memory();

 private:
  friend class Scratch;
  struct State;
  std::unique_ptr<State> state_;
};

/// Frees what this thread's calls without a Workspace have cached.
void release_memory();

/// Name and value of a strategy parameter, as `--param block=16` gives them.
using Parameter = std::pair<std::string, std::string>;

/// Told which stage of a strategy begins, by strategies that have stages ("blur", "hysteresis").
/// Stages end where the next begins, the last one with the call. Called on the caller's thread; on
/// CUDA what follows is enqueued on `stream` after what the observer enqueues there.
class StageObserver {
 public:
  virtual ~StageObserver() = default;
  virtual void stage(std::string_view name, void* stream) = 0;
  /// A figure a strategy can give about this call, such as the depth of a search.
  virtual void statistic(std::string_view name, double value) = 0;
};

struct Exec {
  /// Pins a strategy by name; empty chooses the best production row that takes the request.
  /// The environment variable CUESTA_STRATEGY="canny:serial,label:rows" pins where this is empty.
  std::string strategy{};
  std::vector<Parameter> parameters{};
  /// Threads on the CPU; 0 takes every core the process may use, 1 stays on the caller's thread.
  int threads = 0;
  Workspace* workspace = nullptr;
  /// A cudaStream_t for device views; null is the default stream. Calls only enqueue.
  void* stream = nullptr;
  StageObserver* observer = nullptr;
};

/// How a strategy stands to the others: the oracle, plain loops over threads, a paper's step, or
/// production.
enum class Tier : uint8_t { reference, baseline, ladder, production };
std::string_view name_of(Tier tier);
std::string_view name_of(Space space);

/// A parameter a strategy declares: its name, what it means, the values it takes (first = default).
struct ParameterInfo {
  std::string_view name{};
  std::string_view meaning{};
  std::span<const std::string_view> values{};
};

/// One row of an operation's table, as `cuesta list strategies` prints it.
struct StrategyDescription {
  std::string_view operation{}, name{};
  Space space{};
  Tier tier{};
  std::string_view idea{};       ///< what this row does that the rows before it do not
  std::string_view paper{};      ///< the report it comes from ("000".."004"); empty for ours
  std::string_view exactness{};  ///< "equal bytes", or the bound on floating-point results
  std::span<const ParameterInfo> parameters{};
  bool allocates = false;  ///< also after the first call of a size
  bool host_sync = false;  ///< waits for the GPU inside the call
};

/// Every strategy of every operation in this build, in table order.
std::vector<StrategyDescription> list_strategies();
/// Names of the operations, in the order of the tables.
std::vector<std::string_view> list_operations();

/// The CPU instruction set in use ("AVX3", "AVX2", "SSE4", "SSE2"); CUESTA_SIMD=sse4 (say) forces a
/// lower one.
std::string_view simd_target();
/// The instruction sets that this build holds and this CPU runs, best first.
std::vector<std::string_view> simd_targets();
/// Forces one of simd_targets() for the whole process; "" goes back to the best. Not to be called
/// while operations run.
void force_simd_target(std::string_view name);

}  // namespace cuesta
