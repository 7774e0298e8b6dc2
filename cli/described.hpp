// Options of the command from the descriptions of options structs (src/core/options.hpp):
// --min-area for min_area, its help, its default, and the error for what it cannot be.
#pragma once

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/common.hpp"
#include "cli/nearest.hpp"
#include "cli/options.hpp"
#include "core/options.hpp"

namespace CLI {
class Option;
}

namespace cuesta::cli {

/// What one type looks like on the command line: its placeholder in the help, what the help adds to
/// the words of an option, and its parser, which throws as those of cli/options.hpp do.
template <class T>
struct OnCommandLine {
  static_assert(std::integral<T> || std::floating_point<T>);
  static constexpr std::string_view placeholder = std::integral<T> ? "N" : "X";
  static std::string forms(const Limits& limits) { return allowed(limits); }
  static T parse(std::string_view flag, std::string_view text) {
    if constexpr (std::integral<T>) {
      const int64_t value = parse_whole_number(flag, text);
      if (!std::in_range<T>(value))
        usage_error(std::string(text), "{} is {}; it is too large", flag, text);
      return T(value);
    } else {
      return parse_number(flag, text);
    }
  }
};
/// A number with a default that depends on other options or on the picture: auto.
template <>
struct OnCommandLine<std::optional<double>> {
  static constexpr std::string_view placeholder = "X";
  static std::string forms(const Limits& limits) { return allowed(limits); }
  static std::optional<double> parse(std::string_view flag, std::string_view text) {
    if (text == "auto") return {};
    return parse_number(flag, text);
  }
};
template <>
struct OnCommandLine<bool> {
  static constexpr std::string_view placeholder{};
  static std::string forms(const Limits&) { return {}; }
  static bool parse(std::string_view, std::string_view) { return true; }  // a flag
};
template <NamedEnum E>
struct OnCommandLine<E> {
  static constexpr std::string_view placeholder = "NAME";
  static std::string forms(const Limits&) { return either_name_of<E>(); }
  static E parse(std::string_view flag, std::string_view text) {
    if (const auto value = value_named<E>(text)) return *value;
    usage_error(std::string(text), "{} is {}; it must be {}{}", flag, text, either_name_of<E>(),
                did_you_mean_one_of<E>(text));
  }
};
template <>
struct OnCommandLine<Border> {
  static constexpr std::string_view placeholder = "MODE";
  static std::string forms(const Limits&) {
    return "replicate, symmetric, reflect101, constant[:V], wrap or ignore";
  }
  static Border parse(std::string_view flag, std::string_view text) {
    return parse_border(flag, text);
  }
};
template <>
struct OnCommandLine<StructuringElement> {
  static constexpr std::string_view placeholder = "SHAPE";
  static std::string forms(const Limits&) { return "disk:N, ellipse:N, rect:WxH, cross:N or none"; }
  static StructuringElement parse(std::string_view flag, std::string_view text) {
    return parse_element(flag, text);
  }
};
template <>
struct OnCommandLine<DifferenceThreshold> {
  static constexpr std::string_view placeholder = "T";
  static std::string forms(const Limits&) { return "T, auto or auto:T"; }
  /// auto alone is never below `usual`.
  static DifferenceThreshold parse(std::string_view flag, std::string_view text,
                                   const DifferenceThreshold& usual) {
    return parse_difference(flag, text, usual);
  }
};

/// How a value is chosen: what a person is shown instead of a text.
enum class ControlKind : uint8_t {
  number,
  whole,
  toggle,
  choice,
  border,
  element,
  difference,
  text
};
template <class T>
constexpr ControlKind control_of() {
  if constexpr (std::same_as<T, Border>)
    return ControlKind::border;
  else if constexpr (std::same_as<T, StructuringElement>)
    return ControlKind::element;
  else if constexpr (std::same_as<T, DifferenceThreshold>)
    return ControlKind::difference;
  else if constexpr (std::same_as<T, bool>)
    return ControlKind::toggle;
  else if constexpr (std::integral<T>)
    return ControlKind::whole;
  else if constexpr (std::floating_point<T> || std::same_as<T, std::optional<double>>)
    return ControlKind::number;
  else if constexpr (NamedEnum<T>)
    return ControlKind::choice;
  else
    return ControlKind::text;
}

class DescribedOptions {
 public:
  /// What an option is for one of its owners.
  struct Meaning {
    std::string owner, words, forms;
    std::string usual;  ///< the default in words; empty for flags
    std::string value;  ///< the default as it is typed
    ControlKind kind = ControlKind::text;
    Limits limits{};
    std::vector<std::string> choices{};
  };
  struct Entry {
    std::string name, flag, text;
    std::vector<Meaning> meanings;
    CLI::Option* option = nullptr;
  };

