#include "bench/cuda/ceilings.hpp"

#include <cuda_runtime.h>

#include "cuda/check.hpp"

namespace cuesta::bench::device {
namespace {

constexpr int threads = 256, blocks_each = 8;
constexpr int chains = 8;     // independent sums a thread: more than the latency of one FMA hides
constexpr int unrolled = 16;  // `steps` is a multiple of it

cudaStream_t stream_of(void* stream) { return static_cast<cudaStream_t>(stream); }

/// A result that the compiler cannot do without, and nobody gets.
__device__ void keep(float value, float* sink) {
  if (value == -1.0f) *sink = value;
}

__global__ void __launch_bounds__(threads) fma_chains(int steps, float factor, float* sink) {
  float sum[chains];
#pragma unroll
  for (int c = 0; c < chains; ++c) sum[c] = float(threadIdx.x + c);
#pragma unroll unrolled
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int c = 0; c < chains; ++c) sum[c] = __fmaf_rn(sum[c], factor, 1.0f);
  }
  float all = 0;
#pragma unroll
  for (int c = 0; c < chains; ++c) all += sum[c];
  keep(all, sink);
}

// Sums that each take in another chain's, so that none can be left out.
__global__ void __launch_bounds__(threads) mixed_chains(int steps, float factor, float* sink) {
  float sum[chains / 2];
  uint32_t whole[chains / 2];
#pragma unroll
  for (int c = 0; c < chains / 2; ++c) {
    sum[c] = float(threadIdx.x + c);
    whole[c] = threadIdx.x * 77 + c;
  }
#pragma unroll unrolled
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int c = 0; c < chains / 2; ++c) {
      sum[c] = __fmaf_rn(sum[c], factor, 1.0f);
      whole[c] += whole[(c + 1) % (chains / 2)];
    }
  }
  float all = 0;
#pragma unroll
  for (int c = 0; c < chains / 2; ++c) all += sum[c] + float(whole[c]);
  keep(all, sink);
}

__global__ void __launch_bounds__(threads) integer_chains(int steps, float* sink) {
  uint32_t whole[chains];
#pragma unroll
  for (int c = 0; c < chains; ++c) whole[c] = threadIdx.x * 77 + c;
#pragma unroll unrolled
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int c = 0; c < chains; ++c) whole[c] += whole[(c + 1) % chains];
  }
  uint32_t all = 0;
#pragma unroll
  for (int c = 0; c < chains; ++c) all ^= whole[c];
  keep(float(int32_t(all)), sink);
}

// A warp reads a line of 128 bytes, then the next, and round again. The compiler does not know that
// `none` is 0, and so not that it has read these lines before.
__global__ void __launch_bounds__(threads)
    l1_loads(int steps, int none, const float* from, float* sink) {
  const float* mine = from + threadIdx.x % 32;
  float sum[4] = {};
  for (int step = 0; step < steps; step += unrolled) {
#pragma unroll
    for (int i = 0; i < unrolled; ++i) {
      float value;
      asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(value) : "l"(mine + 32 * i));
      sum[i % 4] += value;
    }
    mine += none;
  }
  keep(sum[0] + sum[1] + sum[2] + sum[3], sink);
}

__global__ void __launch_bounds__(threads) shared_loads(int steps, int none, float* sink) {
  __shared__ float lines[32 * unrolled];
  for (int i = threadIdx.x; i < 32 * unrolled; i += threads) lines[i] = float(i);
  __syncthreads();
  auto mine = uint32_t(__cvta_generic_to_shared(lines + threadIdx.x % 32));
  float sum[4] = {};
  for (int step = 0; step < steps; step += unrolled) {
#pragma unroll
    for (int i = 0; i < unrolled; ++i) {
      float value;
      asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(mine + 128 * i));
      sum[i % 4] += value;
    }
    mine += none;
  }
  keep(sum[0] + sum[1] + sum[2] + sum[3], sink);
}

__global__ void __launch_bounds__(threads)
    fetches(int steps, float none, cudaTextureObject_t texture, float* sink) {
  const float x = float(threadIdx.x % 32);
  float y = 0;
  float sum[4] = {};
  for (int step = 0; step < steps; step += unrolled) {
#pragma unroll
    for (int i = 0; i < unrolled; ++i) sum[i % 4] += tex2D<float>(texture, x, y + float(i));
    y += none;
  }
  keep(sum[0] + sum[1] + sum[2] + sum[3], sink);
}

