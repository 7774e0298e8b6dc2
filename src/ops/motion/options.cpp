#include "ops/motion/options.hpp"

namespace cuesta {

std::string_view name_of(Sensitivity sensitivity) { return name_in(sensitivity); }

Sensitivity sensitivity_from(std::string_view name) {
  if (const auto sensitivity = value_named<Sensitivity>(name)) return *sensitivity;
  throw_invalid(std::string(name), "sensitivity is '{}'; it must be {}", name,
                either_name_of<Sensitivity>());
}

namespace {

// `options` are a model's own, whose `open` is a disk.
void set_sensitivity(MotionOptions& options, Sensitivity sensitivity) {
  const BackgroundModel model = options.background.model;
  const bool knows_noise = model == BackgroundModel::samples || model == BackgroundModel::mixture;
  switch (sensitivity) {
    case Sensitivity::low:
      options.threshold.level *= 1.25;
      options.open = StructuringElement::disk(options.open.width() + 2);
      options.displacement += 2;
      return;
    case Sensitivity::high:
      options.threshold.level = knows_noise ? 6 : options.threshold.level * 0.625;
      options.displacement = 1;
      return;
    case Sensitivity::normal: return;
  }
}

}  // namespace

MotionOptions MotionOptions::of(BackgroundModel model, Sensitivity sensitivity) {
  MotionOptions options;
  options.background.model = model;
  if (model == BackgroundModel::first) {
    options.blur = 15;
    options.threshold = 25;
    options.close = options.open = StructuringElement::disk(15);
    options.warm_up = 1;
    options.relearn = 0;
    options.steady = 0;
  }
  set_sensitivity(options, sensitivity);
  return options;
}

std::string wrong(const DifferenceThreshold& value, const Limits& limits) {
  return wrong(value.level, limits);
}

std::string text_of(const DifferenceThreshold& value) {
  return value.otsu ? fmt::format("auto:{}", value.level) : text_of(value.level);
}

}  // namespace cuesta