  /// `selector` is the option whose values own the others ("--method"), for messages; empty where
  /// the verb has one struct.
  explicit DescribedOptions(std::string selector = {}) : selector_(std::move(selector)) {}

  /// Adds an option for each field of Options but `except`, and but canny's pair of thresholds,
  /// which takes more than one. `defaults` are the command's. Structs of several owners may have
  /// fields of one name; they share the option. One owner may have several structs.
  template <class Options>
  void add(CLI::App& app, std::string_view owner = {},
           std::initializer_list<std::string_view> except = {}, const Options& defaults = {}) {
    if (std::ranges::find(owners_, owner) == owners_.end()) owners_.emplace_back(owner);
    for_each_field<Options>([&]<class T>(const Field<Options, T>& one) {
      if constexpr (!std::same_as<T, Thresholds>) {
        if (std::ranges::find(except, one.name) != except.end()) return;
        add_option(app, one.name, OnCommandLine<T>::placeholder,
                   {std::string(owner), std::string(one.words),
                    one.limits.frames ? std::string("frames, or seconds as 90s")
                                      : OnCommandLine<T>::forms(one.limits),
                    default_text(one, defaults), text_of(one.get(defaults)), control_of<T>(),
                    one.limits, choices_of<T>()});
        if constexpr (NamedEnum<T>) add_names(one.name, choices_of<T>());
      }
    });
    // An option that all had so far may be one that this owner lacks.
    describe_options();
  }
  /// Sets the fields whose options were given. Throws Error{invalid_argument} naming the option,
  /// the value and what it must be. Numbers of frames may be times, at this number of frames a
  /// second.
  template <class Options>
  void read(Options& options, double frame_rate = 25) const {
    for_each_field<Options>([&]<class T>(const Field<Options, T>& one) {
      if constexpr (!std::same_as<T, Thresholds>) {
        if (const Entry* option = given(one.name)) {
          const std::string text =
              one.limits.frames ? in_frames(option->flag, option->text, frame_rate) : option->text;
          one.at(options) = parsed<T>(option->flag, text, one.limits, one.get(options));
        }
      }
    });
  }
  /// One value that an option of another name gives, in place of `usual`.
  template <class T>
  static T parsed(std::string_view flag, std::string_view text, const Limits& limits,
                  const T& usual = {}) {
    T value = [&] {
      if constexpr (requires { OnCommandLine<T>::parse(flag, text, usual); })
        return OnCommandLine<T>::parse(flag, text, usual);
      else
        return OnCommandLine<T>::parse(flag, text);
    }();
    if (const std::string must_be = wrong(value, limits); !must_be.empty())
      usage_error(std::string(text), "{} is {}; it must be {}", flag, text, must_be);
    return value;
  }
  /// Throws Error{invalid_argument} for an option that was given and is not `owner`'s.
  void refuse_others(std::string_view owner) const;
  /// Throws the same for any that was given: all go with `what`, which was not.
  void refuse_all(std::string_view what) const;
  /// The defaults of the options that several owners share: a line for each owner, whose second
  /// column has them. `more` are other options.
  std::string defaults_table(
      const std::vector<std::pair<std::string, std::map<std::string, std::string>>>& more) const;
  /// "90s" as frames at this number of frames a second, at least 1; other texts as they are.
  static std::string in_frames(std::string_view flag, const std::string& text, double frame_rate);
  /// All of them, in the order in which they were added.
  const std::deque<Entry>& entries() const { return options_; }

 private:
  void add_option(CLI::App& app, std::string_view name, std::string_view placeholder,
                  Meaning meaning);
  template <class T>
  static std::vector<std::string> choices_of() {
    std::vector<std::string> names;
    if constexpr (NamedEnum<T>)
      for (const auto& one : names_of(T{})) names.emplace_back(one.name);
    return names;
  }
  /// Completion knows the names that the parser takes.
  void add_names(std::string_view name, const std::vector<std::string>& names);
  void describe_options();
  std::string help(const Entry& option) const;
  // Defaults of two owners are part of the description; those of more are in a table.
  bool has_table() const { return owners_.size() > 2; }
  const Entry* given(std::string_view name) const;

  std::string selector_;
  std::vector<std::string> owners_;
  std::deque<Entry> options_;  // CLI11 keeps references to the texts
};

}  // namespace cuesta::cli
