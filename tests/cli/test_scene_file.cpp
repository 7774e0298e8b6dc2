// Scene files: what is written in either language is what is read, and nothing else is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "cli/scene_file.hpp"
#include "cuesta/error.hpp"
#include "support/temp_folder.hpp"

namespace cuesta::cli {
namespace {

double random_number(std::mt19937& random) { return double(random()) / 4294967296.0; }
bool one_in_two(std::mt19937& random) { return random() % 2 == 0; }

std::string random_name(std::mt19937& random, size_t number) {
  static const char* const words[] = {"door", "Straße", "日本", "a \"b\" c", "x\\y", "a, b/c"};
  return fmt::format("{} {}", words[random() % std::size(words)], number);
}

SceneFile random_scene(std::mt19937& random) {
  SceneFile file;
  const auto point = [&] {
    const double x = random_number(random);
    return Point{x, random_number(random)};
  };
  for (size_t n = random() % 4, i = 0; i < n; ++i) {
    Zone zone{.name = random_name(random, i)};
    zone.kind = one_in_two(random) ? ZoneKind::exclude : ZoneKind::include;
    for (size_t corners = 3 + random() % 5; corners > 0; --corners) zone.polygon.push_back(point());
    const bool limits = zone.kind == ZoneKind::include;  // an excluded one has none
    if (limits && one_in_two(random)) zone.min_area = int64_t(random() % 1000);
    if (limits && one_in_two(random)) zone.max_area = int64_t(1000 + random() % 1000);
    if (limits && one_in_two(random)) zone.min_aspect = random_number(random);
    if (limits && one_in_two(random)) zone.max_aspect = 1 + random_number(random);
    if (limits && one_in_two(random)) zone.min_hits = int(1 + random() % 100);
    if (limits && one_in_two(random)) zone.min_moved = random_number(random);
    if (limits && one_in_two(random)) zone.min_score = 100 * random_number(random);
    if (limits && one_in_two(random)) zone.threshold = 100 * random_number(random);
    file.scene.zones.push_back(std::move(zone));
  }
  for (size_t n = random() % 3, i = 0; i < n; ++i) {
    file.scene.lines.push_back({.name = random_name(random, i), .from = point(), .to = point()});
    if (one_in_two(random)) file.scene.lines.back().ways = {random_name(random, 0), "out"};
  }
  if (one_in_two(random)) file.mask = "where.png";
  if (one_in_two(random)) file.mask_privacy = "windows.png";
  return file;
}

// TOML's basic strings escape what JSON's do.
std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }
std::string text_of(Point p) { return fmt::format("[{}, {}]", p.x, p.y); }

// The members of a zone or line, each "name", separator, value.
std::string members_of(const Zone& zone, const char* is, const char* between, const char* quote) {
  std::string corners;
  for (const Point& p : zone.polygon) corners += (corners.empty() ? "" : ", ") + text_of(p);
  std::string out = fmt::format("{3}name{3}{0}{1}{2}", is, quoted(zone.name), between, quote);
  const auto add = [&](const char* name, const std::string& value) {
    out += fmt::format("{0}{1}{0}{2}{3}{4}", quote, name, is, value, between);
  };
  if (zone.kind == ZoneKind::exclude) add("kind", "\"exclude\"");
  if (zone.min_area) add("min_area", std::to_string(*zone.min_area));
  if (zone.max_area) add("max_area", std::to_string(*zone.max_area));
  if (zone.min_aspect) add("min_aspect", fmt::format("{}", *zone.min_aspect));
  if (zone.max_aspect) add("max_aspect", fmt::format("{}", *zone.max_aspect));
  if (zone.min_hits) add("min_hits", std::to_string(*zone.min_hits));
  if (zone.min_moved) add("min_moved", fmt::format("{}", *zone.min_moved));
  if (zone.min_score) add("min_score", fmt::format("{}", *zone.min_score));
  if (zone.threshold) add("threshold", fmt::format("{}", *zone.threshold));
  return out + fmt::format("{0}polygon{0}{1}[{2}]", quote, is, corners);
}
std::string members_of(const CountingLine& line, const char* is, const char* between,
                       const char* quote) {
  const std::string ways = fmt::format("[{}, {}]", quoted(line.ways[0]), quoted(line.ways[1]));
  return fmt::format("{5}name{5}{0}{2}{1}{5}from{5}{0}{3}{1}{5}to{5}{0}{4}{6}", is, between,
                     quoted(line.name), text_of(line.from), text_of(line.to), quote,
                     line.ways == CountingLine{}.ways
                         ? std::string()
                         : fmt::format("{1}{2}ways{2}{0}{3}", is, between, quote, ways));
}

std::string json_of(const SceneFile& file) {
  const auto list = [](const auto& parts) {
    std::string out;
    for (const auto& part : parts)
      out += (out.empty() ? "{" : ", {") + members_of(part, ": ", ", ", "\"") + "}";
    return "[" + out + "]";
  };
  std::string out = "{\"zones\": " + list(file.scene.zones);
  if (!file.mask.empty()) out += ", \"mask\": " + quoted(file.mask);
  if (!file.mask_privacy.empty()) out += ", \"mask_privacy\": " + quoted(file.mask_privacy);
  return out + ", \"lines\": " + list(file.scene.lines) + "}\n";
}

std::string toml_of(const SceneFile& file) {
  std::string out = "# a scene\n";
  if (!file.mask.empty()) out += "mask = " + quoted(file.mask) + "\n";
  if (!file.mask_privacy.empty()) out += "mask_privacy = " + quoted(file.mask_privacy) + "\n";
  for (const Zone& zone : file.scene.zones)
    out += "[[zones]]\n" + members_of(zone, " = ", "\n", "") + "\n";
  for (const CountingLine& line : file.scene.lines)
    out += "[[lines]]\n" + members_of(line, " = ", "\n", "") + "\n";
  return out;
}

void expect_equal(const SceneFile& read, const SceneFile& written) {
  EXPECT_EQ(read.mask, written.mask.empty() ? "" : "/yard/" + written.mask);
  EXPECT_EQ(read.mask_privacy, written.mask_privacy.empty() ? "" : "/yard/" + written.mask_privacy);
  ASSERT_EQ(read.scene.zones.size(), written.scene.zones.size());
  for (size_t i = 0; i < read.scene.zones.size(); ++i) {
    const Zone &a = read.scene.zones[i], &b = written.scene.zones[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.polygon, b.polygon);
    EXPECT_EQ(a.min_area, b.min_area);
    EXPECT_EQ(a.max_area, b.max_area);
    EXPECT_EQ(a.min_aspect, b.min_aspect);
    EXPECT_EQ(a.max_aspect, b.max_aspect);
    EXPECT_EQ(a.min_hits, b.min_hits);
    EXPECT_EQ(a.min_moved, b.min_moved);
    EXPECT_EQ(a.min_score, b.min_score);
    EXPECT_EQ(a.threshold, b.threshold);
  }
  ASSERT_EQ(read.scene.lines.size(), written.scene.lines.size());
  for (size_t i = 0; i < read.scene.lines.size(); ++i) {
    EXPECT_EQ(read.scene.lines[i].name, written.scene.lines[i].name);
    EXPECT_EQ(read.scene.lines[i].from, written.scene.lines[i].from);
    EXPECT_EQ(read.scene.lines[i].to, written.scene.lines[i].to);
    EXPECT_EQ(read.scene.lines[i].ways, written.scene.lines[i].ways);
  }
}

struct Language {
  std::string path;
  std::string (*text_of)(const SceneFile&);
};
std::vector<Language> languages() {
  std::vector<Language> all = {{"/yard/scene.json", json_of}, {"/yard/scene.toml", toml_of}};
  try {
    parse_scene("", all[1].path);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported) << error.what();
    all.pop_back();  // a build without toml++
  }
  return all;
}

