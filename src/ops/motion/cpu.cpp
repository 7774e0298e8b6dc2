// Strategy `simd`: the best row of every step. A mask is born as bits, in the pass that compares
// the frame with the background, and stays so. plain.cu has the same chain on the device.
#include "cuesta/filter.hpp"
#include "ops/motion/reference.hpp"
#include "ops/motion/stages.hpp"
#include "ops/shared/background_models.hpp"

namespace cuesta {

void motion_mask(const MotionArgs& args, AnyView mask, Call& call) {
  const MotionOptions& options = *args.options;
  const Exec exec = call.nested();

  call.stage(motion_stages::grayscale);
  ConstAnyView seen = args.frame;
  if (args.frame.channels > 1) {
    const AnyView gray = scratch_plane(args, call);
    to_gray(seen, gray, ColorOrder::rgb, exec);
    seen = gray;
  }
  call.stage(motion_stages::blur);
  if (options.blur > 1) {
    const AnyView smooth = scratch_plane(args, call);
    gaussian(seen, smooth, {.sigma = options.blur_sigma, .ksize = options.blur}, exec);
    seen = smooth;
  }
  // One pass compares and packs, where the threshold is given.
  call.stage(motion_stages::difference);
  double limit = options.threshold.level;
  if (options.threshold.otsu) {
    const AnyView difference = scratch_plane(args, call);
    args.background->push(seen, {.difference = difference}, limit, exec);
    call.stage(motion_stages::threshold);
    limit = limit_for(args, difference, call);
    threshold(difference, mask, limit * background::gray_level_of(args.type()), exec);
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
