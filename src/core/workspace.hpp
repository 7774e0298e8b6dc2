// Scratch memory: a stack of blocks that grows on first use and then stays; and what calls keep for
// later ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <typeindex>
#include <vector>

#include "core/memory.hpp"
#include "cuesta/exec.hpp"

namespace cuesta {

/// A nested scope of scratch memory. Memory taken lives until the Scratch ends; scopes nest, also
/// across operations. All takes of a scope together must be made on the thread that opened it.
class Scratch {
 public:
  /// Of `exec.workspace`; without one, of this thread's cache, which has memory for the host and
  /// for each GPU and stream. Throws Error{invalid_argument} when another thread uses the workspace
  /// now, or when its GPU memory is another GPU's than the one in use.
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

  /// Whether kept() keeps: the caller gave a workspace.
  bool keeps() const { return keeps_; }
  /// What make() returned in an earlier call with the caller's workspace for this T and an equal
  /// key, else what it returns now: for what costs more to make than to use, taps on the device or
  /// a texture. `key` is all that the object depends on, device and stream too where they matter.
  /// The workspace keeps the last T::max_kept of a T and releases them with its memory; without
  /// one of the caller's the object ends with this Scratch. T's destructor leaves nobody reading.
  template <class T, class Make>
  const T& kept(std::string_view key, Make&& make) {
    if (const void* known = find_kept(typeid(T), key)) return *static_cast<const T*>(known);
    std::shared_ptr<const T> made(new T(make()));
    const T& object = *made;
    keep(typeid(T), key, std::move(made), T::max_kept);
    return object;
  }

 private:
  void* take_bytes(size_t bytes);
  const void* find_kept(std::type_index type, std::string_view key);
  void keep(std::type_index type, std::string_view key, std::shared_ptr<const void> object,
            size_t most);
  Workspace::State* state_;
  Space space_;
  bool keeps_;
  size_t block_, used_;                           // where the stack stood
  std::vector<std::shared_ptr<const void>> own_;  // of a Scratch that keeps nothing
};

}  // namespace cuesta
