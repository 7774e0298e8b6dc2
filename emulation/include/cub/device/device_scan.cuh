// Sums of all before, with the toolkit's two calls: the first asks for the bytes of storage.
#pragma once

#include <cuda_runtime.h>

namespace cub {

struct DeviceScan {
  template <class In, class T>
  static cudaError_t InclusiveSum(void* storage, size_t& bytes, In in, T* out, int64_t n,
                                  cudaStream_t stream) {
    if (!storage) {
      bytes = 1;
      return cudaSuccess;
    }
    return emulated::enqueue(stream, [=] {
      T sum{};
      for (int64_t i = 0; i < n; ++i) out[i] = sum = T(sum + in[i]);
    });
  }
};

}  // namespace cub
