#include "ops/motion/options.hpp"

namespace cuesta {

std::string wrong(const DifferenceThreshold& value, const Limits& limits) {
  return wrong(value.level, limits);
}

std::string text_of(const DifferenceThreshold& value) {
  if (!value.otsu) return text_of(value.level);
  const bool usual = value.level == DifferenceThreshold().level;
  return usual ? "auto" : fmt::format("auto:{}", value.level);
}

}  // namespace cuesta
