// What there is to say of canny's options. Its mask is a picture, an argument like the source.
#pragma once

#include "ops/convolve/options.hpp"
#include "ops/sobel/options.hpp"

namespace cuesta {

inline constexpr Named<AutoThreshold> auto_threshold_names[] = {
    {AutoThreshold::otsu, "otsu"},
    {AutoThreshold::median, "median"},
    {AutoThreshold::percentile, "percentile"},
    {AutoThreshold::noise, "noise"}};
constexpr std::span<const Named<AutoThreshold>> names_of(AutoThreshold) {
  return auto_threshold_names;
}

inline constexpr Named<ColorGradient> color_gradient_names[] = {
    {ColorGradient::strongest, "strongest"}, {ColorGradient::structure, "structure"}};
constexpr std::span<const Named<ColorGradient>> names_of(ColorGradient) {
  return color_gradient_names;
}

/// What holds every strength of a picture of this type: those of u8 and aperture 7 reach 326,400.
constexpr PixelType canny_strength_type(PixelType source, int aperture) {
  return source == PixelType::u8 && aperture != 7 ? PixelType::u16 : PixelType::f32;
}

/// Whether canny() computes in f32 on a picture of this type: its Gaussian is so wide that rounding
/// the smoothed picture to the type would show, as edges that are not there or pixels that are lost
/// (README, step 1).
bool canny_keeps_fractions(PixelType source, const CannyOptions& options);
/// canny_strength_type() of a picture of this type with these options.
inline PixelType canny_strength_type(PixelType source, const CannyOptions& options) {
  const bool is_float = canny_keeps_fractions(source, options);
  return canny_strength_type(is_float ? PixelType::f32 : source, options.aperture);
}

std::string wrong(const Thresholds& value, const Limits&);
/// "auto:otsu", "auto:percentile:90", "20 and 60".
std::string text_of(const Thresholds& value);
std::string exact_text(const Thresholds& value);

template <auto Member>
constexpr auto thresholds_field() {
  return field<Member>("threshold", any(), "low and high thresholds, or the rule that finds them");
}
template <auto Member>
constexpr auto color_field() {
  return field<Member>("color", any(),
                       "gradient of color pictures. strongest: the strongest channel at each "
                       "pixel, as cv::Canny; structure: the structure tensor (Di Zenzo)");
}

template <>
struct Described<CannyGradientOptions> {
  static constexpr auto fields = std::tuple(thresholds_field<&CannyGradientOptions::thresholds>(),
                                            norm_field<&CannyGradientOptions::norm>(),
                                            color_field<&CannyGradientOptions::color>());
};

template <>
struct Described<CannyOptions> {
  static constexpr auto fields = std::tuple(
      field<&CannyOptions::sigma>("sigma",
                                  at_least(0).or_own("1.4 in a window of 5, as in paper 001"),
                                  "sigma of the Gaussian, in pixels; 0: none. It smooths before "
                                  "the gradient; with 0 the edges are cv::Canny's"),
      field<&CannyOptions::ksize>("ksize", odd(1, 255).or_own(window_of_sigma).or_by(smaller_first),
                                  "side of the Gaussian window"),
      thresholds_field<&CannyOptions::thresholds>(), norm_field<&CannyOptions::norm>(),
      aperture_field<&CannyOptions::aperture>(), color_field<&CannyOptions::color>(),
      border_field<&CannyOptions::border>());
};

}  // namespace cuesta
