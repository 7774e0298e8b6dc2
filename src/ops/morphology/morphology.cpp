// The public entries of morphology: check, choose a strategy, run.
#include <cmath>

#include "core/check.hpp"
#include "ops/morphology/reference.hpp"

namespace cuesta {

void morphology(ConstAnyView src, AnyView dst, Morph what, const StructuringElement& element,
                const MorphologyOptions& options, const Exec& exec) {
  check_view(src, "morphology: src", {PixelType::u8, PixelType::u16, PixelType::bit});
  check_view(dst, "morphology: dst", {src.type});
  check_same_size(src, dst, "morphology: src", "morphology: dst");
  check_no_overlap(src, dst, "morphology: src", "morphology: dst", true);
  if (!options.neutral && !std::isfinite(options.border.value)) {
    throw_invalid(std::to_string(options.border.value),
                  "morphology: border value is {}; it must be a finite number",
                  options.border.value);
  }
  dispatch(MorphologyArgs{src, dst, what, &element, options}, exec);
}

void erode(ConstAnyView src, AnyView dst, const StructuringElement& element, const Exec& exec) {
  morphology(src, dst, Morph::erode, element, {}, exec);
}
void dilate(ConstAnyView src, AnyView dst, const StructuringElement& element, const Exec& exec) {
  morphology(src, dst, Morph::dilate, element, {}, exec);
}
void open(ConstAnyView src, AnyView dst, const StructuringElement& element, const Exec& exec) {
  morphology(src, dst, Morph::open, element, {}, exec);
}
void close(ConstAnyView src, AnyView dst, const StructuringElement& element, const Exec& exec) {
  morphology(src, dst, Morph::close, element, {}, exec);
}

}  // namespace cuesta
