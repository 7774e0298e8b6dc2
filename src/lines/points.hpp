// Points of edges between the pixels.
#pragma once

#include <optional>
#include <vector>

#include "cuesta/filter.hpp"
#include "cuesta/image.hpp"
#include "cuesta/lines.hpp"

namespace cuesta::lines {

struct EdgePoint {
  int32_t px = 0, py = 0;  // the pixel it belongs to
  double x = 0, y = 0;     // where it is
  double tx = 0, ty = 0;   // along the edge, of length 1, brighter at the right
  double strength = 0;
  double curvature = 0;  // 1 / pixels; above 0 where the middle is on the bright side
};

/// Gradients of a smoothed picture, f32.
struct GradientField {
  Image<float> gx, gy;
  double variance = 0;  // of all that smooths: the Gaussian, Sobel's window, a sample's area
  int reach = 0;        // of what a gradient's neighbours were made of, in pixels
};

/// Computes the gradients of a u8, u16 or f32 picture of 1 or 3 channels, smoothed where
/// `smoothing` is given. Three channels make one gradient as `color` says; the structure tensor's
/// has the sign of the channels' sum. `aperture` as sobel's, in the units of canny's thresholds
/// (7: 1/16 of the sums). Throws as gaussian() and sobel() do.
GradientField gradient_field(ConstAnyView src, const std::optional<GaussianOptions>& smoothing,
                             int aperture, int threads,
                             ColorGradient color = ColorGradient::strongest);

/// The points of a mask's pixels (not 0), ordered by pixel, row by row. A pixel gives its point to
/// the neighbour along the gradient's nearer axis whose magnitude is larger, so that edges of two
/// pixels' width become one line; each pixel has one point at most.
std::vector<EdgePoint> points_of_mask(ImageView<const uint8_t> edges, const GradientField& field,
                                      Refinement refinement, int threads);

/// The isophote's curvature at a pixel: −L_vv / |∇L|. 0 near the picture's border, whose reflection
/// bends what goes over it.
double curvature_at(const GradientField& field, int32_t x, int32_t y);

}  // namespace cuesta::lines
