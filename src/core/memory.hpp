// Memory of either space, below pictures and workspaces.
#pragma once

#include <cstddef>

#include "cuesta/image.hpp"

namespace cuesta::detail {

/// `bytes` of memory aligned to 64 (host) or 256 (device) bytes, with a tail of 64 on the host that
/// may be read. Throws Error{out_of_memory | device}.
void* allocate(Space space, size_t bytes);
void release(Space space, void* memory) noexcept;
/// Row length in bytes that keeps every row aligned to 64 bytes.
constexpr ptrdiff_t padded_stride(ptrdiff_t row_bytes) { return (row_bytes + 63) / 64 * 64; }

}  // namespace cuesta::detail
