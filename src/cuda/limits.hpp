// What the GPU in use grants, for host code that includes no CUDA header.
#pragma once

#include <cstddef>

namespace cuesta::cuda {

/// Bytes of shared memory that this thread's GPU grants a block that asks for more than 48 KiB.
/// Throws Error{device} where there is none.
size_t shared_limit();
int multiprocessors();

}  // namespace cuesta::cuda
