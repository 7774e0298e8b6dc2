// How a CPU plays a GPU's block: each of its threads is a fiber, and where threads of a block or a
// warp wait for each other, the next fiber continues. emulation/README.md has the whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <cuda_runtime_api.h>

extern thread_local constinit uint3 threadIdx, blockIdx;
extern thread_local constinit dim3 blockDim, gridDim;

namespace emulated {

/// Calls body(context) once a thread of the grid, with `shared` bytes of dynamic shared memory a
/// block. One block after the other, in the order of CUESTA_EMULATED_ORDER; all at once, on threads
/// of their own, where they are `together`.
void run_grid(dim3 grid, dim3 block, size_t shared, bool together, void (*body)(void*),
              void* context);

// ---- From here on for the threads of a block.

/// Waits for all threads of the block that have not ended; returns for how many of them `one` was
/// true.
int meet_block(bool one = false);
/// Of the block's numbered barriers, at which `count` threads meet: those that only arrive
/// continue.
void meet_at(int barrier, int count, bool wait);
/// All threads of a grid whose blocks run together.
void meet_grid();
/// Others continue; for what waits in a loop.
void let_others();
/// The block's dynamic shared memory.
void* dynamic_shared();
int lane();

/// What the lanes of a warp was down for each other, 32 bytes a lane at most. Lanes that have ended
/// lay nothing down.
struct Exchange {
  uint32_t arrived = 0;
  alignas(16) unsigned char of[32][32];
  template <class T>
  T at(int lane) const {
    T value;
    std::memcpy(&value, of[lane], sizeof value);
    return value;
  }
};

namespace detail {
Exchange* lay_down(uint32_t mask, const void* value, size_t bytes);
void leave(Exchange* exchange);
}  // namespace detail

/// Lays `value` down for the lanes of `mask`, one being the caller's, waits for the others, and
/// returns read(what all of them laid down).
template <class T, class Read>
auto exchange(uint32_t mask, const T& value, const Read& read) {
  static_assert(sizeof(T) <= 32);
  Exchange* const all = detail::lay_down(mask, &value, sizeof value);
  auto result = read(std::as_const(*all));
  detail::leave(all);
  return result;
}

}  // namespace emulated
