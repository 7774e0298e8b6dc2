#include "apps/tune/copy_as.hpp"

#include <fmt/format.h>

#include <fmt/ranges.h>

#include <filesystem>
#include <vector>

#include "apps/tune/code.hpp"
#include "cuesta/recipes/edges.hpp"
#include "recipes/descriptions.hpp"

namespace cuesta::cli::tune {
namespace {

// The table that --config reads, of the words of a verb.
std::string config_of(const char* verb, const std::vector<std::string>& words,
                      const std::vector<std::string>& run) {
  std::string out = fmt::format("# {}\n[{}]\n", in_shell(run), verb);
  for (size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--")) continue;
    const size_t equals = words[i].find('=');
    const std::string name = words[i].substr(2, equals == std::string::npos ? equals : equals - 2);
    const bool has_value = i + 1 < words.size() && !words[i + 1].starts_with("--");
    const std::string value = equals != std::string::npos ? in_quotes(words[i].substr(equals + 1))
                              : has_value                 ? in_quotes(words[i + 1])
                                                          : "true";
    out += fmt::format("{} = {}\n", name, value);
  }
  return out;
}

bool gives(const std::vector<std::string>& words, std::string_view name) {
  std::string flag = "--" + std::string(name);
  for (char& c : flag)
    if (c == '_') c = '-';
  for (const std::string& word : words)
    if (word == flag || word.starts_with(flag + "=")) return true;
  return false;
}

// The fields that are not the defaults: as designated initialisers, and as keywords.
struct Code {
  std::vector<std::string> cpp{};
  std::string python{};

  template <class Options>
  void add(const Options& options, const Options& defaults = {}) {
    for_each_field<Options>([&]<class T>(const Field<Options, T>& one) {
      if (in_cpp(one.get(options)) != in_cpp(one.get(defaults))) set(one.name, one.get(options));
    });
  }
  std::string initialisers() const { return fmt::format("{{{}}}", fmt::join(cpp, ", ")); }

