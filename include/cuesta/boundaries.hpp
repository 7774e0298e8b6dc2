// Boundaries: what divides things and surfaces in a picture, rather than every edge.
#pragma once

#include "cuesta/batch.hpp"
#include "cuesta/exec.hpp"
#include "cuesta/image.hpp"
#include "cuesta/typed.hpp"

namespace cuesta {

struct BoundaryOptions {
  /// How many times what lies around it, to the power of 3/4, an edge is as strong (in the units of
  /// src/ops/boundaries/README.md); half of it goes on along an edge. One value serves all
  /// pictures.
  double threshold = 9;
};

/// Boundaries between things and surfaces, rather than every edge, of a u8 or u16 picture of 1
/// channel or 3 (red, green, blue), as a u8 picture of 0 and 255: gradients of brightness and of
/// two opponent colors, of three scales added, thinned as Canny's edges; and the threshold rises
/// with the mean gradient around, so that texture does not count. All in integers; on a device by
/// the strategy `plain`. Throws Error{invalid_argument} naming the view or option.
/// Sources: src/ops/boundaries/README.md; Grigorescu, Petkov, Westenberg 2003 for what the
/// surround does, Burt and Adelson 1983 for scales by a pyramid, Di Zenzo 1986 for color.
void boundaries(ConstAnyView src, OutView dst, const BoundaryOptions& options = {},
                const Exec& exec = {});
/// Of each picture of a batch.
void boundaries(const ConstBatch& src, const Batch& dst, const BoundaryOptions& options = {},
                const Exec& exec = {});
/// The boundaries of one picture, in a new one.
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
