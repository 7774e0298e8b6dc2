// Descriptions of the recipes' options.
#pragma once

#include "cuesta/recipes.hpp"
#include "ops/boundaries/options.hpp"
#include "ops/canny/options.hpp"
#include "ops/log/options.hpp"

namespace cuesta {

inline constexpr Named<EdgeColor> edge_color_names[] = {{EdgeColor::strongest, "strongest"},
                                                        {EdgeColor::structure, "structure"},
                                                        {EdgeColor::gray, "gray"}};
constexpr std::span<const Named<EdgeColor>> names_of(EdgeColor) { return edge_color_names; }

template <>
struct Described<CannyEdges> {
  static constexpr auto fields = std::tuple(
      field<&CannyEdges::sigma>("sigma", at_least(0),
                                "of the Gaussian before the gradient, in pixels; 0 smooths "
                                "nothing, then edges are cv::Canny's"),
      field<&CannyEdges::ksize>("ksize", odd(1, 255).or_own(window_of_sigma),
                                "side of the Gaussian's window"),
      thresholds_field<&CannyEdges::thresholds>(), norm_field<&CannyEdges::norm>(),
      aperture_field<&CannyEdges::aperture>(),
      field<&CannyEdges::color>("color", any(),
                                "gradient of a color picture: of the strongest channel at each "
                                "pixel (as cv::Canny), of the structure tensor (Di Zenzo), or of "
                                "its gray levels"));
};

template <>
struct Described<LogEdges> {
  static constexpr auto fields = std::tuple(
      field<&LogEdges::mode>("mode", any(),
                             "an edge is |L| > threshold, or a change of L's sign between "
                             "neighbours that differ by more than it"),
      field<&LogEdges::threshold>("threshold",
                                  at_least(0).or_own("0.3 of 255, with mode threshold 5"),
                                  "in gray levels of the response L"),
      field<&LogEdges::sigma>("sigma", at_least(0).or_own("3.5, with mode threshold 1.4"),
                              "of the Gaussian, in pixels, up to 42 without ksize; 1.4 without "
                              "ksize takes the integer taps 2 4 5 4 2 of paper 000"),
      field<&LogEdges::ksize>("ksize", odd(1, 255).or_own(window_of_sigma),
                              "side of the Gaussian's window"),
      border_field<&LogEdges::border>());
};

template <>
struct Described<SobelEdges> {
  static constexpr auto fields = std::tuple(
      field<&SobelEdges::sigma>("sigma", at_least(0),
                                "of a Gaussian before the gradient, in pixels; 0 smooths nothing "
                                "without ksize"),
      field<&SobelEdges::ksize>("ksize", odd(1, 255).or_own(window_of_sigma),
                                "side of the Gaussian's window"),
      aperture_field<&SobelEdges::aperture>(), norm_field<&SobelEdges::norm>(),
      border_field<&SobelEdges::border>(),
      field<&SobelEdges::threshold>(
          "threshold", at_least(0).or_own("none: magnitudes, the largest possible one white"),
          "magnitude above which a pixel is an edge"));
};

}  // namespace cuesta
