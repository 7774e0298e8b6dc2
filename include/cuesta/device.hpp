// NVIDIA GPUs: what is there, and how pictures get to them and back. In a build without CUDA
// list_devices() is empty and the rest throws Error{device}.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cuesta/image.hpp"

namespace cuesta {

/// Properties of one GPU.
struct DeviceInfo {
  int index = 0;
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 0;
  size_t memory_bytes = 0;
  int l2_bytes = 0;
  int driver = 0, runtime = 0;  ///< CUDA versions as 13000
};

/// Returns the GPUs this build can use, by the runtime's index. Never throws: `why_none` (if given)
/// gets the reason for an empty list.
std::vector<DeviceInfo> list_devices(std::string* why_none = nullptr);
/// Returns the GPUs of a name, for Exec::devices.
/// "cpu" is none, "cuda" the first, "cuda:2" that one, "cuda:all" all of them. Throws
/// Error{invalid_argument} for other words, Error{device} where there is no such GPU.
std::vector<int> devices_named(std::string_view name);
/// Makes GPU `index` the calling thread's. Throws Error{device}.
void use_device(int index);
/// Returns the calling thread's GPU. Throws Error{device}.
int current_device();

/// A CUDA stream of its own; `Exec::stream` takes get().
class Stream {
 public:
  /// Creates a stream on the current GPU. Throws Error{device}.
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  /// Returns the cudaStream_t.
  void* get() const { return stream_; }

 private:
  void* stream_ = nullptr;
};

/// upload() copies a picture to the GPU and download() back, on `stream`.
/// upload() may return while the copy is in flight: pageable memory
/// is staged and may be reused at once, pinned memory only when the stream has passed the copy.
/// download() waits. Throws Error{invalid_argument} for unlike views, Error{device}, also for
/// earlier faults.
void upload(ConstAnyView host, AnyView device, void* stream = nullptr);
void download(ConstAnyView device, AnyView host, void* stream = nullptr);
/// Waits for everything enqueued on `stream`. Throws Error{device} for a fault in it, naming the
/// operation that ran last.
void wait(void* stream = nullptr);

}  // namespace cuesta
