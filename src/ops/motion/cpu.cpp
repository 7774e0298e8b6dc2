// Strategy `simd`: the best row of every step. A mask is born as bits, in the pass that compares
// the frame with the background, and stays so. plain.cu has the same chain on the device.
#include "core/bits.hpp"
#include "cuesta/filter.hpp"
#include "ops/motion/limits.hpp"
#include "ops/motion/reference.hpp"
#include "ops/motion/stages.hpp"
#include "ops/shared/background_models.hpp"

namespace cuesta {

void motion_mask(const MotionArgs& args, AnyView mask, const Foreground& foreground, Call& call) {
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
  const ConstBatch frame(seen, 1, 0);
  const AnyView compared = foreground ? foreground.all : mask;
  if (options.threshold.otsu || args.limits) {
    const AnyView difference = scratch_plane(args, call);
    motion::learn(args, frame,
                  {.difference = Batch(difference, 1, 0), .mask = Batch(foreground.all, 1, 0)},
                  foreground, exec);
    call.stage(motion_stages::threshold);
    limit = limit_for(args, difference, call);
    if (args.limits) motion::keep_above(args, difference, call);
    threshold(difference, compared, limit * background::gray_level_of(args.type()), exec);
  } else {
    motion::learn(args, frame, {.mask = Batch(compared, 1, 0)}, foreground, exec);
  }
  call.stage(motion_stages::morphology);
  morph_close(compared, mask, options.close, {}, exec);
  morph_open(mask, mask, options.open, {}, exec);
  *args.threshold = limit;
}

void motion_components(const MotionArgs& args, AnyView mask, const Foreground& foreground,
                       Call& call) {
  call.stage(motion_stages::components);
#if CUESTA_HAS_CUDA
  if (foreground && args.space() == Space::device)
    return motion_cuda::label_objects(args, mask, foreground, call);
#endif
  if (foreground) return label_objects(args, bits_of(mask), foreground, call);
  label(mask, {}, args.components, {args.options->connectivity}, call.nested());
}

void motion_simd(const MotionArgs& args, Call& call) {
  const Foreground foreground = motion::take_foreground(args, args.frame.height, call);
  motion_mask(args, args.mask, foreground, call);
  motion_components(args, args.mask, foreground, call);
}

}  // namespace cuesta
