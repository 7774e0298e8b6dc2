// Edges as lines: linked points between the pixels. Pictures in, lists out.
//
//     for (const cuesta::Polyline& line : cuesta::trace(picture, cuesta::CannyOptions{}))
//       for (const cuesta::LinePoint& p : line.points) ... p.x, p.y, p.strength
//
// A pixel's centre has whole coordinates: (0, 0) is the centre of the upper left one, x goes to the
// right and y down. The result does not depend on the number of threads or on the space of the
// picture.
#pragma once

#include <cstdint>
#include <vector>

#include "cuesta/edges.hpp"
#include "cuesta/exec.hpp"
#include "cuesta/image.hpp"

namespace cuesta {

/// How the position of an edge point between pixels is computed. For LoG, whose zero crossings are
/// between two pixels, `parabola` and `devernay` interpolate the response linearly.
enum class Refinement : uint8_t {
  pixel,     ///< the centre of the pixel
  parabola,  ///< the top of a parabola along the gradient, through magnitudes interpolated between
             ///< pixels (Devernay 1995)
  devernay,  ///< the top of a parabola along the nearer axis, through pixels' own magnitudes (the
             ///< correction of Grompone von Gioi & Randall, IPOL 2017)
  unbiased,  ///< the same through the magnitudes' logarithms, which is exact where the edge is a
             ///< blurred step, less the shift that smoothing gives a curved edge
};

/// Options of trace().
struct TraceOptions {
  double tolerance = 0.25;  ///< pixels that a simplified line may pass its points at; 0 keeps all
  double min_length = 10;   ///< pixels along the line; shorter ones are left out
  Refinement refinement = Refinement::unbiased;

  friend bool operator==(const TraceOptions&, const TraceOptions&) = default;
};

/// A point of a line.
struct LinePoint {
  double x = 0, y = 0;  ///< pixels
  /// Of Canny the gradient's Euclidean magnitude, in the units of its thresholds; of LoG the
  /// difference of L between the two pixels beside the crossing, in gray levels.
  double strength = 0;
  friend bool operator==(const LinePoint&, const LinePoint&) = default;
};

/// One line. Its brighter side is at the right of who walks along the points.
struct Polyline {
  std::vector<LinePoint> points{};
  bool closed = false;  ///< the last point is joined to the first, which is not said twice
  double length = 0;    ///< pixels, before it was simplified
  double strength = 0;  ///< mean of its points', before it was simplified
  friend bool operator==(const Polyline&, const Polyline&) = default;
};
/// Ordered by their first points' pixels, row by row; a closed line begins at its first pixel.
using Polylines = std::vector<Polyline>;

/// Returns the edges of canny() in a u8, u16 or f32 picture of 1 or 3 channels, as lines.
/// Points
/// are linked by their gradients' directions; a line that runs into another ends on one of its
/// points; at the picture's border lines end. Simplified by the algorithm of Ramer (1972) and
/// Douglas & Peucker (1973), which keeps the points where lines meet. `exec` says canny()'s
/// strategy, and the threads. Of a picture on the device edges are found there, one copy of both is
/// made on its stream, which the call waits for, and the host makes the lines; a workspace keeps
/// the page-locked memory of it. Throws Error{invalid_argument} naming the view or option, and as
/// canny() does. Sources: Devernay 1995 (INRIA RR-2724); Grompone von Gioi & Randall 2017
/// (doi:10.5201/ipol.2017.216); docs/dev/decisions/0054, 0074.
Polylines trace(ConstAnyView src, const CannyOptions& options, const TraceOptions& how = {},
                const Exec& exec = {});

/// Returns edges that were found before, or by other means, as lines.
/// `edges` (u8, of src's size) is not 0 on them,
/// about one pixel wide. Positions and strengths come from the gradients of `src` (u8, u16 or f32)
/// with the sigma, ksize and aperture of `options`, and of three channels its color; other options
/// are ignored. Both views are the host's or the device's.
Polylines trace(ConstAnyView src, ConstAnyView edges, const CannyOptions& options,
                const TraceOptions& how = {}, const Exec& exec = {});

/// Returns the zero crossings of LoG's response to a u8 or u16 picture as lines.
/// The lines are contours of L = 0 by marching squares, where pixels differ by more than the
/// threshold. `options.mode` is ignored.
Polylines trace(ConstAnyView src, const LogOptions& options, const TraceOptions& how = {},
                const Exec& exec = {});

/// The outline of one region.
/// Its rings follow the sides of pixels, with the region on the right of who walks along the points
/// (y goes down): the outer ring, then holes. A ring's first point is not repeated at its end.
struct Outline {
  int32_t label = 0;  ///< the number of the region
  int64_t area = 0;   ///< pixels
  double mean = 0;    ///< gray level of its pixels
  double length = 0;  ///< pixels, of the outer ring before it was simplified
  std::vector<std::vector<LinePoint>> rings{};
};

/// Returns the outlines of labelled regions, in the order of their labels.
/// Regions are connected through the sides of pixels and numbered from 1; 0 is no region. `gray` is
/// u8 or u16 of the labels' size, in host memory. Rings are simplified by how.tolerance piece by
/// piece, between points where three regions meet, so that neighbours share their border. Regions
/// whose outer ring is shorter than how.min_length are left out.
std::vector<Outline> outlines(ImageView<const int32_t> labels, ConstAnyView gray,
                              const TraceOptions& how = {});

}  // namespace cuesta
