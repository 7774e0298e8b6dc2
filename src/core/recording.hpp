// What scratch memory asks about the caller's stream, also while it is recorded into a CUDA graph.
// src/cuda/ defines these in a CUDA build, core/no_cuda.cpp otherwise.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuesta::detail {

/// A stream's number, which no other stream of the process ever gets: a handle may come back after
/// its stream was destroyed. 0 for the default stream. Throws Error{device}.
uint64_t stream_number(void* stream);
/// Whether what is enqueued on `stream` now becomes part of a graph.
bool is_recorded(void* stream);
/// Memory of that graph: each launch takes it here and gives it back where release is recorded.
/// Throws Error{device}, Error{out_of_memory}.
void* allocate_recorded(size_t bytes, void* stream);
void release_recorded(void* memory, void* stream) noexcept;

}  // namespace cuesta::detail
