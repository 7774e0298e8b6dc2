// The device seam of a build without CUDA.
#include "core/device_memory.hpp"
#include "core/recording.hpp"
#include "core/shared_memory.hpp"
#include "cuesta/device.hpp"
#include "cuesta/error.hpp"

namespace cuesta {
namespace {

constexpr const char* no_cuda =
    "this build of Cuesta has no CUDA part; build it with a CUDA toolkit";

[[noreturn]] void throw_no_cuda() { throw Error(ErrorCode::device, no_cuda, {}, Hint::use_cpu); }

}  // namespace

namespace detail {
void* allocate_device(size_t) { throw_no_cuda(); }
void release_device(void*) noexcept {}
void copy_to_device(void*, const void*, size_t) { throw_no_cuda(); }
void copy_to_host(void*, const void*, size_t) { throw_no_cuda(); }
int device_of(const void*) { throw_no_cuda(); }
std::string device_name() { return {}; }
void clear_device(void*, size_t) { throw_no_cuda(); }
void spoil_shared_memory() { throw_no_cuda(); }
void copy_on_device(ConstAnyView, AnyView, void*) { throw_no_cuda(); }
void* allocate_pinned(size_t) { throw_no_cuda(); }
void release_pinned(void*) noexcept {}
bool is_pinned(const void*) { return false; }
void enqueue_download(ConstAnyView, AnyView, void*) { throw_no_cuda(); }
uint64_t stream_number(void*) { throw_no_cuda(); }
bool is_recorded(void*) { return false; }
void* allocate_recorded(size_t, void*) { throw_no_cuda(); }
void release_recorded(void*, void*) noexcept {}
}  // namespace detail

std::vector<DeviceInfo> list_devices(std::string* why_none) {
  if (why_none) *why_none = no_cuda;
  return {};
}
void use_device(int) { throw_no_cuda(); }
int current_device() { throw_no_cuda(); }
Stream::Stream() { throw_no_cuda(); }
Stream::~Stream() = default;
void upload(ConstAnyView, AnyView, void*) { throw_no_cuda(); }
void download(ConstAnyView, AnyView, void*) { throw_no_cuda(); }
void wait(void*) { throw_no_cuda(); }

}  // namespace cuesta
