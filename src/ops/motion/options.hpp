// What there is to say of the moving-object chain's options.
#pragma once

#include "cuesta/downscale.hpp"
#include "ops/background/options.hpp"
#include "ops/label/options.hpp"
#include "ops/morphology/options.hpp"
#include "ops/motion/means.hpp"

namespace cuesta {

inline constexpr std::array sensitivity_names = {Named<Sensitivity>{Sensitivity::low, "low"},
                                                 Named<Sensitivity>{Sensitivity::normal, "normal"},
                                                 Named<Sensitivity>{Sensitivity::high, "high"}};
constexpr std::span<const Named<Sensitivity>> names_of(Sensitivity) { return sensitivity_names; }

/// What chooses defaults of MotionOptions beside the model.
struct SensitivityOptions {
  Sensitivity sensitivity = Sensitivity::normal;
};
template <>
struct Described<SensitivityOptions> {
  static constexpr auto fields = std::tuple(field<&SensitivityOptions::sensitivity>(
      "sensitivity", any(),
      "choose the defaults of threshold, open and displacement. low: fewer reports; high: faint "
      "objects too, and more of what sways or flickers"));
};

std::string wrong(const DifferenceThreshold& value, const Limits& limits);
/// "16", "auto:40".
std::string text_of(const DifferenceThreshold& value);

template <>
struct Described<MotionOptions> {
  static constexpr auto fields = std::tuple_cat(
      background_fields<&MotionOptions::background>("background"),
      std::tuple(field<&MotionOptions::blur>("blur", odd(1, 255),
                                             "blur frames with this Gaussian window; 1: none"),
                 field<&MotionOptions::blur_sigma>(
                     "blur_sigma", at_least(0).or_own("0.3((blur - 1)/2 - 1) + 0.8"),
                     "set sigma of that Gaussian, in pixels"),
                 field<&MotionOptions::threshold>(
                     "threshold", at_least(0),
                     "set the difference of the foreground, in gray levels. auto: Otsu's threshold "
                     "of each frame, "
                     "at least the number given with it, by default 16, with background first 25"),
                 field<&MotionOptions::close>("close", any(), "close gaps with this element"),
                 field<&MotionOptions::open>("open", any(),
                                             "remove specks with this element, after close"),
                 connectivity_field<&MotionOptions::connectivity>(),
                 field<&MotionOptions::min_area>(
                     "min_area", at_least(0).or_own("the size of specks"),
                     "drop smaller objects; area in pixels. Specks come and go, like snow; they "
                     "are at most a thousandth of the frame. 1 drops none"),
                 field<&MotionOptions::warm_up>(
                     "warm_up", between(1, 1000).in_frames(),
                     "report nothing in the first frames. Their median initialises the background"),
                 field<&MotionOptions::relearn>(
                     "relearn", between(0, 100),
                     "restart the warm-up if this percentage changes suddenly; 0: never"),
                 field<&MotionOptions::displacement>(
                     "displacement", between(0, background::sampled::max_displacement),
                     "ignore leaves and other background that moves up to N pixels; 0: off"),
                 field<&MotionOptions::steady>(
                     "steady", between(0, 16),
                     "compensate camera shake of this size, in pixels; 0: none")));
};

template <>
struct Described<DownscaleOptions> {
  static constexpr auto fields = std::tuple(field<&DownscaleOptions::downscale>(
      "downscale", between(1, motion::max_downscale),
      "detect on frames reduced by this factor. Options and results stay in pixels of the video"));
};

}  // namespace cuesta
