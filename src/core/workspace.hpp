// Scratch memory: a stack of blocks that grows on first use and then stays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "core/memory.hpp"
#include "cuesta/exec.hpp"

namespace cuesta {

/// A nested scope of scratch memory. Memory taken lives until the Scratch ends; scopes nest, also
/// across operations. All takes of a scope together must be made on the thread that opened it.
class Scratch {
 public:
  /// Of `exec.workspace`, or of this thread's cache for `exec.stream`. Throws
  /// Error{invalid_argument} when another thread uses the workspace now.
  Scratch(const Exec& exec, Space space);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// `count` objects, uninitialised, aligned to 64 bytes (256 on the device), with 64 bytes after
  /// them that may be read and written, so that vector code may overrun a row.
  template <class T>
  T* take(size_t count) {
    static_assert(std::is_trivial_v<T>);
    return static_cast<T*>(take_bytes(count * sizeof(T)));
  }
  /// A picture with rows padded to 64 bytes; the bytes up to stride_bytes may be read and written.
  /// `S` is the space of the Scratch.
  template <class T, Space S = Space::host>
  ImageView<T, S> image(int32_t width, int32_t height, int32_t channels = 1) {
    const ptrdiff_t stride =
        detail::padded_stride(ptrdiff_t(width) * channels * ptrdiff_t(sizeof(T)));
    T* data = static_cast<T*>(take_bytes(size_t(stride) * size_t(height)));
    return {data, width, height, channels, stride};
  }
  /// A bit mask, not cleared.
  template <Space S = Space::host>
  BasicBitView<uint64_t, S> bits(int32_t width, int32_t height) {
    const ptrdiff_t words = (width + 63) / 64;
    return {take<uint64_t>(size_t(words) * size_t(height)), width, height, words};
  }

 private:
  void* take_bytes(size_t bytes);
  Workspace::State* state_;
  Space space_;
  size_t block_, used_;  // where the stack stood
};

}  // namespace cuesta
