#include "bench/cuda/kernels.hpp"

#include <cuda_runtime.h>

#include "cuda/check.hpp"

namespace cuesta::bench::device {
namespace {

constexpr int chains = 8;  // independent sums a thread: more than the latency of one FMA hides

__device__ uint64_t now() {
  uint64_t time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

__global__ void gate(uint64_t nanoseconds) {
  const uint64_t begin = now();
  while (now() - begin < nanoseconds) __nanosleep(200);
}

__global__ void fma_chains(int steps, float factor, float* sink) {
  float sum[chains];
#pragma unroll
  for (int c = 0; c < chains; ++c) sum[c] = float(threadIdx.x + c);
#pragma unroll 16
  for (int step = 0; step < steps; ++step) {  // `steps` is a multiple of 16
#pragma unroll
    for (int c = 0; c < chains; ++c) sum[c] = __fmaf_rn(sum[c], factor, 1.0f);
  }
  float all = 0;
#pragma unroll
  for (int c = 0; c < chains; ++c) all += sum[c];
  if (all == -1.0f) *sink = all;  // never; keeps the sums alive
}

}  // namespace

void enqueue_gate(uint64_t nanoseconds, void* stream) {
  gate<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(nanoseconds);
  cuda::check(cudaGetLastError(), "bench: the gate");
}

double enqueue_fma(int multiprocessors, int steps, float* sink, void* stream) {
  constexpr int threads = 256, blocks_each = 8;
  const int blocks = multiprocessors * blocks_each;
  fma_chains<<<blocks, threads, 0, static_cast<cudaStream_t>(stream)>>>(steps, 0.5f, sink);
  cuda::check(cudaGetLastError(), "bench: multiply-adds");
  return 2.0 * chains * steps * double(threads) * blocks;
}

}  // namespace cuesta::bench::device