__global__ void __launch_bounds__(threads)
    l2_reads(int rounds, const float4* from, int64_t vectors, float* sink) {
  const int64_t first = int64_t(blockIdx.x) * threads + threadIdx.x,
                stride = int64_t(gridDim.x) * threads;
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
#pragma unroll 4
    for (int64_t i = first; i < vectors; i += stride) {
      float4 value;
      asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
                   : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
                   : "l"(from + i));
      sum += value.x + value.y + value.z + value.w;
    }
  }
  keep(sum, sink);
}

constexpr int line_words = 32;

// Every line once: multiplier and step give a sequence of full period modulo a power of two.
__global__ void walk(uint32_t* lines, uint32_t mask) {
  const uint32_t line = blockIdx.x * threads + threadIdx.x;
  if (line <= mask) lines[size_t(line) * line_words] = (line * 1664525u + 1013904223u) & mask;
}

__global__ void steps_on(const uint32_t* lines, uint32_t* at, int steps) {
  uint32_t line = *at;
  for (int step = 0; step < steps; ++step) line = __ldcg(lines + size_t(line) * line_words);
  *at = line;
}

__global__ void __launch_bounds__(1024) idle() {}

void check_launch() { cuda::check(cudaGetLastError(), "bench: a ceiling"); }

double threads_of(const Fill& fill) { return double(fill.multiprocessors) * blocks_each * threads; }

}  // namespace

double enqueue_fma(const Fill& fill, int steps) {
  fma_chains<<<fill.multiprocessors * blocks_each, threads, 0, stream_of(fill.stream)>>>(
      steps, 0.5f, fill.sink);
  check_launch();
  return 2.0 * chains * steps * threads_of(fill);
}

double enqueue_mixed(const Fill& fill, int steps) {
  mixed_chains<<<fill.multiprocessors * blocks_each, threads, 0, stream_of(fill.stream)>>>(
      steps, 0.5f, fill.sink);
  check_launch();
  return double(chains) * steps * threads_of(fill) / 32;
}

double enqueue_integers(const Fill& fill, int steps) {
  integer_chains<<<fill.multiprocessors * blocks_each, threads, 0, stream_of(fill.stream)>>>(
      steps, fill.sink);
  check_launch();
  return double(chains) * steps * threads_of(fill) / 32;
}

double enqueue_l1_loads(const Fill& fill, int steps, const float* from) {
  l1_loads<<<fill.multiprocessors * blocks_each, threads, 0, stream_of(fill.stream)>>>(
      steps, 0, from, fill.sink);
  check_launch();
  return steps * threads_of(fill) / 32;
}

double enqueue_shared_loads(const Fill& fill, int steps) {
  shared_loads<<<fill.multiprocessors * blocks_each, threads, 0, stream_of(fill.stream)>>>(
      steps, 0, fill.sink);
  check_launch();
  return steps * threads_of(fill) / 32;
}

double enqueue_fetches(const Fill& fill, int steps, uint64_t texture) {
  fetches<<<fill.multiprocessors * blocks_each, threads, 0, stream_of(fill.stream)>>>(
      steps, 0.0f, texture, fill.sink);
  check_launch();
  return steps * threads_of(fill);
}

double enqueue_l2_reads(const Fill& fill, int rounds, const void* from, size_t bytes) {
  const auto vectors = int64_t(bytes / sizeof(float4));
  l2_reads<<<fill.multiprocessors * blocks_each, threads, 0, stream_of(fill.stream)>>>(
      rounds, static_cast<const float4*>(from), vectors, fill.sink);
  check_launch();
  return double(rounds) * double(vectors) * sizeof(float4);
}

void enqueue_walk(uint32_t* lines, int log_lines, void* stream) {
  const uint32_t count = 1u << log_lines;
  walk<<<(count + threads - 1) / threads, threads, 0, stream_of(stream)>>>(lines, count - 1);
  check_launch();
}

double enqueue_steps(const uint32_t* lines, uint32_t* at, int steps, void* stream) {
  steps_on<<<1, 1, 0, stream_of(stream)>>>(lines, at, steps);
  check_launch();
  return steps;
}

double enqueue_idle(int blocks, int threads_each, void* stream) {
  idle<<<blocks, threads_each, 0, stream_of(stream)>>>();
  check_launch();
  return blocks;
}

}  // namespace cuesta::bench::device
