#include <string>
#include <string_view>
#include <vector>

#include "core/check.hpp"
#include "core/options.hpp"
#include "cuesta/recipes/edges.hpp"
#include "recipes.hpp"
#include "recipes/descriptions.hpp"

namespace cuesta::python {
namespace {

// The keywords of one method's options; a number for `threshold` is an argument.
template <class Options>
void read_fields(Keywords& keywords, Options& options) {
  for_each_field<Options>([&](const auto& one) {
    if (one.name != "threshold") read(keywords, one.name, one.at(options));
  });
}

template <class Options>
bool has_field(std::string_view name) {
  bool found = false;
  for_each_field<Options>([&](const auto& one) { found |= one.name == name; });
  return found;
}

// The methods that have the option, as 'canny', 'log' or 'sobel'.
std::string owners_of(std::string_view name) {
  std::vector<std::string_view> owners;
  if (has_field<CannyEdges>(name)) owners.push_back("'canny'");
  if (has_field<LogEdges>(name)) owners.push_back("'log'");
  if (has_field<SobelEdges>(name)) owners.push_back("'sobel'");
  if (has_field<BoundaryOptions>(name)) owners.push_back("'boundaries'");
  if (has_field<RegionEdges>(name)) owners.push_back("'regions'");
  return either_of(owners);
}

// An option of other methods may have its default or None; any other value is an error.
template <class Own, class Other>
void refuse_fields(Keywords& keywords, const std::string& method) {
  Other given;
  for_each_field<Other>([&](const auto& one) {
    if (one.name == "threshold" || has_field<Own>(one.name)) return;
    read(keywords, one.name, one.at(given));
    if (exact_text(one.get(given)) == exact_text(one.get(Other{}))) return;
    throw_invalid(text_of(one.get(given)), "{} requires method {}; method is '{}'", one.name,
                  owners_of(one.name), method);
  });
}

template <class Own>
void refuse_others(Keywords& keywords, const std::string& method) {
  refuse_fields<Own, CannyEdges>(keywords, method);
  refuse_fields<Own, LogEdges>(keywords, method);
  refuse_fields<Own, SobelEdges>(keywords, method);
  refuse_fields<Own, BoundaryOptions>(keywords, method);
  refuse_fields<Own, RegionEdges>(keywords, method);
}

Thresholds canny_thresholds(const EdgeLevels& levels) {
  if (levels.given) return Given{levels.given->first, levels.given->second};
  // One number is the high threshold, as in the command.
  if (levels.level) return Given{*levels.level / 2, *levels.level};
  return rule_of(levels.rule.value_or("auto"));
}

void refuse_what_is_cannys(const std::string& method, const EdgeLevels& levels) {
  if (levels.given) {
    throw_invalid(fmt::to_string(levels.given->first),
                  "low and high require method 'canny'; method is '{}'", method);
  }
  if (levels.rule) {
    throw_invalid(*levels.rule, "threshold is '{}'; with method '{}' it must be a number",
                  *levels.rule, method);
  }
}

}  // namespace

EdgesOptions edges_options_from(const std::string& method, const EdgeLevels& levels,
                                Keywords& keywords) {
  EdgesOptions options = recipes::edges_options(method);
  std::visit(
      [&]<class Options>(Options& of) {
        constexpr bool is_canny = std::is_same_v<Options, CannyEdges>;
        if constexpr (!is_canny) refuse_what_is_cannys(method, levels);
        read_fields(keywords, of);
        refuse_others<Options>(keywords, method);
        if constexpr (is_canny)
          of.thresholds = canny_thresholds(levels);
        else if (levels.level)
          of.threshold = *levels.level;
      },
      options);
  return options;
}

}  // namespace cuesta::python
