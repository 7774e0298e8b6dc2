// The seam between core and CUDA: src/cuda/ defines these in a CUDA build, core/no_cuda.cpp
// otherwise.
#pragma once

#include <cstddef>
#include <string>

#include "cuesta/image.hpp"

namespace cuesta::detail {

/// Throws Error{device} where there is no GPU, Error{out_of_memory}.
void* allocate_device(size_t bytes);
void release_device(void* memory) noexcept;
/// Whole buffers, host to device and back, finished on return. Throws Error{device}.
void copy_to_device(void* device, const void* host, size_t bytes);
void copy_to_host(void* host, const void* device, size_t bytes);
/// Zeros, finished on return. Throws Error{device}.
void clear_device(void* memory, size_t bytes);
/// A picture on the device into another there, enqueued on `stream`. Throws as copy() does.
void copy_on_device(ConstAnyView src, AnyView dst, void* stream);
/// Page-locked host memory. Throws Error{device}, Error{out_of_memory}.
void* allocate_pinned(size_t bytes);
void release_pinned(void* memory) noexcept;
/// Whether memory is the host's and page-locked. Throws Error{device}.
bool is_pinned(const void* memory);
/// download() that does not wait; the host memory is page-locked, so that it runs beside the host.
void enqueue_download(ConstAnyView device, AnyView host, void* stream);

/// The GPU whose memory that is. Throws Error{invalid_argument} for the host's, Error{device}.
int device_of(const void* memory);
/// The name of this thread's GPU; empty where there is none.
std::string device_name();

}  // namespace cuesta::detail
