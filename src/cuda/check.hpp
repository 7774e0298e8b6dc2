// How CUDA's status codes become cuesta::Error. Plain C++: both compilers read it.
#pragma once

#include <cuda_runtime_api.h>

#include <string_view>
#include <vector>

#include "cuda/limits.hpp"

namespace cuesta::cuda {

/// Throws Error{device} (or {out_of_memory}) for anything but success, naming what was done.
void check(cudaError_t status, std::string_view doing);

/// One launch of a kernel: what the runtime can be asked about its registers and occupancy.
struct Launch {
  std::string_view operation{};
  const void* kernel = nullptr;
  dim3 grid{}, block{};
  size_t dynamic_shared_bytes = 0;
};

/// Remembers the operation that this thread enqueued last, so that a fault found later can name it,
/// and tells this thread's recorder, if any.
void note_launch(const Launch& launch);

/// Until it ends, this thread's launches are kept in order.
class LaunchRecorder {
 public:
  LaunchRecorder();
  ~LaunchRecorder();
  LaunchRecorder(const LaunchRecorder&) = delete;
  LaunchRecorder& operator=(const LaunchRecorder&) = delete;
  const std::vector<Launch>& launches() const { return launches_; }

 private:
  friend void note_launch(const Launch& launch);
  LaunchRecorder* outer_;
  std::vector<Launch> launches_;
};

}  // namespace cuesta::cuda
