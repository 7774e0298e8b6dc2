// The bench's own kernels: the gate.
#pragma once

#include <cstdint>

namespace cuesta::bench::device {

/// Holds `stream` for about `nanoseconds`.
void enqueue_gate(uint64_t nanoseconds, void* stream);

}  // namespace cuesta::bench::device
