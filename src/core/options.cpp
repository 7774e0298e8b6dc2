#include "core/options.hpp"

#include <cmath>
#include <vector>

namespace cuesta {
namespace {

std::string words_of(const Limits& l, bool finite) {
  if (l.choice_count > 0) {
    std::vector<std::string> texts;
    texts.reserve(size_t(l.choice_count));
    for (int i = 0; i < l.choice_count; ++i) texts.push_back(std::to_string(l.choices[size_t(i)]));
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    return either_of(views);
  }
  const std::string_view kind = l.odd ? "odd, " : finite ? "" : "finite, ";
  if (std::isfinite(l.high)) return fmt::format("{}{} to {}", kind, l.low, l.high);
  if (std::isfinite(l.low)) return fmt::format("{}{} or more", kind, l.low);
  return "a finite number";
}

bool accepts(const Limits& l, double value) {
  if (!std::isfinite(value)) return false;
  if (!l.own.empty() && value == 0) return true;
  for (int i = 0; i < l.choice_count; ++i)
    if (value == l.choices[size_t(i)]) return true;
  if (l.choice_count > 0) return false;
  return value >= l.low && value <= l.high && (!l.odd || std::fmod(value, 2) != 0);
}

double largest(const Limits& l) {
  return l.choice_count > 0 ? l.choices[size_t(l.choice_count - 1)] : l.high;
}

}  // namespace

std::string allowed(const Limits& limits) {
  const bool is_range = std::isfinite(limits.low) && std::isfinite(limits.high);
  return is_range || limits.choice_count > 0 ? words_of(limits, true) : std::string();
}

std::string either_of(std::span<const std::string_view> words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::string wrong_number(double value, const Limits& limits) {
  if (accepts(limits, value)) return {};
  std::string text = words_of(limits, std::isfinite(value));
  if (!limits.way.empty() && std::isfinite(value) && value > largest(limits))
    text += fmt::format(" (for more, {})", limits.way);
  if (!limits.own.empty() && !(limits.low <= 0)) text += fmt::format(", or 0 ({})", limits.own);
  return text;
}

std::string wrong(const Border& value, const Limits&) {
  if (name_in(value.mode) == "?") return either_name_of<BorderMode>();
  if (value.mode == BorderMode::constant && !std::isfinite(value.value))
    return "constant with a finite value";
  return {};
}
std::string wrong(const std::optional<Border>& value, const Limits& limits) {
  return value ? wrong(*value, limits) : std::string();
}

std::string text_of(const Border& value) {
  if (value.mode != BorderMode::constant) return std::string(name_in(value.mode));
  return fmt::format("constant:{}", value.value);
}
std::string text_of(const std::optional<Border>& value) {
  return value ? text_of(*value) : std::string("none");
}

std::string exact_text(double value) { return fmt::format("{:a}", value); }
std::string exact_text(const Border& value) {
  return fmt::format("{}:{:a}", name_in(value.mode), value.value);
}

}  // namespace cuesta
