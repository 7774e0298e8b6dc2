// What a caller's workspace keeps on the GPU from call to call (Scratch::kept).
#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "core/device_memory.hpp"
#include "core/recording.hpp"
#include "cuda/launch.cuh"
#include "cuda/recorded_copy.hpp"
#include "cuesta/device.hpp"

namespace cuesta::cuda {

/// What a kept object depends on, byte after byte.
class Key {
 public:
  template <class T>
  Key& add(const T& value) {
    static_assert(std::has_unique_object_representations_v<T>, "padding would not compare equal");
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  template <class T>
  Key& add(std::span<const T> values) {
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return *this;
  }
  /// The GPU in use.
  Key& add_device() { return add(current_device()); }
  Key& add_stream(cudaStream_t stream) { return add(detail::stream_number(stream)); }
  std::string_view bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Values in device memory of their own. cudaFree waits for kernels that still read them.
class KeptValues {
 public:
  static constexpr size_t max_kept = 16;
  template <class T>
  KeptValues(std::span<const T> values, cudaStream_t stream, std::string_view doing)
      : memory_(detail::allocate_device(values.size_bytes())) {
    copy_values(values, static_cast<T*>(memory_.get()), stream, doing);
  }
  const void* get() const { return memory_.get(); }

 private:
  struct Release {
    void operator()(void* memory) const { detail::release_device(memory); }
  };
  std::unique_ptr<void, Release> memory_;
};

/// upload() that a recording may contain: its launches find the values of the call.
template <class T>
const T* upload_lasting(std::span<const T> values, Call& call, std::string_view doing) {
  const cudaStream_t stream = stream_of(call);
  if (!detail::is_recorded(stream)) return upload(values, call, doing);
  T* there = call.scratch().take<T>(values.size());
  copy_recorded(values.data(), values.size_bytes(), there, stream, doing);
  return there;
}

/// upload_lasting() of what make() returns, a vector or span, that an earlier call with the same
/// workspace may have made for an equal key, on the same stream. `Kept` is KeptValues or derived of
/// it: keys of different types never meet. While a stream is being captured the copy has not run
/// yet, so it is made and used there alone.
template <class Kept, class Make>
auto make_once(Key key, Make&& make, Call& call, std::string_view doing) {
  using T = typename std::invoke_result_t<Make>::value_type;
  const cudaStream_t stream = stream_of(call);
  if (!call.scratch().keeps() || detail::is_recorded(stream))
    return upload_lasting(std::span<const T>(make()), call, doing);
  key.add_device().add_stream(stream);
  const auto& kept = call.scratch().kept<Kept>(
      key.bytes(), [&] { return Kept(std::span<const T>(make()), stream, doing); });
  return static_cast<const T*>(kept.get());
}

/// The same of values at hand, which are their own key.
template <class T>
const T* upload_once(std::span<const T> values, Call& call, std::string_view doing) {
  return make_once<KeptValues>(
      Key().add(values), [&] { return values; }, call, doing);
}

}  // namespace cuesta::cuda
