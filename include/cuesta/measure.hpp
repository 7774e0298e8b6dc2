// Shapes and intensities of labelled components, as skimage.measure.regionprops measures them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cuesta/exec.hpp"
#include "cuesta/image.hpp"
#include "cuesta/typed.hpp"

namespace cuesta {

/// Measures of one component. Angles are in radians, lengths in pixels, x is the column.
///
/// Everything follows from exact integer sums, so that results do not depend on the device, on
/// threads or on bands. A label that no pixel has is 0 everywhere, with intensities of NaN.
struct Measures {
  int32_t label = 0;
  Rect box{};
  int64_t area = 0;                       ///< pixels
  double centroid_x = 0, centroid_y = 0;  ///< of the picture's coordinates
  double extent = 0;                      ///< area / area of the box
  double perimeter = 0;                   ///< skimage.measure.perimeter with 4 neighbours
  double orientation = 0;                 ///< from the vertical to the major axis, −π/2 to π/2
  double eccentricity = 0;                ///< of the ellipse with the same second moments, 0 to 1
  double major_axis = 0, minor_axis = 0;  ///< whole lengths of that ellipse's axes
  double equivalent_diameter = 0;         ///< of the circle with the same area
  /// Sums of x^i y^j, from the box's upper left corner, at [j][i]; those with i + j > 3 are 0.
  double moments[4][4]{};
  /// Sums of (x − centroid_x)^i (y − centroid_y)^j at [j][i]; those with i + j > 3 are 0.
  double central_moments[4][4]{};
  /// Of the intensity picture, NaN without one or where a sample is NaN.
  double mean = 0, min = 0, max = 0;
  friend bool operator==(const Measures&, const Measures&) = default;
};

/// Measures the components 1 to `count` of a picture of labels, for example that of label().
///
/// labels is s32 of one channel; labels below 1 or above `count` are background. intensity is u8,
/// u16 or f32 of the labels' size and one channel, or a view without data. The mean of integers is
/// their exact sum over the area, that of f32 the sum rounded once. The call waits for device
/// pictures. Throws Error{invalid_argument} naming the view or `count`.
/// Source: skimage.measure.regionprops (perimeter: Benkrid and Crookes, 2000).
std::vector<Measures> measure(ConstAnyView labels, int32_t count, ConstAnyView intensity = {},
                              const Exec& exec = {});

/// Measures components in bands of rows, in any order: the same results as measure().
class MeasureBands {
 public:
  /// Prepares for the components 1 to `count` of pictures of `width` columns.
  /// Throws Error{invalid_argument} naming the value.
  MeasureBands(int32_t width, int32_t count);
  MeasureBands(MeasureBands&&) noexcept;
  MeasureBands& operator=(MeasureBands&&) noexcept;
  ~MeasureBands();

  /// Rows above and below a row that its outlines look at.
  static constexpr int32_t reach() { return 2; }
  /// Adds rows [first, end) of `labels`, whose row 0 is row `top` of the picture.
  /// `labels` also has reach() rows above and below these, where the picture has them.
  /// `intensity` has the same rows, or no data.
  void add(ConstAnyView labels, int32_t first, int32_t end, int64_t top,
           ConstAnyView intensity = {}, const Exec& exec = {});
  /// Returns the measures of labels 1 to `count`.
  std::vector<Measures> finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cuesta
