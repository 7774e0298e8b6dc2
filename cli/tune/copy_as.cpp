#include "cli/tune/copy_as.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>

#include "cli/tune/code.hpp"
#include "ops/boundaries/options.hpp"

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

// Lines and keywords of the fields that are not the library's own defaults.
struct Code {
  std::string cpp{}, python{};
  std::string_view object = "options";

  template <class Options>
  void add(const Options& options, std::initializer_list<std::string_view> except = {}) {
    for_each_field<Options>([&]<class T>(const Field<Options, T>& one) {
      if constexpr (!std::same_as<T, Thresholds>) {
        const bool is_usual = in_cpp(one.get(options)) == in_cpp(one.get(Options{}));
        if (!is_usual && std::ranges::find(except, one.name) == except.end())
          set(one.name, one.get(options));
      }
    });
  }
  template <class T>
  void set(std::string_view name, const T& value) {
    cpp += fmt::format("  {}.{} = {};\n", object, name, in_cpp(value));
    keyword(name, value);
  }
  template <class T>
  void keyword(std::string_view name, const T& value) {
    if constexpr (std::same_as<T, Border>) {
      python += fmt::format(
          ", {}={}", name,
          in_quotes(value.mode == BorderMode::reflect ? "symmetric" : name_in(value.mode)));
      if (value.mode == BorderMode::constant)
        python += fmt::format(", {}_value={}", name, value.value);
    } else {
      python += fmt::format(", {}={}", name, in_python(value));
    }
  }
};

struct Program {
  const Source& source;
  std::string out;
  bool in_color = false, wants_lines = false;

  std::string sample() const { return source.deep ? "uint16_t" : "uint8_t"; }
  // `photo`: the region of the gray levels or colors.
  std::string read_cpp() const {
    std::string text;
    const bool cuts = source.region.width > 0;
    const bool drops_alpha = in_color && source.channels == 4;
    const char* const whole = cuts || drops_alpha ? "whole" : "photo";
    if (in_color)
      text = fmt::format("  const auto {} = cuesta::read<{}>({});\n", whole, sample(),
                         in_quotes(source.path));
    else
      text = fmt::format("  const auto {} = cuesta::read_gray{}({});\n", whole,
                         source.deep ? "<uint16_t>" : "", in_quotes(source.path));
    const Rect& r = source.region;
    if (cuts)
      text += fmt::format("  const auto {} = whole.region({{{}, {}, {}, {}}});\n",
                          drops_alpha ? "part" : "photo", r.x, r.y, r.width, r.height);
    if (drops_alpha) {
      text += fmt::format(
          "  cuesta::Image<{0}> photo({1}.size(), 3);\n"
          "  for (int y = 0; y < photo.height(); ++y)\n"
          "    for (int x = 0; x < photo.width(); ++x)\n"
          "      for (int c = 0; c < 3; ++c) photo.at(x, y, c) = {1}.at(x, y, c);\n",
          sample(), cuts ? "part" : "whole");
    }
    return text;
  }
  std::string read_python() const {
    const Rect& r = source.region;
    std::string text = fmt::format("image = cuesta.imread({}{})\n", in_quotes(source.path),
                                   in_color ? "" : ", gray=True");
    if (r.width > 0)
      text += fmt::format("image = image[{}:{}, {}:{}]\n", r.y, r.y + r.height, r.x, r.x + r.width);
    if (in_color && source.channels == 4) text += "image = image[..., :3]\n";
    return text;
  }
  std::string cpp(const std::string& body, std::string_view include = {}) const {
    return fmt::format(
        "{}#include <cuesta/cuesta.hpp>\n#include <cuesta/io.hpp>\n\n"
        "int main() {{\n{}{}}}\n",
        wants_lines ? "#include <cstdio>\n" : include, read_cpp(), body);
  }
  std::string python(const std::string& body, std::string_view import = {}) const {
    return fmt::format("import cuesta\n{}\n{}{}", import, read_python(), body);
  }

