#include "apps/tune/controls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/nearest.hpp"
#include "cuesta/recipes/edges.hpp"
#include "cuesta/smoothing.hpp"

namespace cuesta::cli::tune {
namespace {

const char* name_of(ControlKind kind) {
  switch (kind) {
    case ControlKind::number: return "number";
    case ControlKind::whole: return "whole";
    case ControlKind::toggle: return "toggle";
    case ControlKind::choice: return "choice";
    case ControlKind::border: return "border";
    case ControlKind::element: return "element";
    case ControlKind::difference: return "difference";
    case ControlKind::text: return "text";
  }
  return "text";
}

Json control_of(const DescribedOptions::Meaning& meaning) {
  Json out = {{"kind", name_of(meaning.kind)},
              {"words", meaning.words},
              {"forms", meaning.forms},
              {"value", meaning.value},
              {"usual", meaning.usual}};
  const Limits& limits = meaning.limits;
  if (std::isfinite(limits.low)) out["low"] = limits.low;
  if (std::isfinite(limits.high)) out["high"] = limits.high;
  if (limits.odd) out["odd"] = true;
  if (!limits.own.empty()) out["own"] = limits.own;
  Json choices = Json::array();
  for (const std::string& one : meaning.choices) choices.push_back(one);
  for (int i = 0; i < limits.choice_count; ++i)
    choices.push_back(std::to_string(limits.choices[size_t(i)]));
  if (!choices.empty()) out["choices"] = choices;
  return out;
}

std::string flag_of(std::string name) {
  std::ranges::replace(name, '_', '-');
  return "--" + name;
}

// Options without a control: their numbers exceed the levels that the page draws.
bool has_control(std::string_view name) { return name != "strength" && name != "labels"; }

}  // namespace

Json controls_of(const DescribedOptions& described) {
  Json all = Json::array();
  for (const auto& entry : described.entries()) {
    if (!has_control(entry.name)) continue;
    Json by = Json::object();
    for (const auto& meaning : entry.meanings) by[meaning.owner] = control_of(meaning);
    all.push_back({{"name", entry.name}, {"flag", entry.flag}, {"by", by}});
  }
  return all;
}

std::vector<std::string> names_in(const DescribedOptions& described) {
  std::vector<std::string> names;
  for (const auto& entry : described.entries())
    if (has_control(entry.name)) names.push_back(entry.name);
  return names;
}

std::vector<std::string> words_of(const Json& values, const std::vector<std::string>& names) {
  std::vector<std::string> words;
  if (!values.is_object()) usage_error("", "tune: values must be an object");
  for (const auto& [name, value] : values.items()) {
    if (std::ranges::find(names, name) == names.end())
      usage_error(name, "tune: there is no control {}{}", name, did_you_mean(name, names));
    const bool is_on = value.is_boolean() && value.get<bool>();
    if (!is_on && !value.is_string())
      usage_error(value.dump(), "tune: {} is {}; it must be text or true", name, value.dump());
    words.push_back(flag_of(name));
    if (is_on) continue;
    const auto text = value.get<std::string>();
    // As one word where it could be taken for an option.
    if (text.starts_with('-') || text.empty())
      words.back() += "=" + text;
    else
      words.push_back(text);
  }
  return words;
}

std::string in_shell(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ' ';
    const bool is_plain = !word.empty() && word.find_first_not_of(
                                               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX"
                                               "YZ0123456789-_./,:=+%@") == std::string::npos;
    if (is_plain) {
      out += word;
      continue;
    }
    out += '\'';
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    out += '\'';
  }
  return out;
}

namespace {

// Those beside the described ones that the page has controls for.
const std::vector<std::string> edges_own = {"method", "threshold", "low", "high",
                                            "region", "page",      "band"};

std::vector<std::string> edges_names() {
  const Asked<EdgesArguments> plain("edges", add_edges_options, {});
  std::vector<std::string> names = names_in(plain->described);
  names.insert(names.end(), edges_own.begin(), edges_own.end());
  const auto tracing = names_in(plain->tracing);
  names.insert(names.end(), tracing.begin(), tracing.end());
  return names;
}

std::vector<std::string> edges_words(Json values, const std::string& file) {
  const auto found = values.find("lines");
  const bool lines = found != values.end();
  if (lines && *found != Json(true))
    usage_error(found->dump(), "tune: lines is {}; it must be true", found->dump());
  if (lines) values.erase("lines");
  static const std::vector<std::string> names = edges_names();
  auto words = words_of(values, names);
  if (lines) words.insert(words.begin(), {"--lines", file});
  return words;
}

// What LoG takes by default in each of its modes, of the fields in which they differ, as typed.
std::map<std::string, std::map<std::string, std::string>> log_defaults_by_mode() {
  std::map<std::string, std::map<std::string, std::string>> all;
  for (const auto& mode : log_mode_names) {
    const Asked<EdgesArguments> asked("edges", add_edges_options,
                                      {"--method", "log", "--mode", std::string(mode.name)});
    const LogOptions options = recipes::EdgesRecipe(edges_of(*asked)).log({});
    for_each_field<LogOptions>([&](const auto& one) {
      all[std::string(one.name)][std::string(mode.name)] = text_of(one.get(options));
    });
    all["sigma"][std::string(mode.name)] = text_of(smoothing_of(options).sigma);
  }
  std::erase_if(all, [](const auto& one) {
    const auto& values = one.second;
    return one.first == "mode" || std::ranges::all_of(values, [&](const auto& value) {
             return value.second == values.begin()->second;
           });
  });
  return all;
}

}  // namespace

EdgesAsked::EdgesAsked(const Json& values, const std::string& lines)
    : Asked("edges", add_edges_options, edges_words(values, lines)) {}

Json edges_controls() {
  CLI::App root("", "cuesta");
  EdgesArguments options;
  CLI::App* app = root.add_subcommand("edges");
  add_edges_options(*app, options);
  Json all = Json::object();
  for (const char* name : {"method", "threshold", "low", "high", "lines"}) {
    const CLI::Option* option = app->get_option(flag_of(name));
    all[name] = {{"name", name}, {"words", option->get_description()}};
    const auto choices = names_in_type(option->get_type_name());
    if (!choices.empty()) all[name]["choices"] = choices;
  }
  all["method"]["value"] = options.method;
  Json rules = Json::array();
  for (const auto& one : auto_threshold_names) rules.push_back(one.name);
  all["threshold"]["rules"] = rules;
  all["options"] = controls_of(options.described);
  all["tracing"] = controls_of(options.tracing);
  const auto by_mode = log_defaults_by_mode();
  all["threshold"]["boundaries"] = text_of(BoundaryOptions{}.threshold);
  all["threshold"]["regions"] = text_of(RegionEdges{}.threshold);
  all["threshold"]["by_mode"] = by_mode.at("threshold");
  for (Json& option : all["options"]) {
    const auto log = option["by"].find("log");
    const auto known = by_mode.find(option["name"].get<std::string>());
    if (log == option["by"].end() || known == by_mode.end()) continue;
    // Its default is that of the mode, which is shown as a number.
    (*log)["by_mode"] = known->second;
    (*log)["value"] = known->second.at(std::string(name_in(LogEdges{}.mode)));
    log->erase("own");
  }
  return all;
}

}  // namespace cuesta::cli::tune
