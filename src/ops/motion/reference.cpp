// The chain step by step: gray, smooth, difference, threshold, close, open, label. No cleverness.
#include "ops/motion/reference.hpp"

#include <algorithm>

#include "cuesta/filter.hpp"
#include "ops/motion/stages.hpp"
#include "ops/shared/background_models.hpp"

namespace cuesta {

AnyView scratch_plane(const MotionArgs& args, Call& call) {
  const int32_t width = args.frame.width, height = args.frame.height;
  AnyView taken = args.type() == PixelType::u16
                      ? AnyView(call.scratch().image<uint16_t>(width, height))
                      : AnyView(call.scratch().image<uint8_t>(width, height));
  taken.space = args.space();  // as the call's scratch memory
  return taken;
}

double limit_for(const MotionArgs& args, ConstAnyView difference, Call& call) {
  const DifferenceThreshold& wanted = args.options->threshold;
  if (!wanted.otsu) return wanted.level;
  Scratch scratch(call.nested(), Space::host);
  const size_t count = args.type() == PixelType::u16 ? 65536 : 256;
  const std::span bins(scratch.take<uint64_t>(count), count);
  histogram(difference, bins, call.nested());
  return std::max(wanted.level,
                  double(otsu_threshold(bins)) / background::gray_level_of(args.type()));
}

void motion_chain(const MotionArgs& args, Call& call, std::string_view strategy) {
  const MotionOptions& options = *args.options;
  const int32_t width = args.frame.width, height = args.frame.height;
  Exec exec = call.nested();
  exec.strategy = strategy;

  call.stage(motion_stages::memory);
  const AnyView gray = scratch_plane(args, call);
  const AnyView smooth = options.blur > 1 ? scratch_plane(args, call) : gray;
  const AnyView difference = scratch_plane(args, call);
  const auto mask = call.scratch().image<uint8_t>(width, height);

  call.stage(motion_stages::grayscale);
  to_gray(args.frame, gray, ColorOrder::rgb, exec);
  call.stage(motion_stages::blur);
  if (options.blur > 1)
    gaussian(gray, smooth, {.sigma = options.blur_sigma, .ksize = options.blur}, exec);
  call.stage(motion_stages::difference);
  args.background->push(smooth, {.difference = difference}, 0, exec);

  call.stage(motion_stages::threshold);
  const double limit = limit_for(args, difference, call);
  threshold(difference, mask, limit * background::gray_level_of(args.type()), exec);
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
