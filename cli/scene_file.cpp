#include "cli/scene_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/table_file.hpp"
#include "cuesta/error.hpp"

namespace cuesta::cli {
namespace {

Point point_of(const Json& value, const std::string& place) {
  if (!value.is_array() || value.size() != 2 || !value[0].is_number() || !value[1].is_number())
    fail_at(place, fmt::format("{} must be a point [x, y]", shown(value)));
  return {value[0].get<double>(), value[1].get<double>()};
}

Point point_in(const Table& table, const char* key) {
  return point_of(table.needed(key), table.place_of(key));
}

std::vector<Point> points_in(const Table& table, const char* key) {
  table.needed(key);
  std::vector<Point> out;
  for (const Json& one : table.list(key))
    out.push_back(point_of(one, fmt::format("{}[{}]", table.place_of(key), out.size())));
  return out;
}

Zone zone_of(const Json& value, const std::string& where) {
  const Table table(value, where,
                    {"name", "kind", "polygon", "min_area", "max_area", "min_aspect", "max_aspect",
                     "min_hits", "min_moved", "min_score", "threshold", "when"});
  Zone zone{.name = table.text("name"),
            .polygon = points_in(table, "polygon"),
            .min_area = table.whole_number("min_area"),
            .max_area = table.whole_number("max_area"),
            .min_aspect = table.number("min_aspect"),
            .max_aspect = table.number("max_aspect"),
            .min_moved = table.number("min_moved"),
            .min_score = table.number("min_score"),
            .threshold = table.number("threshold")};
  if (const auto hits = table.whole_number("min_hits")) {
    if (!std::in_range<int>(*hits)) table.refuse("min_hits", "a smaller number");
    zone.min_hits = int(*hits);
  }
  const std::string kind = table.find("kind") ? table.text("kind") : "include";
  if (kind == "exclude")
    zone.kind = ZoneKind::exclude;
  else if (kind != "include")
    fail_at(table.place_of("kind"), fmt::format("\"{}\" must be include or exclude", kind));
  return zone;
}

Schedule when_of(const Json& value, const std::string& where) {
  const auto found = value.find("when");
  if (found == value.end()) return {};
  const auto read = found->is_string() ? Schedule::parse(found->get<std::string>()) : std::nullopt;
  if (!read) fail_at(where + ".when", fmt::format("{} must be {}", shown(*found), Schedule::form));
  return *read;
}

CountingLine line_of(const Json& value, const std::string& where) {
  const Table table(value, where, {"name", "from", "to", "ways"});
  CountingLine line{
      .name = table.text("name"), .from = point_in(table, "from"), .to = point_in(table, "to")};
  if (const Json* ways = table.find("ways")) {
    const auto is_text = [](const Json& one) { return one.is_string(); };
    if (!ways->is_array() || ways->size() != 2 || !std::ranges::all_of(*ways, is_text))
      table.refuse("ways", "a list of two names");
    for (size_t i = 0; i < 2; ++i) line.ways[i] = (*ways)[i].get<std::string>();
  }
  return line;
}

SceneFile scene_of(const Json& all, const std::string& path) {
  const Table table(all, path, {"mask", "mask_privacy", "zones", "lines"});
  const auto place = [&](const char* key, size_t index) {
    return fmt::format("{}: {}[{}]", path, key, index);
  };
  SceneFile file;
  for (const Json& value : table.list("zones")) {
    const std::string where = place("zones", file.scene.zones.size());
    file.scene.zones.push_back(zone_of(value, where));
    file.when.push_back(when_of(value, where));
  }
  for (const Json& value : table.list("lines"))
    file.scene.lines.push_back(line_of(value, place("lines", file.scene.lines.size())));
  for (const auto& [key, into] :
       {std::pair("mask", &file.mask), {"mask_privacy", &file.mask_privacy}}) {
    if (!table.find(key)) continue;
    if (table.text(key).empty()) table.refuse(key, "the path of a picture");
    *into = (std::filesystem::path(path).parent_path() / table.text(key)).string();
  }
  try {
    check_scene(file.scene, path);
  } catch (const Error& error) {
    throw Error(ErrorCode::input, error.what(), error.value());
  }
  return file;
}

}  // namespace

SceneFile read_scene(const std::string& path) {
  return scene_of(read_tables(path, "a scene"), path);
}

SceneFile parse_scene(const std::string& text, const std::string& path) {
  return scene_of(parse_tables(text, path), path);
}

namespace {

SceneFile scene_or_none(const std::string& scene) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(scene, ignored)) return {};
  try {
    return read_scene(scene);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

std::string mask_of_scene(const std::string& scene) { return scene_or_none(scene).mask; }
std::string privacy_of_scene(const std::string& scene) { return scene_or_none(scene).mask_privacy; }

}  // namespace cuesta::cli
