#include "bench/cuda/kernels.hpp"

#include <cuda_runtime.h>

#include "cuda/check.hpp"

namespace cuesta::bench::device {
namespace {

__device__ uint64_t now() {
  uint64_t time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

__global__ void gate(uint64_t nanoseconds) {
  const uint64_t begin = now();
  while (now() - begin < nanoseconds) __nanosleep(200);
}

}  // namespace

void enqueue_gate(uint64_t nanoseconds, void* stream) {
  gate<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(nanoseconds);
  cuda::check(cudaGetLastError(), "bench: the gate");
}

}  // namespace cuesta::bench::device
