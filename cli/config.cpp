#include "cli/config.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <set>
#include <sstream>

#include "cli/common.hpp"
#include "cli/nearest.hpp"
#include "cuesta/io/address.hpp"
#include "cuesta/io/record_file.hpp"
#include "io/text_file.hpp"

namespace cuesta::cli {
namespace {

const std::string config_option = "--config";

// The value of an option among arguments, in either of its forms.
std::optional<std::string> value_of(const std::vector<std::string>& arguments,
                                    const std::string& option) {
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    if (arguments[i] == option && i + 1 < arguments.size()) return arguments[i + 1];
    if (arguments[i].starts_with(option + "=")) return arguments[i].substr(option.size() + 1);
  }
  return std::nullopt;
}

bool gives(const std::vector<std::string>& arguments, const CLI::Option& option) {
  return std::ranges::any_of(arguments, [&](const std::string& word) {
    const auto is_long = [&](const std::string& name) {
      return word == "--" + name || word.starts_with("--" + name + "=");
    };
    const auto is_short = [&](const std::string& name) { return word.starts_with("-" + name); };
    return std::ranges::any_of(option.get_lnames(), is_long) ||
           (!word.starts_with("--") && std::ranges::any_of(option.get_snames(), is_short));
  });
}

std::string in_quotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// Inputs, results and these two themselves are of one run, not of its settings.
bool is_setting(const CLI::Option& option) {
  static const std::set<std::string> others = {"help", "output", "config", "save-config",
                                               "allow-hooks"};
  return !option.get_lnames().empty() && !others.contains(option.get_lnames()[0]);
}

}  // namespace

void add_config(const CLI::App& root, std::vector<std::string>& arguments) {
  const auto path = value_of(arguments, config_option);
  const auto verbs = verb_names(root);
  const auto found = std::ranges::find_first_of(arguments, verbs);
  if (!path || found == arguments.end()) return;
  const CLI::App& verb = *root.get_subcommand(*found);

  std::istringstream file;
  try {
    file.str(io::text_of_file(*path));
  } catch (const Error& error) {
    throw Error(ErrorCode::input, fmt::format("{} {}", config_option, error.what()), *path);
  }
  std::vector<CLI::ConfigItem> items;
  try {
    items = CLI::ConfigTOML().from_config(file);
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorCode::input, fmt::format("{} {}: {}", config_option, *path, error.what()),
                *path);
  }
  std::vector<std::string> more;
  for (const auto& item : items) {
    if (item.name == "++" || item.name == "--") continue;  // where tables begin and end
    if (item.parents.empty())
      usage_error(item.name,
                  "{} {}: {} is outside of a table; begin one with the verb's name, as in [edges]",
                  config_option, *path, item.name);
    if (std::ranges::find(verbs_with_tables, item.parents[0]) == std::end(verbs_with_tables))
      usage_error(item.parents[0], "{} {}: there is no verb [{}]{}", config_option, *path,
                  item.parents[0], did_you_mean(item.parents[0], verbs));
    if (item.parents[0] != verb.get_name()) continue;
    const CLI::Option* option = find_option(verb, "--" + item.name);
    if (item.name == "allow-hooks")
      usage_error(item.name, "{} {}: allow-hooks is for the command line alone", config_option,
                  *path);
    if (!option || !is_setting(*option)) {
      std::string best = nearest("--" + item.name, option_names(verb));
      if (!best.empty()) best = fmt::format("; did you mean {}?", best.substr(2));
      usage_error(item.name, "{} {}: cuesta {} has no option {}{}", config_option, *path,
                  verb.get_name(), item.name, best);
    }
    if (gives(arguments, *option)) continue;
    const CLI::Option* allow = find_option(verb, "--allow-hooks");
    if (starts_programs(item.name) && !(allow && gives(arguments, *allow)))
      usage_error(item.name, "{} {}: {} starts a program; {}", config_option, *path, item.name,
                  allow_hooks_first);
    const bool is_flag = option->get_items_expected_max() == 0;
    for (const auto& value : item.inputs) {
      if (!is_flag) more.push_back(fmt::format("--{}={}", item.name, value));
      if (is_flag && value == "true") more.push_back("--" + item.name);
    }
  }
  // Behind the verb, before words that a "--" would make inputs.
  arguments.insert(std::ranges::find(arguments, verb.get_name()) + 1, more.begin(), more.end());
}

bool starts_programs(const std::string& name) { return name == "on-event"; }

const CLI::Option* find_option(const CLI::App& app, const std::string& name) {
  const auto options = app.get_options();
  const auto found =
      std::ranges::find_if(options, [&](const auto* one) { return one->check_name(name); });
  return found == options.end() ? nullptr : *found;
}

void save_config(const CLI::App& verb) {
  const CLI::Option* where = find_option(verb, "--save-config");
  if (!where || where->count() == 0) return;
  std::string text = fmt::format("[{}]\n", verb.get_name());
  bool is_secret = false;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->count() == 0 || !is_setting(*option)) continue;
    const bool is_flag = option->get_items_expected_max() == 0;
    std::string value;
    for (const auto& one : option->results()) {
      value += (value.empty() ? "" : ", ") + in_quotes(one);
      is_secret |= io::without_passwords(one) != one;
    }
    if (option->results().size() > 1) value = fmt::format("[{}]", value);
    text += fmt::format("{} = {}\n", option->get_lnames()[0], is_flag ? "true" : value);
  }
  io::RecordFile file(where->results().back(),
                      is_secret ? io::Placing::private_when_whole : io::Placing::when_whole);
  file.write(text);
  file.finish();
}

}  // namespace cuesta::cli
