// The public entries of morphology: check, choose a strategy, run.
#include "core/check.hpp"
#include "core/check_batch.hpp"
#include "ops/morphology/options.hpp"
#include "ops/morphology/reference.hpp"

namespace cuesta {

void morphology(ConstAnyView src, OutView dst, Morph what, const StructuringElement& element,
                const MorphologyOptions& options, const Exec& exec) {
  check_view(src, "morphology: src", {PixelType::u8, PixelType::u16, PixelType::bit});
  check_view(dst, "morphology: dst", {src.type});
  check_same_size(src, dst, "morphology: src", "morphology: dst");
  check_no_overlap(src, dst, "morphology: src", "morphology: dst", true);
  check_options(options, "morphology");
  dispatch(MorphologyArgs{src, dst, what, &element, options}, exec);
}

void morphology(const ConstBatch& src, const Batch& dst, Morph what,
                const StructuringElement& element, const MorphologyOptions& options,
                const Exec& exec) {
  const int32_t count = check_batches({{src, "morphology: src"}}, {{dst, "morphology: dst"}}, true);
  for (int32_t i = 0; i < count; ++i) morphology(src[i], dst[i], what, element, options, exec);
}

void erode(ConstAnyView src, OutView dst, const StructuringElement& element,
           const MorphologyOptions& options, const Exec& exec) {
  morphology(src, dst, Morph::erode, element, options, exec);
}
void erode(const ConstBatch& src, const Batch& dst, const StructuringElement& element,
           const MorphologyOptions& options, const Exec& exec) {
  morphology(src, dst, Morph::erode, element, options, exec);
}

void dilate(ConstAnyView src, OutView dst, const StructuringElement& element,
            const MorphologyOptions& options, const Exec& exec) {
  morphology(src, dst, Morph::dilate, element, options, exec);
}
void dilate(const ConstBatch& src, const Batch& dst, const StructuringElement& element,
            const MorphologyOptions& options, const Exec& exec) {
  morphology(src, dst, Morph::dilate, element, options, exec);
}

void morph_open(ConstAnyView src, OutView dst, const StructuringElement& element,
                const MorphologyOptions& options, const Exec& exec) {
  morphology(src, dst, Morph::open, element, options, exec);
}
void morph_open(const ConstBatch& src, const Batch& dst, const StructuringElement& element,
                const MorphologyOptions& options, const Exec& exec) {
  morphology(src, dst, Morph::open, element, options, exec);
}

void morph_close(ConstAnyView src, OutView dst, const StructuringElement& element,
                 const MorphologyOptions& options, const Exec& exec) {
  morphology(src, dst, Morph::close, element, options, exec);
}
void morph_close(const ConstBatch& src, const Batch& dst, const StructuringElement& element,
                 const MorphologyOptions& options, const Exec& exec) {
  morphology(src, dst, Morph::close, element, options, exec);
}

}  // namespace cuesta