  // Of canny, log and boundaries: edges into a file, and lines to standard output where they are
  // wanted.
  void add(const EdgesAsked& asked, const char* type, const char* function, const Code& code,
           const std::string& positions, Json& all) const {
    std::string cpp =
        fmt::format("  cuesta::{} options;\n{}  cuesta::write({}, cuesta::{}(photo, options));\n",
                    type, code.cpp, in_quotes(out), function);
    std::string python = fmt::format("edges = cuesta.{}(image{}{})\ncuesta.imwrite({}, edges)\n",
                                     function, positions, code.python, in_quotes(out));
    if (wants_lines) {
      const bool is_log = asked->method == "log";
      Code lines{.object = "lines"};
      lines.add(trace_of(*asked));
      cpp += fmt::format(
          "  cuesta::TraceOptions lines;\n{}"
          "  for (const cuesta::Polyline& line : cuesta::trace(photo, options, lines)) {{\n"
          "    std::printf(line.closed ? \"closed\" : \"open\");\n"
          "    for (const cuesta::LinePoint& p : line.points) std::printf(\" %.3f,%.3f\", p.x, "
          "p.y);\n"
          "    std::printf(\"\\n\");\n  }}\n",
          lines.cpp);
      python += fmt::format(
          "for line in cuesta.trace(image{}{}{}{}):\n"
          "    print(\"closed\" if line.closed else \"open\", "
          "*(f\"{{x:.3f}},{{y:.3f}}\" for x, y in line.points))\n",
          positions, is_log ? ", method=\"log\"" : "",
          is_log ? without_mode(code.python) : code.python, lines.python);
    }
    all["cpp"] = this->cpp(cpp);
    all["python"] = this->python(python);
  }

 private:
  // trace() has no mode: it takes zero crossings.
  static std::string without_mode(std::string python) {
    const std::string mode = ", mode=\"zero-crossings\"";
    if (const size_t at = python.find(mode); at != std::string::npos) python.erase(at, mode.size());
    return python;
  }
};

void canny_copies(const EdgesAsked& asked, const Source& source, const Program& program,
                  Json& out) {
  Code code;
  code.add(canny_of(*asked));
  std::string given;
  const auto pair = [&](double low, double high) {
    low *= source.scale, high *= source.scale;
    code.cpp += fmt::format("  options.thresholds = cuesta::Given{{{}, {}}};\n", low, high);
    given = fmt::format(", {}, {}", low, high);
  };
  if (!asked->low.empty()) {
    pair(parse_number("--low", asked->low), parse_number("--high", asked->high));
  } else if (!asked->threshold.empty()) {
    const ThresholdSpec spec = parse_threshold(asked->threshold);
    const bool has_percent = spec.rule == AutoThreshold::percentile;
    const std::string percent = has_percent ? fmt::format("{}", spec.percent) : std::string();
    if (spec.value) {
      pair(*spec.value / 2, *spec.value);
    } else {
      code.cpp +=
          fmt::format("  options.thresholds = cuesta::Automatic{{cuesta::AutoThreshold::{}{}}};\n",
                      name_in(spec.rule), has_percent ? ", " + percent : percent);
      code.python += fmt::format(", threshold=\"{}{}\"", name_in(spec.rule),
                                 has_percent ? ":" + percent : percent);
    }
  }
  program.add(asked, "CannyOptions", "canny", code, given, out);
}

void log_copies(const EdgesAsked& asked, const Source& source, const Program& program, Json& out) {
  LogOptions options = log_of(*asked);
  options.threshold = asked->threshold.empty()
                          ? options.threshold * (source.deep ? 257 : 1)
                          : *parse_threshold(asked->threshold).value * source.scale;
  Code code;
  code.add(options);
  program.add(asked, "LogOptions", "log_edges", code, {}, out);
}

void boundaries_copies(const EdgesAsked& asked, const Program& program, Json& out) {
  BoundaryOptions options;
  if (!asked->threshold.empty()) options.threshold = *parse_threshold(asked->threshold).value;
  Code code;
  code.add(options);
  program.add(asked, "BoundaryOptions", "boundaries", code, {}, out);
}

