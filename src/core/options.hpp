// Option descriptors, shared by all interfaces: name, limits and help text. A struct's
// description feeds the library's checks, the command's options and help, Python's keywords, their
// stubs and documentation, the torch schemas and the draws of the fuzzer. The default is the
// struct's.
//
//   template <>
//   struct Described<SobelOptions> {
//     static constexpr auto fields = std::tuple(
//         field<&SobelOptions::aperture>("aperture", one_of(3, 5, 7), "side of the window"), ...);
//   };
//
// Options are numbers, bools, enumerations (names_of), borders, and the types that a description's
// header adds functions for: `wrong` (what a value must be) and `text_of`.
#pragma once

#include <array>
#include <concepts>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "core/check.hpp"
#include "cuesta/border.hpp"

namespace cuesta {

/// What a number may be. Both ends belong; infinities and NaNs never do.
struct Limits {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool odd = false;
  std::array<int, 4> choices{};  // instead of a range
  int choice_count = 0;
  /// What 0 stands for where it leaves the choice to the library, as it follows "by default"; empty
  /// where 0 is a number like any other.
  std::string_view own{};
  bool frames = false;     ///< a number of a video's frames, which may be given as a time
  std::string_view way{};  ///< how to get past the high end, as it follows "(for more, "

  constexpr Limits or_by(std::string_view how) const {
    Limits with = *this;
    with.way = how;
    return with;
  }
  constexpr Limits in_frames() const {
    Limits with = *this;
    with.frames = true;
    return with;
  }
  constexpr Limits or_own(std::string_view what) const {
    Limits with = *this;
    with.own = what;
    return with;
  }
};
constexpr Limits at_least(double low) { return {.low = low}; }
constexpr Limits between(double low, double high) { return {.low = low, .high = high}; }
constexpr Limits odd(int low, int high) {
  return {.low = double(low), .high = double(high), .odd = true};
}
template <std::same_as<int>... Choices>
constexpr Limits one_of(Choices... choices) {
  return {.choices = {choices...}, .choice_count = int(sizeof...(choices))};
}
constexpr Limits any() { return {}; }

// Ways past the largest window.
inline constexpr std::string_view smaller_first = "make the picture smaller first";
inline constexpr std::string_view smooth_twice =
    "smooth twice by sigma / 1.414, or make the picture smaller first";
inline constexpr std::string_view smaller_in_turn =
    "apply smaller ones in turn, or make the picture smaller first";
inline constexpr std::string_view smooth_first = "smooth the picture first";

/// One member of an options struct.
template <class Options, class T>
struct Field {
  using Type = T;
  std::string_view name;   ///< in snake case; the command writes it with dashes
  Limits limits;           ///< of numbers
  std::string_view words;  ///< what it means, with its unit: a clause without its default
  const T& (*get)(const Options&);
  T& (*at)(Options&);
};

namespace detail {
template <auto First, auto... Rest>
constexpr auto& follow(auto& from) {
  if constexpr (sizeof...(Rest) == 0)
    return from.*First;
  else
    return follow<Rest...>(from.*First);
}
template <class Struct, class T>
Struct struct_of(T Struct::*);
}  // namespace detail

/// The member at the end of a path: field<&MotionOptions::background, &BackgroundOptions::model>.
template <auto First, auto... Rest>
constexpr auto field(std::string_view name, Limits limits, std::string_view words) {
  using Options = decltype(detail::struct_of(First));
  using T = std::remove_cvref_t<decltype(detail::follow<First, Rest...>(std::declval<Options&>()))>;
  return Field<Options, T>{
      name, limits, words,
      [](const Options& o) -> const T& { return detail::follow<First, Rest...>(o); },
      [](Options& o) -> T& { return detail::follow<First, Rest...>(o); }};
}

/// The description of an options struct: `static constexpr auto fields`, a tuple of Field.
template <class Options>
struct Described;

template <class Options, class Body>
constexpr void for_each_field(Body&& body) {
  std::apply([&](const auto&... fields) { (body(fields), ...); }, Described<Options>::fields);
}

/// What the number of that name may be.
template <class Options>
constexpr Limits limits_of(std::string_view name) {
  Limits found;
  for_each_field<Options>([&](const auto& one) {
    if (one.name == name) found = one.limits;
  });
  return found;
}

// ---- enumerations

template <class E>
struct Named {
  E value;
  std::string_view name;
};

inline constexpr Named<BorderMode> border_names[] = {{BorderMode::replicate, "replicate"},
                                                     {BorderMode::reflect, "reflect"},
                                                     {BorderMode::reflect101, "reflect101"},
                                                     {BorderMode::constant, "constant"},
                                                     {BorderMode::wrap, "wrap"},
                                                     {BorderMode::ignore, "ignore"}};
constexpr std::span<const Named<BorderMode>> names_of(BorderMode) { return border_names; }

/// An enumeration whose values have names.
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E e) { names_of(e); };

