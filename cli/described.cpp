#include "cli/described.hpp"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

namespace cuesta::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  const std::vector<std::string_view> views(words.begin(), words.end());
  return either_of(views);
}

// A sentence behind a colon: its first word in lower case, names excepted.
std::string as_clause(std::string text) {
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const bool is_word = text.size() > 1 && (is_lower(text[1]) || text[1] == ' ');
  if (is_word && text[0] >= 'A' && text[0] <= 'Z') text[0] = char(text[0] - 'A' + 'a');
  return text;
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

// "summary; forms (default X). Details."; details by owner where they differ, and a default where
// all owners have one. defaults_table() has the others.
std::string DescribedOptions::help(const Entry& option) const {
  const Meaning& first = option.meanings.front();
  const auto parted = [](const Meaning& m) {
    const size_t end = m.words.find(". ");
    return end == m.words.npos ? std::pair(m.words, std::string())
                               : std::pair(m.words.substr(0, end), m.words.substr(end + 2));
  };
  const auto all = [&](auto text) {
    return std::ranges::all_of(option.meanings,
                               [&](const Meaning& m) { return text(m) == text(first); });
  };
  std::vector<std::string> owners;
  for (const Meaning& m : option.meanings) owners.push_back(m.owner);
  std::string text = owners.size() == owners_.size() ? std::string()
                                                     : fmt::format("{}: ", fmt::join(owners, ", "));
  text += parted(first).first;
  if (!first.forms.empty()) text += "; " + first.forms;
  if (all([](const Meaning& m) { return m.usual; })) {
    if (!first.usual.empty()) text += fmt::format(" (default {})", first.usual);
  } else if (!has_table()) {
    std::string defaults;
    for (const Meaning& m : option.meanings)
      defaults += defaults.empty() ? m.usual : fmt::format("; {}: {}", m.owner, m.usual);
    text += fmt::format(" (default {})", defaults);
  }
  if (all([&](const Meaning& m) { return parted(m).second; })) {
    if (!parted(first).second.empty()) text += ". " + parted(first).second;
    return text;
  }
  for (const Meaning& m : option.meanings)
    if (!parted(m).second.empty())
      text += fmt::format(". {}: {}", m.owner, as_clause(parted(m).second));
  return text;
}

std::string DescribedOptions::defaults_table(
    const std::vector<std::pair<std::string, std::map<std::string, std::string>>>& more) const {
  auto rows = more;
  for (const Entry& option : options_) {
    std::map<std::string, std::string> cells;
    for (const Meaning& m : option.meanings) cells[m.owner] = m.usual;
    if (option.meanings.size() > 1) rows.emplace_back(option.flag, cells);
  }
  std::vector<std::string> owners = owners_;
  for (const auto& [flag, cells] : more) {
    for (const auto& cell : cells)
      if (std::ranges::find(owners, cell.first) == owners.end()) owners.push_back(cell.first);
  }
  std::string out;
  for (const std::string& owner : owners) {
    std::vector<std::string> usual;
    for (const auto& [flag, cells] : rows) {
      const auto found = cells.find(owner);
      if (found != cells.end() && !found->second.empty())
        usual.push_back(fmt::format("{} {}", flag, found->second));
    }
    out += fmt::format("{}  {:<10}  {}", out.empty() ? "" : "\n", owner, fmt::join(usual, "; "));
  }
  return out;
}

const DescribedOptions::Entry* DescribedOptions::given(std::string_view name) const {
  const auto found = std::ranges::find(options_, name, &Entry::name);
  return found != options_.end() && found->option->count() > 0 ? &*found : nullptr;
}

std::string DescribedOptions::in_frames(std::string_view flag, const std::string& text,
                                        double frame_rate) {
  if (!text.ends_with('s')) return text;
  double seconds = 0;
  const char* const unit = text.data() + text.size() - 1;
  const auto [end, error] = std::from_chars(text.data(), unit, seconds);
  constexpr double most = 1e15;  // frames; limits of the option are below it
  if (error != std::errc() || end != unit || !(seconds > 0 && seconds * frame_rate < most)) {
    usage_error(text, "{} is {}; it must be a number of frames, or seconds above 0 as 90s", flag,
                text);
  }
  return std::to_string(std::max(std::llround(seconds * frame_rate), 1LL));
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
