// Kernels that do one thing as fast as the GPU can: what measure_ceilings() times. Each enqueues
// one launch on `stream` and returns how much of its thing that makes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuesta::bench::device {

/// What every kernel of a ceiling is given: blocks that fill each multiprocessor, and a place for
/// results that nobody reads, of at least 4 bytes.
struct Fill {
  int multiprocessors;
  float* sink;
  void* stream;
};

/// Fused multiply-adds in independent chains: floating-point operations.
double enqueue_fma(const Fill& fill, int steps);
/// Multiply-adds of floats and sums of integers by turns: warp instructions.
double enqueue_mixed(const Fill& fill, int steps);
/// Sums of integers: warp instructions.
double enqueue_integers(const Fill& fill, int steps);
/// Loads of 128 bytes a warp of a few kilobytes that every warp reads: wavefronts. `from` has 2
/// KiB.
double enqueue_l1_loads(const Fill& fill, int steps, const float* from);
/// The same from shared memory.
double enqueue_shared_loads(const Fill& fill, int steps);
/// Fetches from a texture of at least 32 × 32 samples: samples.
double enqueue_fetches(const Fill& fill, int steps, uint64_t texture);
/// Reads `bytes` (a multiple of 16), which fit the second-level cache, `rounds` times past the
/// first: bytes.
double enqueue_l2_reads(const Fill& fill, int rounds, const void* from, size_t bytes);

/// Fills 2^`log_lines` lines of 128 bytes with a walk through all of them in no order.
void enqueue_walk(uint32_t* lines, int log_lines, void* stream);
/// One thread goes `steps` lines on from where the last launch stopped (`at`): lines.
double enqueue_steps(const uint32_t* lines, uint32_t* at, int steps, void* stream);

/// `blocks` blocks of `threads` that do nothing: blocks.
double enqueue_idle(int blocks, int threads, void* stream);

}  // namespace cuesta::bench::device
