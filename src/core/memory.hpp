// Memory of either space, below pictures and workspaces.
#pragma once

#include <cstddef>

#include "cuesta/image.hpp"

namespace cuesta::detail {

/// `bytes` of memory aligned to 64 (host) or 256 (device) bytes, with a tail of 64 on the host that
/// may be read. Throws Error{out_of_memory | device}.
void* allocate(Space space, size_t bytes);
void release(Space space, void* memory) noexcept;
/// Bytes of a row's samples, without what a stride adds. Rows of bits are whole 64-bit words.
constexpr ptrdiff_t row_bytes(PixelType type, int32_t width, int32_t channels) {
  return type == PixelType::bit ? (ptrdiff_t(width) + 63) / 64 * 8
                                : ptrdiff_t(width) * channels * bytes_per_sample(type);
}
inline ptrdiff_t row_bytes(ConstAnyView p) { return row_bytes(p.type, p.width, p.channels); }
/// Row length in bytes that keeps every row aligned to 64 bytes.
constexpr ptrdiff_t padded_stride(ptrdiff_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace cuesta::detail