void sobel_copies(const EdgesAsked& asked, const Source& source, const Program& program,
                  Json& out) {
  SobelOptions options;
  SmoothingOptions smoothing;
  asked->described.read(options);
  asked->described.read(smoothing);
  Code code;
  code.add(options);
  std::string cpp = fmt::format("  cuesta::SobelOptions options;\n{}", code.cpp), python;
  std::string picture = "photo";
  const bool is_mask = !asked->threshold.empty();
  const bool fits = is_mask || (!source.deep && options.aperture < 7);
  const char* const type = fits ? "uint16_t" : "float";
  if (!fits) {
    cpp += fmt::format(
        "  cuesta::Image<float> samples({0}.size());\n"
        "  for (int y = 0; y < samples.height(); ++y)\n"
        "    for (int x = 0; x < samples.width(); ++x) samples.at(x, y) = {0}.at(x, y);\n",
        picture);
    picture = "samples";
    python += "image = image.astype(np.float32)\n";
  }
  if (smoothing.wanted()) {
    Code before;
    before.keyword("border", options.border);
    cpp += fmt::format(
        "  const auto smooth = cuesta::gaussian({}, {{.sigma = {}, .ksize = {}, .border = {}}});\n",
        picture, smoothing.sigma, smoothing.ksize, "options.border");
    const std::string sigma = smoothing.sigma > 0 ? fmt::format(", sigma={}", smoothing.sigma) : "";
    const std::string ksize = smoothing.ksize > 0 ? fmt::format(", ksize={}", smoothing.ksize) : "";
    python += fmt::format("image = cuesta.gaussian(image{}{}{})\n", sigma, ksize, before.python);
    picture = "smooth";
  }
  cpp += fmt::format(
      "  cuesta::Image<{}> strength({}.size());\n"
      "  cuesta::sobel({}, {{.magnitude = strength}}, options);\n",
      type, picture, picture);
  python += fmt::format("strength = cuesta.sobel(image{}{})\n", code.python,
                        fits ? ", dtype=\"uint16\"" : "");
  const char* const sample = source.deep && !is_mask ? "uint16_t" : "uint8_t";
  cpp += fmt::format("  cuesta::Image<{}> edges(strength.size());\n", sample);
  if (is_mask) {
    const double limit = *parse_threshold(asked->threshold).value * source.scale;
    cpp += fmt::format("  cuesta::threshold(strength, edges, {});\n", limit);
    python += fmt::format("edges = cuesta.threshold(strength, {})\n", limit);
  } else {
    const double largest = largest_magnitude(options);
    const int white = source.deep ? 65535 : 255;
    cpp += fmt::format(
        "  const double scale = 1.0 / {:.17g};  // so that the largest possible strength is white\n"
        "  for (int y = 0; y < edges.height(); ++y)\n"
        "    for (int x = 0; x < edges.width(); ++x)\n"
        "      edges.at(x, y) = {}(std::min(strength.at(x, y) * scale + 0.5, {}.0));\n",
        largest, sample, white);
    python += fmt::format(
        "scale = 1 / {:.17g}  # so that the largest possible strength is white\n"
        "edges = np.minimum(strength.astype(float) * scale + 0.5, {}).astype(np.{})\n",
        largest, white, source.deep ? "uint16" : "uint8");
  }
  cpp += fmt::format("  cuesta::write({}, edges);\n", in_quotes(program.out));
  python += fmt::format("cuesta.imwrite({}, edges)\n", in_quotes(program.out));
  out["cpp"] = program.cpp(cpp, is_mask ? "" : "#include <algorithm>\n");
  out["python"] = program.python(python, is_mask ? "" : "import numpy as np\n");
}

}  // namespace

std::string beside(const std::string& path, const std::string& ending) {
  return std::filesystem::path(path).stem().string() + ending;
}

