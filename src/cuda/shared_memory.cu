// What spoils shared memory before a check: blocks that take all of a multiprocessor's.
#include "core/shared_memory.hpp"

#include "cuda/launch.cuh"

namespace cuesta {
namespace {

constexpr int threads = 1024;

// Stores by assembly: nothing reads them here, and the compiler would leave them out.
__global__ void __launch_bounds__(threads) fill_with_ones(uint32_t bytes) {
  extern __shared__ uint4 all[];
  const auto begin = uint32_t(__cvta_generic_to_shared(all));
  for (uint32_t at = threadIdx.x * sizeof(uint4); at < bytes; at += threads * sizeof(uint4))
    asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(begin + at), "r"(~0u) : "memory");
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
