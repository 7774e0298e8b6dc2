// Masks without small components or holes, exact for any shape and size.
//
// Each operation comes in three forms: into a picture, into a batch (picture after picture), and as
// a new picture in the source's space.
#pragma once

#include <cstdint>

#include "cuesta/batch.hpp"
#include "cuesta/exec.hpp"
#include "cuesta/image.hpp"
#include "cuesta/typed.hpp"

namespace cuesta {

/// Options of remove_small().
struct RemoveSmallOptions {
  int min_area = 64;     ///< pixels; components with fewer are removed
  int connectivity = 8;  ///< 4 or 8
};
/// Options of fill_holes().
struct FillHolesOptions {
  int max_area = 0;      ///< pixels; larger holes stay. 0 fills holes of any area
  int connectivity = 8;  ///< of the foreground, 4 or 8; holes are connected the other way
};

/// Removes the components of a mask that have fewer than `min_area` pixels.
/// mask is u8 (non-zero is set) or bits; dst is u8 (0 or 255) or bits of its size. Throws
/// Error{invalid_argument} naming the view or option.
/// Source: skimage.morphology.remove_small_objects.
void remove_small(ConstAnyView mask, OutView dst, const RemoveSmallOptions& options = {},
                  const Exec& exec = {});
void remove_small(const ConstBatch& masks, const Batch& dst, const RemoveSmallOptions& options = {},
                  const Exec& exec = {});

/// Fills the holes of a mask: background that does not touch the picture's border.
/// Views as for remove_small(). Throws Error{invalid_argument} naming the view or option.
/// Source: scipy.ndimage.binary_fill_holes (connectivity 8, every area).
void fill_holes(ConstAnyView mask, OutView dst, const FillHolesOptions& options = {},
                const Exec& exec = {});
void fill_holes(const ConstBatch& masks, const Batch& dst, const FillHolesOptions& options = {},
                const Exec& exec = {});

/// Return a new mask of the source's type.
template <PictureLike Mask>
NewLike<Mask> remove_small(const Mask& mask, const RemoveSmallOptions& options = {},
                           const Exec& exec = {}) {
  auto dst = new_like(mask);
  remove_small(ConstAnyView(mask), dst, options, exec);
  return dst;
}
template <PictureLike Mask>
NewLike<Mask> fill_holes(const Mask& mask, const FillHolesOptions& options = {},
                         const Exec& exec = {}) {
  auto dst = new_like(mask);
  fill_holes(ConstAnyView(mask), dst, options, exec);
  return dst;
}

// ---- what does not compile

template <class Mask, class Dst>
  requires mixes_host_and_device<Mask, Dst>
void remove_small(const Mask&, Dst&&, const RemoveSmallOptions& = {}, const Exec& = {}) = delete;
template <class Mask, class Dst>
  requires mixes_host_and_device<Mask, Dst>
void fill_holes(const Mask&, Dst&&, const FillHolesOptions& = {}, const Exec& = {}) = delete;

}  // namespace cuesta
