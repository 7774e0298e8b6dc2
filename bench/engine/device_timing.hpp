// The GPU as a stopwatch sees it: events, copies, ceilings, and what the runtime knows of kernels.
// Plain C++; in a build without CUDA everything here throws Error{device}.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "bench/engine/result.hpp"
#include "bench/engine/timing.hpp"

namespace cuesta::bench {

/// One call, enqueued on `stream`. `turn` counts up, so that bodies can go round their buffers.
struct DeviceBody {
  std::function<void(size_t turn, void* stream)> enqueue;
  bool host_sync = false;  ///< may wait for the GPU inside, as freeing device memory does
  size_t turns = 1;        ///< of that many `enqueue` finds new buffers
  size_t round = 1;        ///< a batch is a whole number of this many calls
};

/// Like time_in_turns, by events around each batch. The host enqueues a batch while a gate kernel
/// holds the stream, so that the GPU does not wait for launches; bodies that wait for the GPU run
/// without the gate. Whether one that may wait does is found out, once it has seen all its buffers:
/// a workspace may keep what it would wait for.
std::vector<Timing> time_on_device(std::span<const DeviceBody> bodies, int batches, double batch_ms,
                                   void* stream);

/// The bytes of one picture into another of its size and type.
void copy_on_device(ConstAnyView from, AnyView to, void* stream);

Ceilings measure_ceilings(bool quick);

/// The kernels that `call` launches from this thread, each once, in the order of their first
/// launch.
std::vector<KernelUse> kernels_of(const std::function<void()>& call);

/// Points in a stream's time.
class DeviceMarks {
 public:
  DeviceMarks();
  ~DeviceMarks();
  /// Marks what `stream` has reached when all enqueued before is done; returns the mark's number.
  size_t mark(void* stream);
  /// Waits for mark `to`.
  double ms_between(size_t from, size_t to);
  /// Forgets the marks, keeps their events.
  void clear();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The kernel driver's version as it names itself ("580.159.04"); "" where it cannot be read.
std::string driver_version();

}  // namespace cuesta::bench
