// The device seam of a build without CUDA.
#include "core/device_memory.hpp"
#include "cuesta/error.hpp"

namespace cuesta::detail {

namespace {
[[noreturn]] void throw_no_cuda() {
  throw Error(
      ErrorCode::device,
      "this build of Cuesta has no CUDA part; build it with a CUDA toolkit, or use --device cpu");
}
}  // namespace

void* allocate_device(size_t) { throw_no_cuda(); }
void release_device(void*) noexcept {}
void copy_to_device(void*, const void*, size_t) { throw_no_cuda(); }
void copy_to_host(void*, const void*, size_t) { throw_no_cuda(); }

}  // namespace cuesta::detail
