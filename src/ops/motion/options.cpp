#include "ops/motion/options.hpp"

namespace cuesta {

std::string wrong(const DifferenceThreshold& value, const Limits& limits) {
  return wrong(value.level, limits);
}

std::string text_of(const DifferenceThreshold& value) {
  return value.otsu ? fmt::format("auto:{}", value.level) : text_of(value.level);
}

}  // namespace cuesta
