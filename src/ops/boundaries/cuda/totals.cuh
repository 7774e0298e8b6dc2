// Figures of a whole picture, which scores count, on CUDA.
#pragma once

#include "cuda/launch.cuh"
#include "cuda/sums.cuh"

namespace cuesta::boundary_cuda {

struct Totals {
  unsigned long long strength, activity;  // sums
  int32_t surround;                       // the largest
};

/// Cleared totals in the call's scratch memory.
inline Totals* new_totals(Call& call) {
  auto* totals = call.scratch().take<Totals>(1);
  cuda::check(cudaMemsetAsync(totals, 0, sizeof(Totals), cuda::stream_of(call)), "boundaries");
  return totals;
}

/// The sum of a row, or its largest sample: a warp's, launched by for_each_row().
template <class View>
struct AddRow {
  View from;
  unsigned long long* total;
  __device__ void operator()(int32_t lane, int32_t y) const {
    unsigned long long sum = 0;
    for (int64_t x = lane; x < from.width; x += 32)
      sum += static_cast<unsigned long long>(from.at(int32_t(x), y));
#pragma unroll
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    if (lane == 0) atomicAdd(total, sum);
  }
};
template <class View>
struct FindMost {
  View from;
  int32_t* most;
  __device__ void operator()(int32_t lane, int32_t y) const {
    int32_t found = 0;
    for (int64_t x = lane; x < from.width; x += 32)
      found = max(found, int32_t(from.at(int32_t(x), y)));
    found = cuda::warp_max(found);
    if (lane == 0) atomicMax(most, found);
  }
};
/// body(lane, y) for every row.
template <class Body>
void for_each_row(int32_t height, const Body& body, Call& call) {
  static_assert(cuda::pixel_block_x == 32);
  cuda::for_each_pixel("boundaries", 32, height, body, call);
}

}  // namespace cuesta::boundary_cuda
