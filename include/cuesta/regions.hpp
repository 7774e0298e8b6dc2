// Regions: closed contours from the strengths of thin boundaries, and the areas inside them.
#pragma once

#include "cuesta/batch.hpp"
#include "cuesta/exec.hpp"
#include "cuesta/image.hpp"
#include "cuesta/typed.hpp"

namespace cuesta {

/// Options of regions().
struct RegionOptions {
  /// From 0 to 1, a share of the largest strength: contours that are weaker are removed.
  double threshold = 0.45;
};

/// Divides a picture into regions along its boundaries; every contour is closed.
///
/// src is u8 or u16 of one channel: strengths of thin boundaries, 0 elsewhere, for example those of
/// boundaries(). A sample v of u8 counts as 257 v. dst has src's size, and its type selects the
/// result. s32: labels from 1 on, numbered by their first pixel in raster order. u8: contours, 255
/// where the pixel to the right or below is of another region. u16: the strength of each contour,
/// for any threshold; 0 inside regions. A watershed finds small regions; those between which the
/// mean strength is least are merged first (an ultrametric contour map). One thread works.
/// Throws Error{invalid_argument} naming the view or option. Sources: src/ops/regions/README.md;
/// Arbelaez, Maire, Fowlkes, Malik 2011 (OWT-UCM), Meyer 1994 (flooding).
void regions(ConstAnyView src, OutView dst, const RegionOptions& options = {},
             const Exec& exec = {});
/// Divides each picture of a batch.
void regions(const ConstBatch& src, const Batch& dst, const RegionOptions& options = {},
             const Exec& exec = {});
/// Divides one picture; returns its labels as a new picture.
template <PictureLike Src>
NewOf<int32_t, Src> regions(const Src& src, const RegionOptions& options = {},
                            const Exec& exec = {}) {
  auto dst = new_of<int32_t>(src);
  regions(ConstAnyView(src), dst, options, exec);
  return dst;
}
template <class Src, class Dst>
  requires mixes_host_and_device<Src, Dst>
void regions(const Src&, Dst&&, const RegionOptions& = {}, const Exec& = {}) = delete;

}  // namespace cuesta
