// Values of described options as C++ and Python write them.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "core/options.hpp"
#include "recipes/descriptions.hpp"

namespace cuesta::cli::tune {

inline std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + '"';
}

/// C++'s name of an enumeration, and of its value where that is not the option's with underscores.
template <class E>
struct CppEnum;
template <>
struct CppEnum<Norm> {
  static constexpr std::string_view name = "Norm";
};
template <>
struct CppEnum<LogMode> {
  static constexpr std::string_view name = "LogMode";
};
template <>
struct CppEnum<ColorGradient> {
  static constexpr std::string_view name = "ColorGradient";
};
template <>
struct CppEnum<BoundaryQuality> {
  static constexpr std::string_view name = "BoundaryQuality";
};
template <>
struct CppEnum<Refinement> {
  static constexpr std::string_view name = "Refinement";
};
template <>
struct CppEnum<BackgroundModel> {
  static constexpr std::string_view name = "BackgroundModel";
};
template <>
struct CppEnum<Sensitivity> {
  static constexpr std::string_view name = "Sensitivity";
};

template <>
struct CppEnum<EdgeColor> {
  static constexpr std::string_view name = "EdgeColor";
};
template <>
struct CppEnum<AutoThreshold> {
  static constexpr std::string_view name = "AutoThreshold";
};

/// C++'s name of a method's options.
template <class Options>
constexpr std::string_view cpp_name = "";
template <>
inline constexpr std::string_view cpp_name<CannyEdges> = "CannyEdges";
template <>
inline constexpr std::string_view cpp_name<LogEdges> = "LogEdges";
template <>
inline constexpr std::string_view cpp_name<SobelEdges> = "SobelEdges";
template <>
inline constexpr std::string_view cpp_name<BoundaryOptions> = "BoundaryOptions";
template <>
inline constexpr std::string_view cpp_name<RegionEdges> = "RegionEdges";

template <class T>
std::string in_cpp(const T& value) {
  if constexpr (std::same_as<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (NamedEnum<T>) {
    std::string name(name_in(value));
    for (char& c : name)
      if (c == '-') c = '_';
    return fmt::format("cuesta::{}::{}", CppEnum<T>::name, name);
  } else if constexpr (std::same_as<T, Border>) {
    const std::string mode = fmt::format("cuesta::BorderMode::{}", name_in(value.mode));
    return value.mode == BorderMode::constant ? fmt::format("{{{}, {}}}", mode, value.value)
                                              : fmt::format("{{{}}}", mode);
  } else if constexpr (std::same_as<T, StructuringElement>) {
    return fmt::format("cuesta::StructuringElement::parse({})", in_quotes(text_of(value)));
  } else if constexpr (std::same_as<T, std::optional<double>>) {
    return value ? fmt::format("{}", *value) : "{}";
  } else if constexpr (std::same_as<T, Thresholds>) {
    if (const auto* given = std::get_if<Given>(&value))
      return fmt::format("cuesta::Given{{{}, {}}}", given->low, given->high);
    const auto [rule, percent] = std::get<Automatic>(value);
    return fmt::format("cuesta::Automatic{{{}{}}}", in_cpp(rule),
                       rule == AutoThreshold::percentile ? fmt::format(", {}", percent) : "");
  } else if constexpr (std::same_as<T, DifferenceThreshold>) {
    return value.otsu ? fmt::format("cuesta::DifferenceThreshold::automatic({})", value.level)
                      : fmt::format("{}", value.level);
  } else {
    return fmt::format("{}", value);
  }
}

template <class T>
std::string in_python(const T& value) {
  if constexpr (std::same_as<T, bool>)
    return value ? "True" : "False";
  else if constexpr (std::integral<T> || std::floating_point<T>)
    return fmt::format("{}", value);
  else if constexpr (std::same_as<T, std::optional<double>>)
    return value ? fmt::format("{}", *value) : "None";
  else if constexpr (std::same_as<T, DifferenceThreshold>)
    return value.otsu ? fmt::format("(\"auto\", {})", value.level) : fmt::format("{}", value.level);
  else if constexpr (std::same_as<T, StructuringElement>)
    return in_quotes(text_of(value));
  else
    return in_quotes(text_of(value));
}

}  // namespace cuesta::cli::tune