Json copies_of_edges(const EdgesAsked& asked, const Source& source) {
  const std::string out = beside(source.path, "-edges.png");
  std::vector<std::string> command = {"cuesta", "edges", source.path, "-o", out};
  std::vector<std::string> by_config = command;
  by_config.insert(by_config.end(), {"--config", "edges.toml"});
  command.insert(command.end(), asked.words().begin(), asked.words().end());
  Json all = {{"command", in_shell(command) + "\n"},
              {"cpp", ""},
              {"python", ""},
              {"config", config_of("edges", asked.words(), by_config)}};
  const Program program{source, out, asked->takes_color() && source.channels >= 3,
                        !asked->lines.out.empty()};
  if (asked->method == "canny")
    canny_copies(asked, source, program, all);
  else if (asked->method == "log")
    log_copies(asked, source, program, all);
  else if (asked->method == "sobel")
    sobel_copies(asked, source, program, all);
  else
    boundaries_copies(asked, program, all);
  return all;
}

namespace {

std::string zones_in_cpp(const Scene& scene) {
  std::string out;
  for (const Zone& zone : scene.zones) {
    std::string corners;
    for (const Point& p : zone.polygon)
      corners += fmt::format("{}{{{}, {}}}", corners.empty() ? "" : ", ", p.x, p.y);
    out += fmt::format(
        "  options.scene.zones.push_back({{.name = {}, .kind = cuesta::ZoneKind::{}, "
        ".polygon = {{{}}}}});\n",
        in_quotes(zone.name), zone.kind == ZoneKind::include ? "include" : "exclude", corners);
  }
  for (const CountingLine& line : scene.lines) {
    out += fmt::format(
        "  options.scene.lines.push_back({{.name = {}, .from = {{{}, {}}}, .to = {{{}, {}}}}});\n",
        in_quotes(line.name), line.from.x, line.from.y, line.to.x, line.to.y);
  }
  return out;
}

std::string zones_in_python(const Scene& scene) {
  std::string zones, lines;
  for (const Zone& zone : scene.zones) {
    std::string corners;
    for (const Point& p : zone.polygon)
      corners += fmt::format("{}({}, {})", corners.empty() ? "" : ", ", p.x, p.y);
    zones += fmt::format("    cuesta.Zone({}, [{}], {}),\n", in_quotes(zone.name), corners,
                         in_quotes(zone.kind == ZoneKind::include ? "include" : "exclude"));
  }
  for (const CountingLine& line : scene.lines) {
    lines += fmt::format("    cuesta.CountingLine({}, ({}, {}), ({}, {})),\n", in_quotes(line.name),
                         line.from.x, line.from.y, line.to.x, line.to.y);
  }
  std::string out;
  if (!zones.empty()) out += fmt::format("zones = [\n{}]\n", zones);
  if (!lines.empty()) out += fmt::format("lines = [\n{}]\n", lines);
  return out;
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
  std::string cpp, python;
  for_each_field<MotionOptions>([&](const auto& one) {
    if (!gives(asked.words(), one.name)) return;
    MotionOptions given;
    asked->described.read(
        given);  // the limit is the detector's here, whoever holds objects against it
    const auto& value = one.get(given);
    if (one.name == "background")
      cpp = fmt::format("  options.motion = cuesta::MotionOptions::of({});\n", in_cpp(value)) + cpp;
    else
      cpp += fmt::format("  options.motion.{}{} = {};\n",
                         one.name == "rate_shift" ? "background." : "", one.name, in_cpp(value));
    python += fmt::format(", {}={}", one.name, in_python(value));
  });
  for_each_field<DownscaleOptions>([&](const auto& one) {
    if (!gives(asked.words(), one.name)) return;
    const auto& value = one.get(settings.looks);
    cpp += fmt::format("  options.{} = {};\n", one.name, in_cpp(value));
    python += fmt::format(", {}={}", one.name, in_python(value));
  });
  if (tracks) {
    for_each_field<TrackingOptions>([&](const auto& one) {
      if (one.name == "min_area" || !gives(asked.words(), one.name)) return;
      const auto& value = one.get(*settings.tracking);
      cpp += fmt::format("  options.tracking.{} = {};\n", one.name, in_cpp(value));
      python += fmt::format(", {}={}", one.name, in_python(value));
    });
  }
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
