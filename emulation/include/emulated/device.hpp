// What a test may ask of the emulated devices, and make them do.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

namespace emulated {

/// Bytes of device and page-locked memory, streams, events, textures and graphs that exist.
struct Held {
  size_t bytes = 0;
  int objects = 0;
  bool operator==(const Held&) const = default;
};
Held held();

/// Calls of the runtime since the program began or faults() changed last, launches among them.
int64_t calls();

/// From now on call number `call` (the next is 0) fails once with `error`; every later one too
/// where `sticky`, as after a fault in a kernel. A negative number: none fails.
void fail_call(int64_t call, cudaError_t error = cudaErrorUnknown, bool sticky = false);

}  // namespace emulated
