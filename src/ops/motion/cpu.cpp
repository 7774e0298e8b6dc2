// Strategy `simd`: the best row of every step. A mask is born as bits, in the pass that compares
// the frame with the background, and stays so. plain.cu has the same chain on the device.
#include <algorithm>

#include "cuesta/filter.hpp"
#include "ops/motion/reference.hpp"
#include "ops/motion/stages.hpp"

namespace cuesta {

void motion_mask(const MotionArgs& args, AnyView mask, Call& call) {
  const MotionOptions& options = *args.options;
  const Exec exec = call.nested();
  const auto picture = [&]() -> AnyView {
    AnyView taken = call.scratch().image<uint8_t>(args.frame.width, args.frame.height);
    taken.space = args.space();  // as the call's scratch memory
    return taken;
  };

  call.stage(motion_stages::grayscale);
  ConstAnyView seen = args.frame;
  if (args.frame.channels > 1) {
    const AnyView gray = picture();
    to_gray(seen, gray, ColorOrder::rgb, exec);
    seen = gray;
  }
  call.stage(motion_stages::blur);
  if (options.blur > 1) {
    const AnyView smooth = picture();
    gaussian(seen, smooth, {.sigma = options.blur_sigma, .ksize = options.blur}, exec);
    seen = smooth;
  }
  // One pass compares and packs, where the threshold is given.
  call.stage(motion_stages::difference);
  double limit = options.threshold.level;
  if (options.threshold.otsu) {
    const AnyView difference = picture();
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
  morph_close(mask, mask, options.close, {}, exec);
  morph_open(mask, mask, options.open, {}, exec);
  *args.threshold = limit;
}

void motion_components(const MotionArgs& args, ConstAnyView mask, Call& call) {
  call.stage(motion_stages::components);
  label(mask, {}, args.components, {args.options->connectivity}, call.nested());
}

void motion_simd(const MotionArgs& args, Call& call) {
  motion_mask(args, args.mask, call);
  motion_components(args, args.mask, call);
}

}  // namespace cuesta
