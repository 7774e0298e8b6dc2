#include "cuda/tensor_cores.hpp"

#include <cuda_runtime_api.h>

namespace cuesta {

bool cuda::multiplies_bytes() {
  int device = 0, major = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess) {
    cudaGetLastError();
    return true;
  }
  return major >= 8;
}

}  // namespace cuesta
