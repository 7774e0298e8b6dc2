// The stopwatch of a build without CUDA.
#include "bench/engine/device_timing.hpp"
#include "cuesta/error.hpp"

namespace cuesta::bench {
namespace {
[[noreturn]] void absent() {
  throw Error(ErrorCode::device, "this build of Cuesta has no CUDA", {}, Hint::use_cpu);
}
}  // namespace

struct DeviceMarks::State {};

std::vector<Timing> time_on_device(std::span<const DeviceBody>, int, double, void*) { absent(); }
void copy_on_device(ConstAnyView, AnyView, void*) { absent(); }
Ceilings measure_ceilings(bool) { absent(); }
std::vector<KernelUse> kernels_of(const std::function<void()>&) { absent(); }
DeviceMarks::DeviceMarks() { absent(); }
DeviceMarks::~DeviceMarks() = default;
size_t DeviceMarks::mark(void*) { absent(); }
double DeviceMarks::ms_between(size_t, size_t) { absent(); }
void DeviceMarks::clear() { absent(); }
std::string driver_version() { return {}; }

}  // namespace cuesta::bench
