#include "ops/motion/options.hpp"

namespace cuesta {

MotionOptions MotionOptions::of(BackgroundModel model) {
  MotionOptions options;
  options.background.model = model;
  if (model != BackgroundModel::first) return options;
  options.blur = 15;
  options.threshold = 25;
  options.close = options.open = StructuringElement::disk(15);
  options.warm_up = 1;
  options.relearn = 0;
  options.steady = 0;
  return options;
}

std::string wrong(const DifferenceThreshold& value, const Limits& limits) {
  return wrong(value.level, limits);
}

std::string text_of(const DifferenceThreshold& value) {
  return value.otsu ? fmt::format("auto:{}", value.level) : text_of(value.level);
}

}  // namespace cuesta
