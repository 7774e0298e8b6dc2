#include "cli/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <numeric>

#include "cli/complaints.hpp"
#include "cuesta/io/address.hpp"
#include "io/folder.hpp"

namespace cuesta::cli {

size_t letters_apart(std::string_view a, std::string_view b) {
  std::vector<size_t> before2(b.size() + 1), before(b.size() + 1), now(b.size() + 1);
  std::iota(before.begin(), before.end(), size_t(0));
  for (size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t other = a[i - 1] != b[j - 1];
      now[j] = std::min({before[j] + 1, now[j - 1] + 1, before[j - 1] + other});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before2[j - 2] + 1);
    }
    std::swap(before2, before);
    std::swap(before, now);
  }
  return before[b.size()];
}

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  std::string best;
  size_t least = std::max<size_t>(1, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    const size_t apart = letters_apart(word, candidate);
    if (apart < least) least = apart, best = candidate;
  }
  if (!best.empty() || word.size() < 3) return best;
  for (const auto& candidate : candidates)
    if (candidate.find(word) != std::string::npos) return candidate;
  return {};
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::string best = nearest(word, candidates);
  return best.empty() ? best : fmt::format("; did you mean {}?", best);
}

std::string did_you_mean_file(const std::string& missing) {
  namespace fs = std::filesystem;
  const fs::path path(missing);
  const std::string name = path.filename().string();
  std::error_code error;
  if (missing.empty() || name.size() < 3 || io::is_address(missing) || fs::exists(path, error))
    return {};
  const fs::path folder = path.parent_path();
  constexpr size_t enough = 10000;  // a folder of millions is not read for a hint
  const std::string best = nearest(name, io::names_in(folder, error, enough));
  return best.empty() ? best : fmt::format("; did you mean {}?", (folder / best).string());
}

CLI::Validator known_names(const std::vector<std::string>& names) {
  return CLI::Validator([](std::string&) { return std::string(); },
                        fmt::format("{{{}}}", fmt::join(names, ",")));
}

CLI::Validator one_of_names(std::vector<std::string> names) {
  const std::string list = fmt::format("{{{}}}", fmt::join(names, ","));
  return CLI::Validator(
      [names = std::move(names)](std::string& value) {
        if (std::ranges::find(names, value) != names.end()) return std::string();
        const std::vector<std::string_view> views(names.begin(), names.end());
        return fmt::format("{}: it must be {}{}", value, either_of(views),
                           did_you_mean(value, names));
      },
      list);
}

std::vector<std::string> names_in_type(std::string_view type) {
  std::vector<std::string> names;
  const size_t begin = type.find('{'), end = type.find('}');
  if (begin == type.npos || end == type.npos) return names;
  for (std::string_view rest = type.substr(begin + 1, end - begin - 1);;) {
    const size_t comma = rest.find(',');
    names.emplace_back(rest.substr(0, comma));
    if (comma == rest.npos) return names;
    rest.remove_prefix(comma + 1);
  }
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    for (const auto& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb :
       app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); }))
    names.push_back(verb->get_name());
  return names;
}

std::string words_for(const CLI::App& root, std::span<const std::string> arguments,
                      std::string_view complaint) {
  const CLI::App* verb = nullptr;
  const auto verbs = verb_names(root);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--") break;
    if (word.size() < 2 || word[0] != '-') {
      if (verb) continue;
      if (std::ranges::find(verbs, word) == verbs.end())
        return fmt::format("{}: no verb has this name; there are {}{}", word,
                           fmt::join(verbs, ", "), did_you_mean(word, verbs));
      verb = root.get_subcommand(word);
      continue;
    }
    if (!word.starts_with("--")) continue;
    const std::string name = word.substr(0, word.find('='));
    auto names = option_names(verb ? *verb : root);
    if (std::ranges::find(names, name) == names.end()) {
      return fmt::format("{}: {}{} has no such option{}", name, "cuesta",
                         verb ? " " + verb->get_name() : "", did_you_mean(name, names));
    }
  }
  return in_our_form(std::string(complaint), verb ? "cuesta " + verb->get_name() : "cuesta");
}

}  // namespace cuesta::cli
