// Copies of whole pictures on the device.
#pragma once

#include "core/memory.hpp"
#include "cuda/launch.cuh"

namespace cuesta::cuda {

/// Copies a picture of the same size, type and channels on the device, on the call's stream.
inline void copy_rows(std::string_view operation, ConstAnyView src, AnyView dst, const Call& call) {
  const auto bytes = ptrdiff_t(detail::row_bytes(src));
  // Two-dimensional copies take more than twice as long on large pictures (H200, 2026-11-28).
  if (src.stride_bytes == bytes && dst.stride_bytes == bytes) {
    check(cudaMemcpyAsync(dst.data, src.data, size_t(bytes) * size_t(src.height),
                          cudaMemcpyDeviceToDevice, stream_of(call)),
          operation);
    return;
  }
  check(cudaMemcpy2DAsync(dst.data, size_t(dst.stride_bytes), src.data, size_t(src.stride_bytes),
                          size_t(bytes), size_t(src.height), cudaMemcpyDeviceToDevice,
                          stream_of(call)),
        operation);
}

}  // namespace cuesta::cuda
