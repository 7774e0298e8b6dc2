// The chain step by step: gray, smooth, difference, threshold, close, open, label. No cleverness.
#include "ops/motion/reference.hpp"

#include <algorithm>

#include "core/bits.hpp"
#include "cuesta/filter.hpp"
#include "ops/motion/limits.hpp"
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
  const double level = motion::base_level(args);
  if (!args.options->threshold.otsu) return level;
  Scratch scratch(call.nested(), Space::host);
  const size_t count = args.type() == PixelType::u16 ? 65536 : 256;
  const std::span bins(scratch.take<uint64_t>(count), count);
  histogram(difference, bins, call.nested());
  return std::max(level, double(otsu_threshold(bins)) / background::gray_level_of(args.type()));
}

namespace {

bool is_set(AnyView bits, int32_t x, int32_t y) {
  return bits_of(bits).row(y)[x / 64] >> (x % 64) & 1;
}

/// label() of a mask of bytes without what is only displaced.
void label_objects(const MotionArgs& args, ImageView<uint8_t> mask, const Foreground& foreground,
                   Call& call, const Exec& exec) {
  std::vector<Component>& components = *args.components;
  const auto labels = call.scratch().image<int32_t>(mask.width, mask.height);
  label(mask, labels, &components, {args.options->connectivity}, exec);
  auto* counts = call.scratch().take<motion::Counts>(motion::room_of(components));
  auto* dropped = call.scratch().take<uint8_t>(motion::room_of(components));
  std::fill_n(counts, components.size(), motion::Counts{});
  for (int32_t y = 0; y < mask.height; ++y) {
    for (int32_t x = 0; x < mask.width; ++x) {
      const int32_t of = labels.at(x, y);
      if (of == 0 || !is_set(foreground.all, x, y)) continue;
      ++counts[of - 1].foreground;
      counts[of - 1].unmatched += is_set(foreground.unmatched, x, y);
    }
  }
  motion::keep_objects(components, counts, dropped);
  for (int32_t y = 0; y < mask.height; ++y)
    for (int32_t x = 0; x < mask.width; ++x)
      if (labels.at(x, y) > 0 && dropped[labels.at(x, y) - 1]) mask.at(x, y) = 0;
}

}  // namespace

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
  const Foreground foreground = motion::take_foreground(args, height, call);
  const ConstBatch frame(smooth, 1, 0);
  motion::learn(args, frame,
                {.difference = Batch(difference, 1, 0), .mask = Batch(foreground.all, 1, 0)},
                foreground, exec);

  call.stage(motion_stages::threshold);
  const double limit = limit_for(args, difference, call);
  if (args.limits) motion::keep_above(args, difference, call);
  threshold(difference, mask, limit * background::gray_level_of(args.type()), exec);
  if (foreground) pack_mask(mask, foreground.all, exec);
  call.stage(motion_stages::morphology);
  morph_close(mask, mask, options.close, {}, exec);
  morph_open(mask, mask, options.open, {}, exec);
  call.stage(motion_stages::components);
  if (foreground)
    label_objects(args, mask, foreground, call, exec);
  else
    label(mask, {}, args.components, {options.connectivity}, exec);
  call.stage(motion_stages::memory);
  pack_mask(mask, args.mask, exec);
  *args.threshold = limit;
}

void motion_serial(const MotionArgs& args, Call& call) { motion_chain(args, call, "serial"); }

}  // namespace cuesta
