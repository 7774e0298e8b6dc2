// Strategy `plain` on the device: the chain of `simd` on device memory; the mask comes to the host
// last.
#include "cuesta/device.hpp"
#include "ops/motion/cuda.hpp"
#include "ops/motion/reference.hpp"
#include "ops/motion/stages.hpp"

namespace cuesta {

void motion_cuda::plain(const MotionArgs& args, Call& call) {
  call.stage(motion_stages::memory);
  const auto mask = call.scratch().bits<Space::device>(args.frame.width, args.frame.height);
  const Foreground foreground = motion::take_foreground(args, args.frame.height, call);
  motion_mask(args, mask, foreground, call);
  motion_components(args, mask, foreground, call);
  call.stage(motion_stages::memory);
  download(mask, args.mask, call.stream());
}

}  // namespace cuesta
