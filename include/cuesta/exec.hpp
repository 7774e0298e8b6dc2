// How a call runs: which strategy, with how many threads, out of whose memory, on which stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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

}  // namespace cuesta