/// The value's name; "?" for one that has none.
template <NamedEnum E>
constexpr std::string_view name_in(E value) {
  for (const auto& named : names_of(value))
    if (named.value == value) return named.name;
  return "?";
}
/// The value of that name, if there is one.
template <NamedEnum E>
constexpr std::optional<E> value_named(std::string_view name) {
  for (const auto& named : names_of(E{}))
    if (named.name == name) return named.value;
  return std::nullopt;
}
/// "l1 or l2"; "a, b or c".
std::string either_of(std::span<const std::string_view> words);
template <NamedEnum E>
std::string either_name_of() {
  std::string_view names[16];
  size_t count = 0;
  for (const auto& named : names_of(E{})) names[count++] = named.name;
  return either_of({names, count});
}

/// An operation's border.
template <auto Member>
constexpr auto border_field() {
  return field<Member>("border", any(), "select what is read outside the picture");
}

// ---- what a value must be: empty where it is that, else as it follows "it must be"

/// "odd, 1 to 255", "3, 5 or 7"; empty where one end is open.
std::string allowed(const Limits& limits);
std::string wrong_number(double value, const Limits& limits);
template <class T>
  requires std::integral<T> || std::floating_point<T>
std::string wrong(T value, const Limits& l) {
  if constexpr (std::same_as<T, bool>)
    return {};
  else
    return wrong_number(double(value), l);
}
template <NamedEnum E>
std::string wrong(E value, const Limits&) {
  return name_in(value) == "?" ? either_name_of<E>() : std::string();
}
std::string wrong(const Border& value, const Limits&);
std::string wrong(const std::optional<Border>& value, const Limits& limits);
/// Of an option without a value the default, which Limits::own puts into words, is used.
inline std::string wrong(const std::optional<double>& value, const Limits& limits) {
  return value ? wrong_number(*value, limits) : std::string();
}

// ---- a value as text, as the command takes it

template <class T>
  requires std::integral<T> || std::floating_point<T>
std::string text_of(T value) {
  return fmt::format("{}", value);
}
template <NamedEnum E>
std::string text_of(E value) {
  return std::string(name_in(value));
}
std::string text_of(const Border& value);
std::string text_of(const std::optional<Border>& value);
inline std::string text_of(const std::optional<double>& value) {
  return value ? text_of(*value) : std::string("auto");
}

/// The default as it follows "by default"; empty for bools, which are off.
template <class Options, class T>
std::string default_text(const Field<Options, T>& one, const Options& defaults) {
  const T& value = one.get(defaults);
  if constexpr (std::integral<T> || std::floating_point<T>) {
    if (value == T(0) && !one.limits.own.empty()) return std::string(one.limits.own);
  }
  if constexpr (std::same_as<T, std::optional<double>>)
    if (!value) return std::string(one.limits.own);
  if constexpr (std::same_as<T, bool>)
    return {};
  else
    return text_of(value);
}

// ---- options as a key: equal keys, equal options

namespace detail {
// Convert to any class type, or to any number or enumeration: initialisers to count members with.
struct AnyClass {
  template <class T>
    requires std::is_class_v<T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};
struct AnyNumber {
  template <class T>
    requires(!std::is_class_v<T>)
  operator T() const;  // NOLINT(google-explicit-constructor)
};
template <class Struct, class... Members>
constexpr size_t member_count() {
  if constexpr (requires { Struct{Members{}..., AnyClass{}}; })
    return member_count<Struct, Members..., AnyClass>();
  else if constexpr (requires { Struct{Members{}..., AnyNumber{}}; })
    return member_count<Struct, Members..., AnyNumber>();
  else
    return sizeof...(Members);
}
}  // namespace detail

/// Whether the description of Options names all of its members but `others`, which are no options
/// (a mask). A member that is added without a description makes it false.
template <class Options>
constexpr bool describes_all(size_t others = 0) {
  return std::tuple_size_v<std::remove_cvref_t<decltype(Described<Options>::fields)>> + others ==
         detail::member_count<Options>();
}

/// A value in full, numbers in hexadecimal: texts are equal only where values are.
std::string exact_text(double value);
std::string exact_text(const Border& value);
template <class T>
  requires std::integral<T> || NamedEnum<T>
std::string exact_text(T value) {
  return text_of(value);
}
template <class T>
std::string exact_text(const std::optional<T>& value) {
  return value ? exact_text(*value) : std::string("auto");
}

/// "sigma=0x1.8p+1 ksize=0 ...": every described option. Does not compile for options that the
/// description leaves out.
template <class Options, size_t others = 0>
std::string key_of(const Options& options) {
  static_assert(describes_all<Options>(others), "a member has no description");
  std::string key;
  for_each_field<Options>([&](const auto& one) {
    key += fmt::format("{}{}={}", key.empty() ? "" : " ", one.name, exact_text(one.get(options)));
  });
  return key;
}

/// Throws Error{invalid_argument} for the first option that is not what it may be:
/// "canny: aperture is 4; it must be 3, 5 or 7".
template <class Options>
void check_options(const Options& options, std::string_view what) {
  for_each_field<Options>([&](const auto& one) {
    const auto& value = one.get(options);
    if (const std::string must_be = wrong(value, one.limits); !must_be.empty()) {
      const std::string text = text_of(value);
      throw_invalid(text, "{}: {} is {}; it must be {}", what, one.name, text, must_be);
    }
  });
}

}  // namespace cuesta
