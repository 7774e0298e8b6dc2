// The public entry of label: check, choose a strategy, run.
#include "core/check.hpp"
#include "ops/label/reference.hpp"

namespace cuesta {

int32_t label(ConstAnyView mask, AnyView labels, std::vector<Component>* components,
              const LabelOptions& options, const Exec& exec) {
  check_view(mask, "label: mask", {PixelType::u8, PixelType::bit});
  if (int64_t(mask.width) * mask.height > LabelArgs::max_pixels) {
    throw_invalid(fmt::format("{} x {}", mask.width, mask.height),
                  "label: mask is {} x {}; it takes at most {} pixels", mask.width, mask.height,
                  LabelArgs::max_pixels);
  }
  if (labels) {
    check_view(labels, "label: labels", {PixelType::s32});
    check_same_size(mask, labels, "label: mask", "label: labels");
    check_no_overlap(mask, labels, "label: mask", "label: labels");
  }
  if (options.connectivity != 4 && options.connectivity != 8) {
    throw_invalid(std::to_string(options.connectivity),
                  "label: connectivity is {}; it must be 4 or 8", options.connectivity);
  }
  int32_t count = 0;
  dispatch(LabelArgs{mask, labels, components, options, &count}, exec);
  return count;
}

}  // namespace cuesta
