// Calls that a caller records into a CUDA graph of theirs: what scratch memory asks of the device.
// src/cuda/ defines these in a CUDA build, core/no_cuda.cpp otherwise.
#pragma once

#include <cstddef>

namespace cuesta::detail {

/// Whether what is enqueued on `stream` now becomes part of a graph.
bool is_recorded(void* stream);
/// Memory of that graph: each launch takes it here and gives it back where release is recorded.
/// Throws Error{device}, Error{out_of_memory}.
void* allocate_recorded(size_t bytes, void* stream);
void release_recorded(void* memory, void* stream) noexcept;

}  // namespace cuesta::detail
