#include "core/strategy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "core/cpu_probe.hpp"
#include "core/device_memory.hpp"

namespace cuesta {

std::string_view name_of(Tier tier) {
  switch (tier) {
    case Tier::reference: return "reference";
    case Tier::baseline: return "baseline";
    case Tier::ladder: return "ladder";
    case Tier::production: return "production";
  }
  return "?";
}

namespace {
// Digits alone; nothing for what no int holds.
std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}
}  // namespace

bool ParameterInfo::takes(std::string_view value) const {
  for (const auto& v : values)
    if (v == value) return true;
  const auto number = whole_number(value);
  return max > 0 && number && *number >= min && *number <= max;
}

std::string ParameterInfo::choices() const {
  if (max == 0) return fmt::format("{}", fmt::join(values, ", "));
  std::string words;
  for (const auto& v : values)
    if (!whole_number(v)) words += fmt::format("{}, or ", v);
  return words + fmt::format("a whole number from {} to {}", min, max);
}

Call::Call(const Exec& exec, Space space, std::span<const ParameterInfo> declared)
    : exec_(exec),
      parameters_(exec, declared),
      threads_(thread_count(exec.threads)),
      scratch_(exec, space) {
  detail::apply_simd_environment();
}

std::string_view Parameters::text(std::string_view name) const {
  for (const auto& [key, value] : exec_.parameters) {
    if (key == name) return value;
  }
  for (const auto& info : declared_) {
    if (info.name == name) return info.values.front();
  }
  throw Error(ErrorCode::invalid_argument,
              fmt::format("a strategy asked for its undeclared parameter '{}'", name));
}

int Parameters::integer(std::string_view name) const {
  const std::string_view given = text(name);
  if (const auto value = whole_number(given)) return *value;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("parameter {} is {}; it must be a whole number", name, given),
              std::string(given));
}

AnyView placeholder(int32_t width, int32_t height, PixelType type, int32_t channels, Space space) {
  // Addresses that no picture has, each placeholder's own: views of them never overlap.
  static std::atomic<uintptr_t> next = uintptr_t(1) << 56;
  const ptrdiff_t row = detail::row_bytes(type, width, channels);
  const ptrdiff_t stride = detail::padded_stride(std::max<ptrdiff_t>(row, 1));
  const uintptr_t bytes = uintptr_t(stride) * uintptr_t(std::max(height, 1));
  return {
      reinterpret_cast<void*>(next.fetch_add(bytes)), width, height, channels, stride, type, space};
}

Exec Call::nested() const {
  Exec exec;
  exec.threads = threads_;
  exec.workspace = exec_.workspace;
  exec.stream = exec_.stream;
  return exec;
}

namespace detail {

namespace {

struct Pin {
  std::string operation, strategy;
};

std::vector<Pin> pins_of(const std::string& text) {
  std::vector<Pin> pins;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t comma = rest.find(',');
    const std::string_view pin = rest.substr(0, comma);
    const size_t colon = pin.find(':');
    if (colon == pin.npos || colon == 0 || colon + 1 == pin.size()) {
      throw Error(
          ErrorCode::invalid_argument,
          fmt::format(
              "CUESTA_STRATEGY={}: '{}' must be operation:strategy (as in canny:serial,label:rows)",
              text, pin),
          std::string(pin));
    }
    pins.push_back({std::string(pin.substr(0, colon)), std::string(pin.substr(colon + 1))});
    rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
  }
  return pins;
}

}  // namespace

std::string_view pinned_strategy(std::string_view operation, const Exec& exec) {
  if (!exec.strategy.empty()) return exec.strategy;
  static const std::string text = [] {
    const char* given = std::getenv("CUESTA_STRATEGY");
    return std::string(given ? given : "");
  }();
  static const std::vector<Pin> pins = pins_of(text);
  for (const Pin& pin : pins)
    if (pin.operation == operation) return pin.strategy;
  return {};
}

void check_parameters(std::string_view operation, std::string_view strategy, const Exec& exec,
                      std::span<const ParameterInfo> declared) {
  for (const auto& [key, value] : exec.parameters) {
    const ParameterInfo* found = nullptr;
    for (const auto& info : declared) {
      if (info.name == key) found = &info;
    }
    if (!found) {
      std::vector<std::string_view> names;
      for (const auto& info : declared) names.push_back(info.name);
      throw Error(
          ErrorCode::invalid_argument,
          declared.empty()
              ? fmt::format("{}: strategy '{}' has no parameters, so '{}' cannot be set", operation,
                            strategy, key)
              : fmt::format(
                    "{}: strategy '{}' has no parameter '{}'; the parameter must be one of: {}",
                    operation, strategy, key, fmt::join(names, ", ")),
          key);
    }
    if (!found->takes(value)) {
      throw Error(
          ErrorCode::invalid_argument,
          fmt::format("{}: parameter {}={} of strategy '{}' is invalid; choose {}{}", operation,
                      key, value, strategy, found->max ? "" : "one of ", found->choices()),
          value);
    }
  }
}

std::string unknown_strategy(std::string_view operation, std::string_view name, Space space,
                             std::span<const std::string_view> known) {
  return known.empty() ? fmt::format("{}: this build has no strategy on the {}, so not '{}'",
                                     operation, name_of(space), name)
                       : fmt::format("{}: no strategy '{}' on the {}; there are {}", operation,
                                     name, name_of(space), fmt::join(known, ", "));
}

std::string refusal(std::string_view operation, std::string_view pinned, Space space,
                    std::string_view why, std::span<const std::string_view> ladder) {
  if (!pinned.empty()) {
    return fmt::format("{}: strategy '{}' does not take this request: {}", operation, pinned, why);
  }
  std::string text = why.empty() ? fmt::format(
                                       "{}: this build has no strategy for pictures on the {}; its "
                                       "strategies are for those on the {}",
                                       operation, name_of(space),
                                       name_of(space == Space::host ? Space::device : Space::host))
                                 : fmt::format("{}: no strategy on the {} takes this request: {}",
                                               operation, name_of(space), why);
  if (!ladder.empty()) text += fmt::format("; by name there are {}", fmt::join(ladder, ", "));
  return text;
}

void describe_choice(Choice& choice, std::string_view strategy, Tier tier, const Exec& exec) {
  choice.strategy = strategy;
  choice.tier = tier;
  if (choice.space == Space::host) {
    choice.processor = simd_target();
    choice.threads = thread_count(exec.threads);
  } else {
    choice.processor = device_name();
  }
}

}  // namespace detail
}  // namespace cuesta
