// The public entry of label: check, choose a strategy, run.
#include "core/check.hpp"
#include "core/check_batch.hpp"
#include "ops/label/options.hpp"
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
  check_options(options, "label");
  int32_t count = 0;
  dispatch(LabelArgs{mask, labels, components, options, &count}, exec);
  return count;
}

int64_t label(const ConstBatch& masks, const Batch& labels,
              std::span<std::vector<Component>> components, const LabelOptions& options,
              const Exec& exec) {
  const int32_t count = check_batches({{masks, "label: mask"}}, {});
  if (labels.first) check_batches({{masks, "label: mask"}}, {{labels, "label: labels"}});
  if (!components.empty() && components.size() != size_t(count)) {
    throw_invalid(std::to_string(components.size()),
                  "label: components has {} lists; it takes none, or one for each of {} masks",
                  components.size(), count);
  }
  int64_t all = 0;
  for (int32_t i = 0; i < count; ++i) {
    all += label(masks[i], labels.first ? labels[i] : AnyView(),
                 components.empty() ? nullptr : &components[size_t(i)], options, exec);
  }
  return all;
}

}  // namespace cuesta
