#include "cli/described.hpp"

#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>

namespace cuesta::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  const std::vector<std::string_view> views(words.begin(), words.end());
  return either_of(views);
}

}  // namespace

void DescribedOptions::add_option(CLI::App& app, std::string_view name,
                                  std::string_view placeholder, Meaning meaning) {
  auto found = std::ranges::find(options_, name, &Entry::name);
  if (found == options_.end()) {
    Entry& made = options_.emplace_back();
    made.name = name;
    made.flag = "--" + made.name;
    std::ranges::replace(made.flag, '_', '-');
    made.option = placeholder.empty()
                      ? app.add_flag(made.flag)
                      : app.add_option(made.flag, made.text)->type_name(std::string(placeholder));
    found = options_.end() - 1;
  }
  found->meanings.push_back(std::move(meaning));
}

void DescribedOptions::add_names(std::string_view name, const std::vector<std::string>& names) {
  CLI::Option& option = *std::ranges::find(options_, name, &Entry::name)->option;
  if (names_in_type(option.get_type_name()).empty()) option.check(known_names(names));
}

void DescribedOptions::describe_options() {
  for (Entry& option : options_) option.option->description(help(option));
}

// "words; forms (default X)"; by owner where they differ.
std::string DescribedOptions::help(const Entry& option) const {
  const Meaning& first = option.meanings.front();
  const auto said = [](const Meaning& m) {
    return m.forms.empty() ? m.words : m.words + "; " + m.forms;
  };
  const auto usual = [](const Meaning& m) {
    return m.usual.empty() ? std::string() : fmt::format(" (default {})", m.usual);
  };
  const auto all = [&](auto text) {
    return std::ranges::all_of(option.meanings,
                               [&](const Meaning& m) { return text(m) == text(first); });
  };
  std::vector<std::string> owners;
  for (const Meaning& m : option.meanings) owners.push_back(m.owner);
  if (all(said)) {
    const bool every = owners.size() == owners_.size();
    const std::string text =
        (every ? "" : fmt::format("{}: ", fmt::join(owners, ", "))) + said(first);
    if (all(usual)) return text + usual(first);
    std::string defaults;
    for (const Meaning& m : option.meanings)
      defaults += fmt::format("{}{} {}", defaults.empty() ? "" : ", ", m.owner, m.usual);
    return fmt::format("{} (default: {})", text, defaults);
  }
  std::string text;
  for (const Meaning& m : option.meanings)
    text += fmt::format("{}{}: {}{}", text.empty() ? "" : "; ", m.owner, said(m), usual(m));
  return text;
}

const DescribedOptions::Entry* DescribedOptions::given(std::string_view name) const {
  const auto found = std::ranges::find(options_, name, &Entry::name);
  return found != options_.end() && found->option->count() > 0 ? &*found : nullptr;
}

void DescribedOptions::refuse_others(std::string_view owner) const {
  for (const Entry& option : options_) {
    if (option.option->count() == 0) continue;
    std::vector<std::string> owners;
    for (const Meaning& m : option.meanings) owners.push_back(m.owner);
    if (std::ranges::find(owners, owner) != owners.end()) continue;
    usage_error(option.text, "{}{}{} requires {}{}{}", option.flag, option.text.empty() ? "" : " ",
                option.text, selector_, selector_.empty() ? "" : " ", joined(owners));
  }
}

void DescribedOptions::refuse_all(std::string_view what) const {
  for (const Entry& option : options_) {
    if (option.option->count() > 0)
      usage_error(option.text, "{} is {}; it requires {}", option.flag, option.text, what);
  }
}

}  // namespace cuesta::cli
