// Asynchronous copies to shared memory, done at once.
#pragma once

#include <cuda_runtime.h>

namespace emulated {
template <size_t Bytes>
void copy_chunk(void* to, const void* from) {
  struct __attribute__((may_alias, aligned(Bytes))) Chunk {
    unsigned char bytes[Bytes];
  };
  *static_cast<Chunk*>(to) = *static_cast<const Chunk*>(from);
}
}  // namespace emulated

/// 4, 8 or 16 bytes from and to a multiple of as many. One access, as record_loads.cpp sees it.
inline void __pipeline_memcpy_async(void* to, const void* from, size_t bytes) {
  switch (bytes) {
    case 4: return emulated::copy_chunk<4>(to, from);
    case 8: return emulated::copy_chunk<8>(to, from);
    default: return emulated::copy_chunk<16>(to, from);
  }
}
inline void __pipeline_commit() {}
inline void __pipeline_wait_prior(size_t) {}
