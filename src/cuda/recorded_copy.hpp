// Host memory that a recording needs after the call that records it.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string_view>

namespace cuesta::cuda {

/// `bytes` of host memory to `there`, as part of the graph that `stream` records. A recorded copy
/// reads pageable memory when the graph runs, and the caller's may be gone by then. So the bytes
/// travel in the arguments of kernels, which the graph keeps.
void copy_recorded(const void* values, size_t bytes, void* there, cudaStream_t stream,
                   std::string_view doing);

}  // namespace cuesta::cuda
