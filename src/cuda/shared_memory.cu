// What spoils shared memory before a check: blocks that take all of a multiprocessor's.
#include "core/shared_memory.hpp"
#include "cuda/instructions.cuh"

#include "cuda/launch.cuh"

namespace cuesta {
namespace {

constexpr int threads = 1024;

__global__ void __launch_bounds__(threads) fill_with_ones(uint32_t bytes) {
  CUESTA_DYNAMIC_SHARED(uint4, all);
  for (uint32_t i = threadIdx.x; i < bytes / sizeof(uint4); i += threads)
    cuda::store_shared(all + i, ~0u);
}

}  // namespace

void detail::spoil_shared_memory() {
  constexpr const char* doing = "filling shared memory";
  const size_t bytes = cuda::shared_limit();
  cuda::allow_shared(fill_with_ones, bytes, doing);
  cuda::launch(doing, fill_with_ones, dim3(unsigned(cuda::multiprocessors())), dim3(threads), bytes,
               nullptr, uint32_t(bytes));
  cuda::check(cudaStreamSynchronize(nullptr), doing);
}

}  // namespace cuesta
