// The values that an option is tried with, from its description.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <optional>
#include <string>
#include <vector>

#include "core/options.hpp"
#include "cuesta/cuesta.hpp"
#include "ops/canny/options.hpp"

namespace cuesta::bench {

template <class T>
  requires std::integral<T> || std::floating_point<T>
std::vector<T> values_of(const Limits& limits, T) {
  if constexpr (std::same_as<T, bool>) {
    return {false, true};
  } else {
    std::vector<T> out;
    for (int i = 0; i < limits.choice_count; ++i) out.push_back(T(limits.choices[size_t(i)]));
    if (!out.empty()) return out;
    const auto all = std::integral<T>
                         ? std::vector<double>{1, 2, 3, 5, 7, 9, 11, 15, 31, 63, 127, 255}
                         : std::vector<double>{0, 0.8, 1.4, 2, 3, 5, 8, 16, 32};
    for (const double value : all) {
      const bool odd = !limits.odd || std::fmod(value, 2) == 1;
      if (value >= limits.low && value <= limits.high && odd) out.push_back(T(value));
    }
    return out;
  }
}
template <NamedEnum E>
std::vector<E> values_of(const Limits&, E) {
  std::vector<E> out;
  for (const auto& named : names_of(E{})) out.push_back(named.value);
  return out;
}
inline std::vector<Border> values_of(const Limits& limits, Border) {
  std::vector<Border> out;
  for (const BorderMode mode : values_of(limits, BorderMode{})) out.push_back({mode, 77});
  return out;
}
template <class T>
std::vector<std::optional<T>> values_of(const Limits& limits, const std::optional<T>&) {
  std::vector<std::optional<T>> out{std::nullopt};
  for (const T& value : values_of(limits, T{})) out.emplace_back(value);
  return out;
}
/// Rules only: given thresholds are in the units of a sample type.
inline std::vector<Thresholds> values_of(const Limits& limits, const Thresholds&) {
  std::vector<Thresholds> out;
  for (const AutoThreshold rule : values_of(limits, AutoThreshold{}))
    out.push_back(Thresholds::automatic(rule, 90));
  return out;
}

template <class Options>
struct Variant {
  std::string text{};
  Options options{};
};

/// Returns `base`, and a copy of it for every other value of each of its options.
template <class Options>
std::vector<Variant<Options>> varied(const Options& base) {
  std::vector<Variant<Options>> out{{"default", base}};
  for_each_field<Options>([&](const auto& one) {
    const std::string usual = exact_text(one.get(base));
    for (const auto& value : values_of(one.limits, one.get(base))) {
      if (exact_text(value) == usual) continue;
      Variant<Options> other{fmt::format("{} {}", one.name, text_of(value)), base};
      one.at(other.options) = value;
      out.push_back(std::move(other));
    }
  });
  return out;
}

}  // namespace cuesta::bench
