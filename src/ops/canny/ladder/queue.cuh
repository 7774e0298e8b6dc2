// A breadth-first search from a queue. Its step is one function; three rungs go from step to step
// in their own way: `bfs-queue` by launches, `persistent` in one kernel, `graph` in a loop of a
// graph.
#pragma once

#include <cuda/atomic>

#include "ops/canny/ladder/hysteresis.cuh"

namespace cuesta::canny_ladder {

/// A pixel joins once, so one array holds the queues of all steps, one behind the other: a step
/// takes what the one before appended and appends behind it.
struct Search {
  Marks marks;
  int32_t* queue;         // numbers of pixels, y * width + x, as they joined; room for all
  const uint32_t* found;  // how many are strong: the first queue
};

/// Marks' strong pixels in a queue, in the call's scratch.
Search search_from_strong(const Marks& marks, dim3 block, Call& call);

/// Threads of a block that takes a step.
inline constexpr int step_threads = 512;
/// Blocks for a step of unknown size, whose threads go round: all are on the GPU at once.
inline unsigned resident_blocks(const Marks& marks) {
  return std::min(unsigned(cuda::multiprocessors()),
                  cuda::blocks(marks.width * marks.height, step_threads));
}

/// As another block has left it.
__device__ inline uint32_t latest(uint32_t& counter) {
  return ::cuda::atomic_ref<uint32_t, ::cuda::thread_scope_device>(counter).load(
      ::cuda::memory_order_relaxed);
}

/// Room for `mine` entries of every lane: the first one's place. One addition a warp, all of which
/// calls this.
__device__ inline uint32_t reserve(uint32_t mine, uint32_t* counter) {
  const unsigned lane = (threadIdx.y * blockDim.x + threadIdx.x) % 32;
  uint32_t sum = mine;  // of this lane and those before
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const uint32_t before = __shfl_up_sync(~0u, sum, distance);
    if (lane >= distance) sum += before;
  }
  uint32_t first = 0;
  if (lane == 31 && sum > 0) first = atomicAdd(counter, sum);
  return __shfl_sync(~0u, first, 31) + sum - mine;
}

/// Whether the candidate (x, y) joins by this thread and by no other. A byte is reached through its
/// word: with the bit of `strong` a candidate is more than that, and what has joined stays so.
__device__ inline bool claim(const Marks& marks, int32_t x, int32_t y) {
  static_assert((candidate & strong) == 0 && (candidate | strong) > strong);
  const auto at = reinterpret_cast<uintptr_t>(&marks.at(x, y));
  const unsigned shift = unsigned(at % 4) * 8;
  const uint32_t before =
      atomicOr(reinterpret_cast<uint32_t*>(at - at % 4), uint32_t(strong) << shift);
  return (before >> shift & 255) == candidate;
}

/// One step, by all threads of a grid of whole warps: what candidates touch the queue's entries
/// [begin, end) are appended from `base` + *counter on, which counts them. A mark may be read as it
/// was a while ago: what is no candidate never becomes one, and of what was one claim() decides.
__device__ inline void step_from_queue(const Search& search, uint32_t begin, uint32_t end,
                                       uint32_t base, uint32_t* counter) {
  const Marks& marks = search.marks;
  const uint32_t lane = threadIdx.x % 32, all = gridDim.x * blockDim.x;
  const uint32_t warp_first = begin + blockIdx.x * blockDim.x + threadIdx.x - lane;
  for (uint32_t first = warp_first; first < end; first += all) {
    int32_t pixel = 0;
    uint32_t joined = 0;  // bit 3 (dy + 1) + dx + 1
    if (first + lane < end) {
      pixel = search.queue[first + lane];
      const int32_t x = pixel % marks.width, y = pixel / marks.width;
      for (int n = 0; n < 9; ++n) {
        const int32_t u = x + n % 3 - 1, v = y + n / 3 - 1;
        if (at_or_zero(marks, u, v) == candidate && claim(marks, u, v)) joined |= 1u << n;
      }
    }
    uint32_t to = base + reserve(uint32_t(__popc(joined)), counter);
    for (; joined != 0; joined &= joined - 1) {
      const int n = __ffs(int(joined)) - 1;
      search.queue[to++] = pixel + (n / 3 - 1) * marks.width + n % 3 - 1;
    }
  }
}

}  // namespace cuesta::canny_ladder
