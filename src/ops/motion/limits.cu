// A threshold of each pixel on the GPU. A thread a pixel: bound by memory.
#include "ops/motion/limits.hpp"

#include "cuda/launch.cuh"
#include "cuesta/device.hpp"

namespace cuesta {
namespace {

template <class T>
struct KeepAbove {
  ImageView<T, Space::device> difference;
  ImageView<const T, Space::device> limits;

  __device__ void operator()(int32_t x, int32_t y) const {
    T& value = difference.at(x, y);
    if (value <= limits.at(x, y)) value = 0;
  }
};

template <class T>
void keep(const MotionArgs& args, AnyView difference, Call& call) {
  cuda::for_each_pixel(
      "motion", difference.width, difference.height,
      KeepAbove<T>{difference.as<T, Space::device>(), args.limits.as<T, Space::device>()}, call);
}

}  // namespace

void motion_cuda::keep_above(const MotionArgs& args, AnyView difference, Call& call) {
  if (difference.type == PixelType::u16) return keep<uint16_t>(args, difference, call);
  keep<uint8_t>(args, difference, call);
}

AnyImage motion_cuda::on_device(ConstAnyView host, void* stream) {
  AnyImage device(host.size(), host.channels, host.type, Space::device);
  upload(host, device, stream);
  cuda::check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)),
              "motion: copying the thresholds");
  return device;
}

}  // namespace cuesta