TEST(SceneFile, WhatIsWrittenIsRead) {
  std::mt19937 random(3);
  for (const Language& language : languages()) {
    for (int trial = 0; trial < 1000; ++trial) {
      const SceneFile scene = random_scene(random);
      const std::string text = language.text_of(scene);
      SCOPED_TRACE(text);
      ASSERT_NO_THROW(expect_equal(parse_scene(text, language.path), scene));
    }
  }
  const test::TempFolder folder;
  const SceneFile scene = random_scene(random);
  std::ofstream(folder / "scene.json") << json_of(scene);
  EXPECT_EQ(read_scene(folder / "scene.json").scene.zones.size(), scene.scene.zones.size());
}

// Bytes are changed, lost and doubled; what is no scene then is refused by the file's name.
TEST(SceneFile, WhatIsDamagedIsReadOrRefusedByName) {
  std::mt19937 random(4);
  constexpr std::string_view likely = "[]{}\",.=:-e0959\\\n# zonesmaskinf";
  int refused = 0, read = 0;
  for (const Language& language : languages()) {
    for (int trial = 0; trial < 3000; ++trial) {
      std::string text = language.text_of(random_scene(random));
      for (int changes = 1 + int(random() % 4); changes > 0 && !text.empty(); --changes) {
        const size_t at = random() % text.size();
        switch (random() % 5) {
          case 0: text.erase(at, 1 + random() % 8); break;
          case 1: text.resize(at); break;
          case 2: text.insert(at, text.substr(random() % text.size(), random() % 40)); break;
          case 3: text[at] = char(random()); break;
          default: text[at] = likely[random() % likely.size()]; break;
        }
      }
      try {
        const SceneFile file = parse_scene(text, language.path);
        // What is read can be used.
        EXPECT_NO_THROW(SceneWatch({64, 48}, file.scene)) << text;
        ++read;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::input) << text;
        EXPECT_TRUE(std::string_view(error.what()).starts_with(language.path)) << error.what();
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 300);
  EXPECT_GT(read, 100);
}

}  // namespace
}  // namespace cuesta::cli
