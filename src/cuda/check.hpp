// How CUDA's status codes become cuesta::Error. Plain C++: both compilers read it.
#pragma once

#include <cuda_runtime_api.h>

#include <string_view>

namespace cuesta::cuda {

/// Throws Error{device} (or {out_of_memory}) for anything but success, naming what was done.
void check(cudaError_t status, std::string_view doing);

/// Remembers the operation that this thread enqueued last, so that a fault found later can name it.
void note_launch(std::string_view operation);

/// Bytes of shared memory that this thread's GPU grants a block that asks for more than 48 KiB.
size_t shared_limit();
int multiprocessors();

}  // namespace cuesta::cuda
