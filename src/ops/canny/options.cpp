#include "ops/canny/options.hpp"

#include <cmath>

namespace cuesta {

std::string wrong(const Thresholds& value, const Limits&) {
  if (const auto* found = std::get_if<Automatic>(&value)) {
    if (name_in(found->rule) == "?") return either_name_of<AutoThreshold>();
    const bool percent = found->percent >= 0 && found->percent <= 100;
    return found->rule != AutoThreshold::percentile || percent ? "" : "a percentile of 0 to 100";
  }
  const auto [low, high] = std::get<Given>(value);
  return std::isfinite(low) && std::isfinite(high) ? "" : "two finite numbers";
}

std::string text_of(const Thresholds& value) {
  if (const auto* found = std::get_if<Automatic>(&value)) {
    if (found->rule == AutoThreshold::percentile)
      return fmt::format("auto:percentile:{}", found->percent);
    return fmt::format("auto:{}", name_in(found->rule));
  }
  const auto [low, high] = std::get<Given>(value);
  return fmt::format("{} and {}", low, high);
}

std::string exact_text(const Thresholds& value) {
  if (const auto* found = std::get_if<Automatic>(&value))
    return fmt::format("{}:{:a}", name_in(found->rule), found->percent);
  const auto [low, high] = std::get<Given>(value);
  return fmt::format("{:a}:{:a}", low, high);
}

}  // namespace cuesta
