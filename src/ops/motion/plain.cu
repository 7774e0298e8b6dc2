// Strategy `plain` on the device: the steps of the chain by their public entries, pictures between
// them in device memory, masks of bits from the comparison on.
#include <algorithm>

#include "cuesta/device.hpp"
#include "cuesta/filter.hpp"
#include "ops/motion/reference.hpp"
#include "ops/motion/stages.hpp"

namespace cuesta {

void motion_plain(const MotionArgs& args, Call& call) {
  const MotionOptions& options = *args.options;
  const int32_t width = args.frame.width, height = args.frame.height;
  const Exec exec = call.nested();

  call.stage(motion_stages::memory);
  const auto mask = call.scratch().bits<Space::device>(width, height);

  call.stage(motion_stages::grayscale);
  ConstAnyView seen = args.frame;
  if (args.frame.channels > 1) {
    const auto gray = call.scratch().image<uint8_t, Space::device>(width, height);
    to_gray(seen, gray, ColorOrder::rgb, exec);
    seen = gray;
  }
  call.stage(motion_stages::blur);
  if (options.blur > 1) {
    const auto smooth = call.scratch().image<uint8_t, Space::device>(width, height);
    gaussian(seen, smooth, options.blur, options.blur_sigma, {}, exec);
    seen = smooth;
  }
  call.stage(motion_stages::difference);
  double limit = options.threshold;
  if (options.automatic) {
    const auto difference = call.scratch().image<uint8_t, Space::device>(width, height);
    args.background->push(seen, {.difference = difference}, limit, exec);
    call.stage(motion_stages::threshold);
    uint64_t bins[256];
    histogram(difference, bins, exec);
    limit = std::max(limit, double(otsu_threshold(bins)));
    threshold(difference, mask, limit, exec);
  } else {
    args.background->push(seen, {.mask = mask}, limit, exec);
  }
  call.stage(motion_stages::morphology);
  close(mask, mask, options.close, exec);
  open(mask, mask, options.open, exec);
  call.stage(motion_stages::components);
  label(mask, {}, args.components, {options.connectivity}, exec);
  call.stage(motion_stages::memory);
  download(mask, args.mask, call.stream());
  *args.threshold = limit;
}

}  // namespace cuesta
