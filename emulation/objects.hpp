// What the files of the emulated runtime share: its objects, and what each of its functions does
// first.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <vector>

using Work = std::function<void()>;

struct CUgraph_st {
  std::vector<Work> works;
};
struct CUgraphExec_st {
  std::vector<Work> works;
};
struct CUstream_st {
  unsigned long long id;
  int device;
  CUgraph_st* capturing = nullptr;
};
struct CUevent_st {
  bool is_captured = false;  // by a graph: nobody can wait for it
};

namespace emulated {

/// The status, which cudaGetLastError() returns later where it is a fault.
cudaError_t noted(cudaError_t status);
/// Counts a call; what it ends with where it was set to fail.
cudaError_t counted();
/// Of streams, events, textures and graphs that exist.
void count_object(int by);
/// What releases something has done so where it ends with a fault of something before it, too.
inline cudaError_t after_release(cudaError_t fault, cudaError_t status) {
  return fault != cudaSuccess ? fault : status;
}

}  // namespace emulated

// The fault that calls are to end with, at the start of each.
#define CUESTA_COUNTED() \
  if (const cudaError_t fault = emulated::counted(); fault != cudaSuccess) return fault
