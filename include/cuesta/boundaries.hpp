// Boundaries: what divides things and surfaces in a picture, rather than every edge.
#pragma once

#include "cuesta/batch.hpp"
#include "cuesta/exec.hpp"
#include "cuesta/image.hpp"
#include "cuesta/typed.hpp"

namespace cuesta {

/// How boundaries() decides which maxima of the gradient are boundaries.
enum class BoundaryQuality : uint8_t {
  fast,  ///< by their strength relative to that of the surroundings
  high,  ///< by a score of 40 cues: texture and color on both sides, the contour, the picture
};

/// Options of boundaries().
struct BoundaryOptions {
  /// Strength of an edge relative to that of its surroundings to the power of 3/4, in the units of
  /// src/ops/boundaries/README.md. Half of it continues an edge. One value serves all pictures.
  double threshold = 9;
  BoundaryQuality quality = BoundaryQuality::fast;
};

/// Computes the boundaries of objects and surfaces, without the edges of texture.
///
/// src is u8 or u16 with 1 channel or 3 (red, green, blue). dst is u8 for boundaries, 0 or 255, or
/// u16 for their strengths: 65535 times the root of the chance that a person draws a boundary
/// there, 0 where the gradient has no maximum; the threshold is ignored. Gradients of
/// brightness and of two opponent colors are added over three scales and thinned as Canny's edges.
/// The threshold rises with the mean gradient of the surroundings, which suppresses texture.
/// BoundaryQuality::high weighs 40 cues instead, and takes 4 to 8 times as long. All
/// arithmetic is in integers. Strengths on a device are made on the host. Throws
/// Error{invalid_argument} naming the view or option.
/// Sources: src/ops/boundaries/README.md; Grigorescu, Petkov, Westenberg 2003 (surround
/// suppression), Burt and Adelson 1983 (scales by a pyramid), Di Zenzo 1986 (color).
void boundaries(ConstAnyView src, OutView dst, const BoundaryOptions& options = {},
                const Exec& exec = {});
/// Computes the boundaries of each picture of a batch.
void boundaries(const ConstBatch& src, const Batch& dst, const BoundaryOptions& options = {},
                const Exec& exec = {});
/// Computes the boundaries of one picture as a new picture.
template <PictureLike Src>
NewOf<uint8_t, Src> boundaries(const Src& src, const BoundaryOptions& options = {},
                               const Exec& exec = {}) {
  auto dst = new_of<uint8_t>(src);
  boundaries(ConstAnyView(src), dst, options, exec);
  return dst;
}
template <class Src, class Dst>
  requires mixes_host_and_device<Src, Dst>
void boundaries(const Src&, Dst&&, const BoundaryOptions& = {}, const Exec& = {}) = delete;

}  // namespace cuesta
