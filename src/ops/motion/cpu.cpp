// Strategy `simd`: the production row of every step. A mask is born as bits, in the pass that
// compares the frame with the background, and stays so.
#include <algorithm>

#include "cuesta/filter.hpp"
#include "ops/motion/reference.hpp"
#include "ops/motion/stages.hpp"

namespace cuesta {

void motion_simd(const MotionArgs& args, Call& call) {
  const MotionOptions& options = *args.options;
  const int32_t width = args.frame.width, height = args.frame.height;
  const Exec exec = call.nested();

  call.stage(motion_stages::grayscale);
  ConstAnyView seen = args.frame;
  if (args.frame.channels > 1) {
    const auto gray = call.scratch().image<uint8_t>(width, height);
    to_gray(seen, gray, ColorOrder::rgb, exec);
    seen = gray;
  }
  call.stage(motion_stages::blur);
  if (options.blur > 1) {
    const auto smooth = call.scratch().image<uint8_t>(width, height);
    gaussian(seen, smooth, {.sigma = options.blur_sigma, .ksize = options.blur}, exec);
    seen = smooth;
  }
  // One pass compares and packs, where the threshold is given.
  call.stage(motion_stages::difference);
  double limit = options.threshold;
  if (options.automatic) {
    const auto difference = call.scratch().image<uint8_t>(width, height);
    args.background->push(seen, {.difference = difference}, limit, exec);
    call.stage(motion_stages::threshold);
    uint64_t bins[256];
    histogram(difference, bins, exec);
    limit = std::max(limit, double(otsu_threshold(bins)));
    threshold(difference, args.mask, limit, exec);
  } else {
    args.background->push(seen, {.mask = args.mask}, limit, exec);
  }
  call.stage(motion_stages::morphology);
  morph_close(args.mask, args.mask, options.close, {}, exec);
  morph_open(args.mask, args.mask, options.open, {}, exec);
  call.stage(motion_stages::components);
  label(args.mask, {}, args.components, {options.connectivity}, exec);
  *args.threshold = limit;
}

}  // namespace cuesta
