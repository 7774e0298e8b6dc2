#include "cli/scene_file.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <sstream>
#if defined(CUESTA_HAS_TOML)
#include <toml++/toml.h>
#endif

#include "core/check.hpp"
#include "cuesta/error.hpp"
#include "track/selection.hpp"

namespace cuesta::cli {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void fail(const std::string& where, const std::string& reason) {
  throw Error(ErrorCode::input, where + ": " + reason, where);
}

std::string text_of_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) fail(path, "this is a folder");
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, std::generic_category().message(errno));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// One language for what follows.
#if defined(CUESTA_HAS_TOML)
Json json_of(const toml::node& node, const std::string& path) {
  if (const auto* table = node.as_table()) {
    Json out = Json::object();
    for (const auto& [key, value] : *table) out[std::string(key.str())] = json_of(value, path);
    return out;
  }
  if (const auto* array = node.as_array()) {
    Json out = Json::array();
    for (const auto& value : *array) out.push_back(json_of(value, path));
    return out;
  }
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return whole->get();
  if (const auto* number = node.as_floating_point()) return number->get();
  if (const auto* yes = node.as_boolean()) return yes->get();
  fail(path, fmt::format("line {}: dates and times mean nothing here", node.source().begin.line));
}

Json parsed_toml(const std::string& text, const std::string& path) {
  try {
    return json_of(toml::parse(text), path);
  } catch (const toml::parse_error& error) {
    fail(path, fmt::format("line {}, column {}: {}", error.source().begin.line,
                           error.source().begin.column, error.description()));
  }
}
#else
Json parsed_toml(const std::string&, const std::string& path) {
  throw Error(ErrorCode::unsupported,
              path + ": this build of Cuesta reads no TOML; write the scene as JSON", path);
}
#endif

Json parsed_json(const std::string& text, const std::string& path) {
  // Without `message`'s own prefix, "[json.exception.parse_error.101] parse error at ".
  try {
    return Json::parse(text, [&](int depth, Json::parse_event_t, const Json&) {
      if (depth > 64) fail(path, "lists and tables lie more than 64 deep in each other");
      return true;
    });
  } catch (const Json::parse_error& error) {
    const std::string_view says = error.what();
    const size_t at = says.find("at line");
    fail(path, std::string(at == std::string_view::npos ? says : says.substr(at + 3)));
  }
}

std::string shown(const Json& value) {
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= 80 ? text : text.substr(0, 77) + "...";
}

// A table of the file: its members by name, each asked for once.
class Table {
 public:
  Table(const Json& value, std::string where, std::initializer_list<std::string_view> keys)
      : value_(value), where_(std::move(where)) {
    if (!value.is_object()) fail(where_, fmt::format("{} is no table", shown(value)));
    for (const auto& [key, ignored] : value.items()) {
      if (std::ranges::find(keys, key) != keys.end()) continue;
      fail(where_, fmt::format("there is no key \"{}\"; there are {}", key, fmt::join(keys, ", ")));
    }
  }

  const Json* find(const char* key) const {
    const auto found = value_.find(key);
    return found == value_.end() ? nullptr : &*found;
  }
  std::string place_of(const char* key) const { return where_ + "." + key; }
  [[noreturn]] void refuse(const char* key, const char* wanted) const {
    fail(place_of(key), fmt::format("{} is no {}", shown(*find(key)), wanted));
  }

  std::string text(const char* key) const {
    const Json* found = find(key);
    if (!found) fail(where_, fmt::format("\"{}\" is missing", key));
    if (!found->is_string()) refuse(key, "text");
    return found->get<std::string>();
  }
  std::optional<double> number(const char* key) const {
    const Json* found = find(key);
    if (!found) return std::nullopt;
    if (!found->is_number()) refuse(key, "number");
    return found->get<double>();
  }
  std::optional<int64_t> whole_number(const char* key) const {
    const auto found = number(key);
    if (!found) return std::nullopt;
    if (!(std::abs(*found) < 9e15) || *found != std::floor(*found)) refuse(key, "whole number");
    return int64_t(*found);
  }
  const Json& list(const char* key) const {
    static const Json none = Json::array();
    const Json* found = find(key);
    if (!found) return none;
    if (!found->is_array()) refuse(key, "list");
    return *found;
  }
  Point point(const char* key) const {
    const Json* found = find(key);
    if (!found) fail(where_, fmt::format("\"{}\" is missing", key));
    return point_of(*found, place_of(key));
  }
  std::vector<Point> points(const char* key) const {
    if (!find(key)) fail(where_, fmt::format("\"{}\" is missing", key));
    std::vector<Point> out;
    for (const Json& one : list(key))
      out.push_back(point_of(one, fmt::format("{}[{}]", place_of(key), out.size())));
    return out;
  }

 private:
  static Point point_of(const Json& value, const std::string& place) {
    if (!value.is_array() || value.size() != 2 || !value[0].is_number() || !value[1].is_number())
      fail(place, fmt::format("{} is no point [x, y]", shown(value)));
    return {value[0].get<double>(), value[1].get<double>()};
  }
  const Json& value_;
  std::string where_;
};

Zone zone_of(const Json& value, const std::string& where) {
  const Table table(
      value, where,
      {"name", "kind", "polygon", "min_area", "max_area", "min_aspect", "max_aspect"});
  Zone zone{.name = table.text("name"),
            .polygon = table.points("polygon"),
            .min_area = table.whole_number("min_area"),
            .max_area = table.whole_number("max_area"),
            .min_aspect = table.number("min_aspect"),
            .max_aspect = table.number("max_aspect")};
  const std::string kind = table.find("kind") ? table.text("kind") : "include";
  if (kind == "exclude")
    zone.kind = ZoneKind::exclude;
  else if (kind != "include")
    fail(table.place_of("kind"), fmt::format("\"{}\" is neither include nor exclude", kind));
  return zone;
}

CountingLine line_of(const Json& value, const std::string& where) {
  const Table table(value, where, {"name", "from", "to"});
  return {.name = table.text("name"), .from = table.point("from"), .to = table.point("to")};
}

}  // namespace

SceneFile read_scene(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension != ".toml" && extension != ".json") {
    fail(path, fmt::format("a scene is a .toml or a .json file{}",
                           extension.empty() ? "" : ", not " + extension));
  }
  const std::string text = text_of_file(path);
  const Json all = extension == ".toml" ? parsed_toml(text, path) : parsed_json(text, path);
  const Table table(all, path, {"mask", "zones", "lines"});
  const auto place = [&](const char* key, size_t index) {
    return fmt::format("{}: {}[{}]", path, key, index);
  };
  SceneFile file;
  for (const Json& value : table.list("zones"))
    file.scene.zones.push_back(zone_of(value, place("zones", file.scene.zones.size())));
  for (const Json& value : table.list("lines"))
    file.scene.lines.push_back(line_of(value, place("lines", file.scene.lines.size())));
  if (table.find("mask"))
    file.mask = (std::filesystem::path(path).parent_path() / table.text("mask")).string();
  try {
    track::check_scene(file.scene, path);
  } catch (const Error& error) {
    throw Error(ErrorCode::input, error.what(), error.value());
  }
  return file;
}

}  // namespace cuesta::cli
