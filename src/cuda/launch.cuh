// What every CUDA strategy launches through.
#pragma once

#include <cuda_runtime.h>

#include "core/strategy.hpp"
#include "cuda/check.hpp"

namespace cuesta::cuda {

inline cudaStream_t stream_of(const Call& call) { return static_cast<cudaStream_t>(call.stream()); }

/// kernel<<<grid, block, shared, stream>>>(arguments...); throws at once when the launch itself is
/// refused.
template <class... Parameters, class... Arguments>
void launch(std::string_view operation, void (*kernel)(Parameters...), dim3 grid, dim3 block,
            size_t shared, cudaStream_t stream, Arguments&&... arguments) {
  kernel<<<grid, block, shared, stream>>>(static_cast<Parameters>(arguments)...);
  note_launch({operation, reinterpret_cast<const void*>(kernel), grid, block, shared});
  check(cudaGetLastError(), operation);
}

/// Lets `kernel` be launched with `bytes` of dynamic shared memory.
template <class Kernel>
void allow_shared(Kernel kernel, size_t bytes, std::string_view operation) {
  if (bytes <= 48 * 1024) return;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)),
        operation);
}

/// What a kernel for blocks of any shape declares as its launch bound: it then fits the registers
/// of the largest.
inline constexpr int any_block = 1024;

/// Blocks of `size` that cover `n`.
constexpr unsigned blocks(int32_t n, int32_t size) { return unsigned((n + size - 1) / size); }

/// The grid whose blocks of wide × high pixels cover a picture.
inline dim3 tiles(ConstAnyView picture, int32_t wide, int32_t high) {
  return dim3(blocks(picture.width, wide), blocks(picture.height, high));
}

}  // namespace cuesta::cuda
