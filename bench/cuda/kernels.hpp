// The bench's own kernels: the gate and the measure of arithmetic.
#pragma once

#include <cstdint>

namespace cuesta::bench::device {

/// Holds `stream` for about `nanoseconds`.
void enqueue_gate(uint64_t nanoseconds, void* stream);

/// Threads that do nothing but fused multiply-adds; returns how many floating-point operations one
/// launch makes.
double enqueue_fma(int multiprocessors, int steps, float* sink, void* stream);

}  // namespace cuesta::bench::device
