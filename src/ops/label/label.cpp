// The public entry of label: check, choose a strategy, run.
#include "core/check.hpp"
#include "core/check_batch.hpp"
#include "ops/label/options.hpp"
#include "ops/label/reference.hpp"

namespace cuesta {

void check_label(ConstAnyView mask, AnyView labels, const LabelOptions& options) {
  check_view(mask, "label: mask", {PixelType::u8, PixelType::bit});
  if (int64_t(mask.width) * mask.height > LabelArgs::max_pixels) {
    throw_invalid(fmt::format("{} x {}", mask.width, mask.height),
                  "label: mask is {} x {}; it must have at most {} pixels", mask.width, mask.height,
                  LabelArgs::max_pixels);
  }
  if (labels) {
    check_view(labels, "label: labels", {PixelType::s32});
    check_same_size(mask, labels, "label: mask", "label: labels");
    check_no_overlap(mask, labels, "label: mask", "label: labels");
  }
  check_options(options, "label");
}

int32_t label(ConstAnyView mask, AnyView labels, std::vector<Component>* components,
              const LabelOptions& options, const Exec& exec) {
  check_label(mask, labels, options);
  int32_t count = 0;
  dispatch(LabelArgs{mask, labels, HostComponents{components, &count}, options}, exec);
  return count;
}

void label(ConstAnyView mask, AnyView labels, const DeviceComponents& components,
           const LabelOptions& options, const Exec& exec) {
  check_label(mask, labels, options);
  if (mask.space != Space::device) {
    throw_invalid(
        std::string(name_of(mask.space)),
        "label: mask is on the {}; a component list on the GPU requires a mask on the GPU",
        name_of(mask.space));
  }
  if (!components.count)
    throw_invalid("null", "label: components.count is null; it must point to GPU memory");
  if (components.room < 0) {
    throw_invalid(std::to_string(components.room),
                  "label: components.room is {}; it must be at least 0", components.room);
  }
  if (components.room > 0 && !components.list) {
    throw_invalid("null",
                  "label: components.list is null; it must point to GPU memory for {} components",
                  components.room);
  }
  if (const auto address = reinterpret_cast<uintptr_t>(components.list); address % 16 != 0) {
    throw_invalid(fmt::format("{:#x}", address),
                  "label: components.list is at {:#x}; its address must be a multiple of 16",
                  address);
  }
  dispatch(LabelArgs{mask, labels, components, options}, exec);
}

int64_t label(const ConstBatch& masks, const Batch& labels,
              std::span<std::vector<Component>> components, const LabelOptions& options,
              const Exec& exec) {
  const int32_t count = check_batches({{masks, "label: mask"}}, {});
  if (labels.first) check_batches({{masks, "label: mask"}}, {{labels, "label: labels"}});
  if (!components.empty() && components.size() != size_t(count)) {
    throw_invalid(
        std::to_string(components.size()),
        "label: components has {} lists; it must be empty or have one for each of {} masks",
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
