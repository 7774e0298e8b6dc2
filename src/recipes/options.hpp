// Descriptions of the recipes' options.
#pragma once

#include "cuesta/recipes.hpp"
#include "ops/boundaries/options.hpp"
#include "ops/canny/options.hpp"
#include "ops/log/options.hpp"
#include "ops/regions/options.hpp"

namespace cuesta {

inline constexpr Named<EdgeColor> edge_color_names[] = {{EdgeColor::strongest, "strongest"},
                                                        {EdgeColor::structure, "structure"},
                                                        {EdgeColor::gray, "gray"}};
constexpr std::span<const Named<EdgeColor>> names_of(EdgeColor) { return edge_color_names; }

template <>
struct Described<CannyEdges> {
  static constexpr auto fields = std::tuple(
      field<&CannyEdges::sigma>(
          "sigma", at_least(0).or_own("1, 1.4, 2 or 3, found from the picture"),
          "sigma of the Gaussian, in pixels; 0: none. It smooths before the gradient; with 0 the "
          "edges are cv::Canny's"),
      field<&CannyEdges::ksize>("ksize", odd(1, 255).or_own(window_of_sigma).or_by(smaller_first),
                                "side of the Gaussian window"),
      thresholds_field<&CannyEdges::thresholds>(), norm_field<&CannyEdges::norm>(),
      aperture_field<&CannyEdges::aperture>(),
      field<&CannyEdges::color>(
          "color", any(),
          "gradient of color pictures. strongest: the strongest channel at each pixel, as "
          "cv::Canny; structure: the structure tensor (Di Zenzo); gray: the gray levels"),
      border_field<&CannyEdges::border>(),
      field<&CannyEdges::strength>(
          "strength", any(),
          "write the magnitude of each thin edge, in the units of thresholds, and 0 elsewhere; no "
          "threshold is applied"));
};

template <>
struct Described<LogEdges> {
  static constexpr auto fields = std::tuple(
      field<&LogEdges::mode>(
          "mode", any(),
          "edge criterion. threshold: |L| > threshold; zero-crossings: L changes its sign between "
          "neighbours that differ by more than the threshold"),
      field<&LogEdges::threshold>("threshold", at_least(0).or_own("0.3 (mode threshold: 5)"),
                                  "threshold of the response L, in gray levels"),
      field<&LogEdges::sigma>(
          "sigma", at_least(0).or_own("3.5 (mode threshold: paper 000's integer taps 2 4 5 4 2)"),
          "sigma of the Gaussian, in pixels; 0: none. At most 42 without ksize; log requires sigma "
          "or ksize"),
      field<&LogEdges::ksize>("ksize", odd(1, 255).or_own(window_of_sigma).or_by(smaller_first),
                              "side of the Gaussian window"),
      border_field<&LogEdges::border>());
};

template <>
struct Described<SobelEdges> {
  static constexpr auto fields = std::tuple(
      field<&SobelEdges::sigma>("sigma", at_least(0),
                                "sigma of the Gaussian, in pixels; 0: none. It smooths before the "
                                "gradient; with 0 and ksize, ksize sets the sigma"),
      field<&SobelEdges::ksize>("ksize", odd(1, 255).or_own(window_of_sigma).or_by(smaller_first),
                                "side of the Gaussian window"),
      aperture_field<&SobelEdges::aperture>(), norm_field<&SobelEdges::norm>(),
      border_field<&SobelEdges::border>(),
      field<&SobelEdges::threshold>("threshold", at_least(0).or_own("none"),
                                    "magnitude above which a pixel is an edge. Without it the "
                                    "result is the magnitudes, the largest possible one white"));
};

template <>
struct Described<RegionEdges> {
  static constexpr auto fields = std::apply(
      [](const auto& threshold) {
        return std::tuple(
            field<&RegionEdges::threshold>("threshold", threshold.limits, threshold.words),
            field<&RegionEdges::quality>("quality", any(),
                                         "select fast for less time, and less accuracy"),
            field<&RegionEdges::labels>("labels", any(),
                                        "write the number of each pixel's region, from 1 on, "
                                        "instead of contours"));
      },
      Described<RegionOptions>::fields);
};

}  // namespace cuesta
