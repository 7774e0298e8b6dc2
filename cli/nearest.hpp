// What was meant by a word that nothing is called.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/options.hpp"

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace cuesta::cli {

/// How many letters to change, leave out, put in or swap with their neighbour (optimal string
/// alignment) make `a` of `b`.
size_t letters_apart(std::string_view a, std::string_view b);

/// The candidate that `word` is a slip of: as much as a third of its letters apart, or one that it
/// begins or is a part of; the first of the nearest. Empty where there is none.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// "; did you mean --method?", or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);
/// The same of the values of an enumeration.
template <NamedEnum E>
std::string did_you_mean_one_of(std::string_view word) {
  std::vector<std::string> names;
  for (const auto& one : names_of(E{})) names.emplace_back(one.name);
  return did_you_mean(word, names);
}
/// The file beside a missing one that was meant: "; did you mean photo.jpg?", or nothing.
std::string did_you_mean_file(const std::string& missing);

/// The names that an option takes, for its check.
CLI::Validator one_of_names(std::vector<std::string> names);
/// Names that an option's own parser checks, so that completion knows them.
CLI::Validator known_names(const std::vector<std::string>& names);
/// The names that either of them holds, of an option's type as CLI11 prints it ("NAME:{a,b}").
std::vector<std::string> names_in_type(std::string_view type);

/// Names of the options and verbs of an app, as they are typed.
std::vector<std::string> option_names(const CLI::App& app);
std::vector<std::string> verb_names(const CLI::App& app);

/// What is wrong with a command line that CLI11 refused with `complaint`, in our words: the verb,
/// option or value by name, and what may have been meant.
std::string words_for(const CLI::App& root, std::span<const std::string> arguments,
                      std::string_view complaint);

}  // namespace cuesta::cli
