// The chain step by step: grey, smooth, difference, threshold, close, open, label. No cleverness.
#include "ops/motion/reference.hpp"

#include <algorithm>

#include "cuesta/filter.hpp"

namespace cuesta {

void motion_chain(const MotionArgs& args, Call& call, std::string_view strategy) {
  const MotionOptions& options = *args.options;
  const int32_t width = args.frame.width, height = args.frame.height;
  Exec exec = call.nested();
  exec.strategy = strategy;

  const auto gray = call.scratch().image<uint8_t>(width, height);
  to_gray(args.frame, gray, ColorOrder::rgb, exec);
  auto smooth = gray;
  if (options.blur > 1) {
    smooth = call.scratch().image<uint8_t>(width, height);
    gaussian(gray, smooth, options.blur, options.blur_sigma, {}, exec);
  }
  const auto difference = call.scratch().image<uint8_t>(width, height);
  args.background->push(smooth, {.difference = difference}, 0, exec);

  double limit = options.threshold;
  if (options.automatic) {
    uint64_t bins[256];
    histogram(difference, bins, exec);
    limit = std::max(limit, double(otsu_threshold(bins)));
  }
  const auto mask = call.scratch().image<uint8_t>(width, height);
  threshold(difference, mask, limit, exec);
  close(mask, mask, options.close, exec);
  open(mask, mask, options.open, exec);
  label(mask, {}, args.components, {options.connectivity}, exec);
  pack_mask(mask, args.mask, exec);
  *args.threshold = limit;
}

void motion_serial(const MotionArgs& args, Call& call) { motion_chain(args, call, "serial"); }

}  // namespace cuesta
