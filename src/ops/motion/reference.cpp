// The chain step by step: gray, smooth, difference, threshold, close, open, label. No cleverness.
#include "ops/motion/reference.hpp"

#include <algorithm>

#include "cuesta/filter.hpp"
#include "ops/motion/stages.hpp"

namespace cuesta {

void motion_chain(const MotionArgs& args, Call& call, std::string_view strategy) {
  const MotionOptions& options = *args.options;
  const int32_t width = args.frame.width, height = args.frame.height;
  Exec exec = call.nested();
  exec.strategy = strategy;

  call.stage(motion_stages::memory);
  const auto gray = call.scratch().image<uint8_t>(width, height);
  const auto smooth = options.blur > 1 ? call.scratch().image<uint8_t>(width, height) : gray;
  const auto difference = call.scratch().image<uint8_t>(width, height);
  const auto mask = call.scratch().image<uint8_t>(width, height);

  call.stage(motion_stages::grayscale);
  to_gray(args.frame, gray, ColorOrder::rgb, exec);
  call.stage(motion_stages::blur);
  if (options.blur > 1)
    gaussian(gray, smooth, {.sigma = options.blur_sigma, .ksize = options.blur}, exec);
  call.stage(motion_stages::difference);
  args.background->push(smooth, {.difference = difference}, 0, exec);

  call.stage(motion_stages::threshold);
  double limit = options.threshold.level;
  if (options.threshold.otsu) {
    uint64_t bins[256];
    histogram(difference, bins, exec);
    limit = std::max(limit, double(otsu_threshold(bins)));
  }
  threshold(difference, mask, limit, exec);
  call.stage(motion_stages::morphology);
  morph_close(mask, mask, options.close, {}, exec);
  morph_open(mask, mask, options.open, {}, exec);
  call.stage(motion_stages::components);
  label(mask, {}, args.components, {options.connectivity}, exec);
  call.stage(motion_stages::memory);
  pack_mask(mask, args.mask, exec);
  *args.threshold = limit;
}

void motion_serial(const MotionArgs& args, Call& call) { motion_chain(args, call, "serial"); }

}  // namespace cuesta
