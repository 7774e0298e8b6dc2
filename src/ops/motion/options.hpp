// What there is to say of the moving-object chain's options.
#pragma once

#include "cuesta/downscale.hpp"
#include "ops/background/options.hpp"
#include "ops/label/options.hpp"
#include "ops/morphology/options.hpp"
#include "ops/motion/means.hpp"

namespace cuesta {

std::string wrong(const DifferenceThreshold& value, const Limits& limits);
/// "16", "auto:40".
std::string text_of(const DifferenceThreshold& value);

template <>
struct Described<MotionOptions> {
  static constexpr auto fields = std::tuple_cat(
      background_fields<&MotionOptions::background>("background"),
      std::tuple(
          field<&MotionOptions::blur>(
              "blur", odd(1, 255),
              "window of the Gaussian before the difference; 1 smooths nothing"),
          field<&MotionOptions::blur_sigma>("blur_sigma",
                                            at_least(0).or_own("0.3((blur - 1)/2 - 1) + 0.8"),
                                            "its sigma, in pixels"),
          field<&MotionOptions::threshold>(
              "threshold", at_least(0),
              "moving is a difference above it, in gray levels; automatic takes Otsu's of each "
              "frame, never below the number given with it or the model's own, 16 and first 25"),
          field<&MotionOptions::close>("close", any(), "the element that closes gaps"),
          field<&MotionOptions::open>("open", any(), "the element that then takes off specks"),
          connectivity_field<&MotionOptions::connectivity>(),
          field<&MotionOptions::min_area>("min_area", at_least(0),
                                          "smaller objects are left out, in pixels"),
          field<&MotionOptions::warm_up>(
              "warm_up", between(1, 1000),
              "frames before anything is found, whose median founds the background"),
          field<&MotionOptions::relearn>(
              "relearn", between(0, 100),
              "a change of more than so many percent of the picture at once is told and learned, "
              "not found; 0: none is"),
          field<&MotionOptions::steady>(
              "steady", between(0, 16),
              "moves of the camera up to so many pixels are taken back; 0 takes none")));
};

template <>
struct Described<DownscaleOptions> {
  static constexpr auto fields = std::tuple(field<&DownscaleOptions::downscale>(
      "downscale", between(1, motion::max_downscale),
      "look at the video so many times smaller, means of as many pixels a side; options and what "
      "is told stay in the video's pixels"));
};

}  // namespace cuesta