 private:
  template <class T>
  void set(std::string_view name, const T& value) {
    const auto member = std::same_as<T, Thresholds> ? std::string_view("thresholds") : name;
    cpp.push_back(fmt::format(".{} = {}", member, in_cpp(value)));
    if constexpr (std::same_as<T, Thresholds>)
      python += thresholds_in_python(value);
    else if constexpr (std::same_as<T, Border>)
      python += border_in_python(name, value);
    else
      python += fmt::format(", {}={}", name, in_python(value));
  }
  static std::string border_in_python(std::string_view name, const Border& value) {
    std::string text = fmt::format(
        ", {}={}", name,
        in_quotes(value.mode == BorderMode::reflect ? "symmetric" : name_in(value.mode)));
    if (value.mode == BorderMode::constant) text += fmt::format(", {}_value={}", name, value.value);
    return text;
  }
  static std::string thresholds_in_python(const Thresholds& value) {
    if (const auto* given = std::get_if<Given>(&value))
      return fmt::format(", low={}, high={}", given->low, given->high);
    const auto [rule, percent] = std::get<Automatic>(value);
    return fmt::format(", threshold=\"{}{}\"", name_in(rule),
                       rule == AutoThreshold::percentile ? fmt::format(":{}", percent) : "");
  }
};

struct EdgesCode {
  std::string cpp{}, python{};  // the options of a call: ", cuesta::CannyEdges{...}", ", sigma=2"
};
EdgesCode code_of(const EdgesOptions& options) {
  return std::visit(
      [&](const auto& of) -> EdgesCode {
        using Options = std::decay_t<decltype(of)>;
        Code code;
        code.add(of);
        const auto method = recipes::edge_methods[options.index()];
        const bool is_default = code.cpp.empty() && std::same_as<Options, CannyEdges>;
        return {
            is_default ? "" : fmt::format(", cuesta::{}{}", cpp_name<Options>, code.initialisers()),
            (options.index() == 0 ? "" : fmt::format(", \"{}\"", method)) + code.python};
      },
      options);
}

// The members of ReadOptions that name a page and a band: ", {.page = 2}".
std::string reading_in_cpp(const Source& source) {
  std::string members;
  if (source.page > 0) members += fmt::format(".page = {}", source.page);
  if (source.band > 0)
    members += fmt::format("{}.band = {}", members.empty() ? "" : ", ", source.band);
  return members.empty() ? "" : fmt::format(", {{{}}}", members);
}

// The same as keywords: ", page=2".
std::string reading_in_python(const Source& source) {
  std::string words;
  if (source.page > 0) words += fmt::format(", page={}", source.page);
  if (source.band > 0) words += fmt::format(", band={}", source.band);
  return words;
}

std::string edges_in_cpp(const EdgesAsked& asked, const Source& source, const std::string& out) {
  const auto code = code_of(edges_of(*asked));
  std::string text = "#include <cuesta/cuesta.hpp>\n#include <cuesta/io.hpp>\n";
  const bool wants_lines = !asked->lines.out.empty();
  if (wants_lines) text = "#include <cstdio>\n" + text;
  text += fmt::format("\nint main() {{\n  const auto photo = cuesta::read({}{});\n",
                      in_quotes(source.path), reading_in_cpp(source));
  const Rect& r = source.region;
  const bool cuts = r.width > 0;
  if (cuts)
    text += fmt::format("  const auto part = photo.view().region({{{}, {}, {}, {}}});\n", r.x, r.y,
                        r.width, r.height);
  const char* const picture = cuts ? "part" : "photo";
  text +=
      fmt::format("  cuesta::write({}, cuesta::edges({}{}));\n", in_quotes(out), picture, code.cpp);
  if (wants_lines) {
    Code tracing;
    tracing.add(trace_of(*asked));
    text += fmt::format(
        "  for (const cuesta::Polyline& line : cuesta::edge_lines({}{}, {})) {{\n"
        "    std::printf(line.closed ? \"closed\" : \"open\");\n"
        "    for (const cuesta::LinePoint& p : line.points) std::printf(\" %.3f,%.3f\", p.x, "
        "p.y);\n"
        "    std::printf(\"\\n\");\n  }}\n",
        picture, code.cpp.empty() ? ", {}" : code.cpp, tracing.initialisers());
  }
  return text + "}\n";
}

std::string edges_in_python(const EdgesAsked& asked, const Source& source, const std::string& out) {
  const Rect& r = source.region;
  const bool cuts = r.width > 0;
  auto code = code_of(edges_of(*asked));
  std::string text = "import cuesta\n\n";
  const std::string picture = cuts ? "photo" : in_quotes(source.path);
  const std::string reading = reading_in_python(source);
  if (cuts) {
    text += fmt::format("photo = cuesta.imread({}{})[{}:{}, {}:{}]\n", in_quotes(source.path),
                        reading, r.y, r.y + r.height, r.x, r.x + r.width);
  }
  if (!cuts) code.python += reading;
  text +=
      fmt::format("cuesta.imwrite({}, cuesta.edges({}{}))\n", in_quotes(out), picture, code.python);
  if (!asked->lines.out.empty()) {
    Code tracing;
    tracing.add(trace_of(*asked));
    text += fmt::format(
        "for line in cuesta.edge_lines({}{}{}):\n"
        "    print(\"closed\" if line.closed else \"open\", "
        "*(f\"{{x:.3f}},{{y:.3f}}\" for x, y in line.points))\n",
        picture, code.python, tracing.python);
  }
  return text;
}

}  // namespace

std::string beside(const std::string& path, const std::string& ending) {
  return std::filesystem::path(path).stem().string() + ending;
}

Json copies_of_edges(const EdgesAsked& asked, const Source& source) {
  // Sobel's strengths have the type of the picture.
  const std::string out =
      beside(source.path, source.type == PixelType::f32 ? "-edges.tif" : "-edges.png");
  std::vector<std::string> command = {"cuesta", "edges", source.path, "-o", out};
  std::vector<std::string> by_config = command;
  by_config.insert(by_config.end(), {"--config", "edges.toml"});
  command.insert(command.end(), asked.words().begin(), asked.words().end());
  return {{"command", in_shell(command) + "\n"},
          {"cpp", edges_in_cpp(asked, source, out)},
          {"python", edges_in_python(asked, source, out)},
          {"config", config_of("edges", asked.words(), by_config)}};
}

namespace {

// The limits that a zone has, each behind a comma: `before` stands before a name, `between` after.
std::string limits_of(const Zone& zone, const char* before, const char* between) {
  std::string out;
  const auto add = [&](const char* name, const auto& limit) {
    if (limit) out += fmt::format(", {}{}{}{}", before, name, between, *limit);
  };
  add("min_area", zone.min_area);
  add("max_area", zone.max_area);
  add("min_aspect", zone.min_aspect);
  add("max_aspect", zone.max_aspect);
  add("min_hits", zone.min_hits);
  add("min_moved", zone.min_moved);
  add("min_score", zone.min_score);
  return out;
}

std::string zones_in_cpp(const Scene& scene) {
  std::string out;
  for (const Zone& zone : scene.zones) {
    std::string corners;
    for (const Point& p : zone.polygon)
      corners += fmt::format("{}{{{}, {}}}", corners.empty() ? "" : ", ", p.x, p.y);
    out += fmt::format(
        "  options.scene.zones.push_back({{.name = {}, .kind = cuesta::ZoneKind::{}, "
        ".polygon = {{{}}}{}}});\n",
        in_quotes(zone.name), zone.kind == ZoneKind::include ? "include" : "exclude", corners,
        limits_of(zone, ".", " = "));
  }
  for (const CountingLine& line : scene.lines) {
    out += fmt::format(
        "  options.scene.lines.push_back({{.name = {}, .from = {{{}, {}}}, .to = {{{}, {}}}, .ways "
        "= "
        "{{{}, {}}}}});\n",
        in_quotes(line.name), line.from.x, line.from.y, line.to.x, line.to.y,
        in_quotes(line.ways[0]), in_quotes(line.ways[1]));
  }
  return out;
}

std::string zones_in_python(const Scene& scene) {
  std::string zones, lines;
  for (const Zone& zone : scene.zones) {
    std::string corners;
    for (const Point& p : zone.polygon)
      corners += fmt::format("{}({}, {})", corners.empty() ? "" : ", ", p.x, p.y);
    zones += fmt::format("    cuesta.Zone({}, [{}], {}{}),\n", in_quotes(zone.name), corners,
                         in_quotes(zone.kind == ZoneKind::include ? "include" : "exclude"),
                         limits_of(zone, "", "="));
  }
  for (const CountingLine& line : scene.lines) {
    lines += fmt::format("    cuesta.CountingLine({}, ({}, {}), ({}, {}), ({}, {})),\n",
                         in_quotes(line.name), line.from.x, line.from.y, line.to.x, line.to.y,
                         in_quotes(line.ways[0]), in_quotes(line.ways[1]));
  }
  std::string out;
  if (!zones.empty()) out += fmt::format("zones = [\n{}]\n", zones);
  if (!lines.empty()) out += fmt::format("lines = [\n{}]\n", lines);
  return out;
}

// The options that are given, as lines of C++ and as keywords of Python.
std::pair<std::string, std::string> options_in_code(const DetectAsked& asked,
                                                    const DetectSettings& settings) {
  std::string cpp, python;
  SensitivityOptions chosen;
  MotionOptions given;
  asked->described.read(chosen);
  asked->described.read(given);
  const bool is_chosen = gives(asked.words(), "sensitivity");
  if (is_chosen || gives(asked.words(), "background"))
    cpp += fmt::format("  options.motion = cuesta::MotionOptions::of({}{});\n",
                       in_cpp(given.background.model),
                       is_chosen ? ", " + in_cpp(chosen.sensitivity) : std::string());
  if (is_chosen) python += fmt::format(", sensitivity={}", in_python(chosen.sensitivity));
  for_each_field<MotionOptions>([&](const auto& one) {
    if (!gives(asked.words(), one.name)) return;
    const auto& value = one.get(given);
    const bool is_models = one.name == "rate_shift" || one.name == "absorb";
    if (one.name != "background")
      cpp += fmt::format("  options.motion.{}{} = {};\n", is_models ? "background." : "", one.name,
                         in_cpp(value));
    python += fmt::format(", {}={}", one.name, in_python(value));
  });
  for_each_field<DownscaleOptions>([&](const auto& one) {
    if (!gives(asked.words(), one.name)) return;
    const auto& value = one.get(settings.looks);
    cpp += fmt::format("  options.{} = {};\n", one.name, in_cpp(value));
    python += fmt::format(", {}={}", one.name, in_python(value));
  });
  if (settings.tracking) {
    for_each_field<TrackingOptions>([&](const auto& one) {
      if (one.name == "min_area" || !gives(asked.words(), one.name)) return;
      const auto& value = one.get(*settings.tracking);
      cpp += fmt::format("  options.tracking.{} = {};\n", one.name, in_cpp(value));
      python += fmt::format(", {}={}", one.name, in_python(value));
    });
  }
  return {cpp, python};
}

}  // namespace

Json copies_of_detect(const DetectAsked& asked, const std::string& path, const Scene& scene) {
  std::vector<std::string> command = {"cuesta",
                                      "detect",
                                      path,
                                      "-o",
                                      beside(path, "-boxes.mp4"),
                                      "--json",
                                      beside(path, "-objects.ndjson")};
  std::vector<std::string> by_config = command;
  by_config.insert(by_config.end(), {"--config", "detect.toml"});
  command.insert(command.end(), asked.words().begin(), asked.words().end());

  const DetectSettings settings = settings_of(*asked);
  const bool tracks = settings.tracking.has_value();
  auto [cpp, python] = options_in_code(asked, settings);
  const std::string lists = zones_in_python(scene);
  if (!scene.zones.empty()) python = ", zones=zones" + python;
  if (!scene.lines.empty()) python = ", lines=lines" + python;
  const char* const type = tracks ? "TrackedObject" : "Detection";
  const char* const list = tracks ? "scene.objects" : "detections";
  const char* const box = tracks ? "object.detection.box" : "object.box";
  return {
      {"command", in_shell(command) + "\n"},
      {"cpp",
       fmt::format("#include <cstdio>\n#include <cuesta/cuesta.hpp>\n#include <cuesta/io.hpp>\n\n"
                   "int main() {{\n  cuesta::DetectOptions options;\n{}{}"
                   "  cuesta::VideoDetector video({}, options);\n"
                   "  for (const cuesta::MovingFrame& moving : video) {{\n"
                   "    for (const cuesta::{}& object : moving.{}) {{\n"
                   "      const cuesta::Rect& box = {};\n"
                   "      std::printf(\"%d: %d %d %d %d\\n\", int(moving.frame->index()), box.x, "
                   "box.y, box.width, box.height);\n    }}\n  }}\n}}\n",
                   cpp, zones_in_cpp(scene), in_quotes(path), type, list, box)},
      {"python", fmt::format("import cuesta\n\n{}for moving in cuesta.detect({}{}):\n"
                             "    for found in moving.{}:\n"
                             "        print(f\"{{moving.number}}:\", *found.box)\n",
                             lists, in_quotes(path), python, tracks ? "objects" : "detections")},
      {"config", config_of("detect", asked.words(), by_config)}};
}

}  // namespace cuesta::cli::tune
