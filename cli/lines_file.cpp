#include "cli/lines_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "cli/results.hpp"
#include "cuesta/version.hpp"

namespace cuesta::cli {
namespace {

namespace fs = std::filesystem;

// The format that a name says, or an empty one.
std::string format_of(const std::string& name) {
  const std::string extension = fs::path(name).extension().string();
  for (const std::string_view format : line_formats)
    if (extension.size() == format.size() + 1 && extension.ends_with(format))
      return std::string(format);
  return {};
}

// With `decimals` digits behind the point, without the zeros that say nothing.
void append(std::string& text, double value, int decimals = 3) {
  std::array<char, 64> buffer{};
  const auto end = fmt::format_to_n(buffer.data(), buffer.size(), "{:.{}f}", value, decimals).out;
  std::string_view digits(buffer.data(), size_t(end - buffer.data()));
  if (decimals > 0) digits = digits.substr(0, digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.')) digits.remove_suffix(1);
  text += digits == "-0" ? "0" : digits;
}

void append_pair(std::string& text, double x, double y) {
  append(text, x);
  text += ',';
  append(text, y);
}

std::string svg_head(const LinesFacts& facts) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\">\n<title>{2}</title>\n<desc>edges ({3}), cuesta {4}</desc>\n"
      "<g id=\"edges\" fill=\"none\" stroke=\"#000\" stroke-width=\"1\" stroke-linecap=\"round\" "
      "stroke-linejoin=\"round\">\n",
      facts.width, facts.height, escaped(fs::path(facts.source).filename().string()), facts.method,
      CUESTA_VERSION);
}

void append_path(std::string& text, std::span<const LinePoint> points, bool closed) {
  text += 'M';
  for (const LinePoint& p : points) {
    if (&p != points.data()) text += ' ';
    append_pair(text, p.x + 0.5, p.y + 0.5);
  }
  if (closed) text += 'Z';
}

std::string svg_of(const Polylines& lines, const LinesFacts& facts) {
  std::string text = svg_head(facts);
  for (const Polyline& line : lines) {
    text += "<path d=\"";
    append_path(text, line.points, line.closed);
    text += "\"/>\n";
  }
  return text + "</g>\n</svg>\n";
}

std::string svg_of(const std::vector<Outline>& outlines, const LinesFacts& facts) {
  std::string text = svg_head(facts);
  for (const Outline& one : outlines) {
    text += fmt::format("<path id=\"region-{}\" d=\"", one.label);
    for (const auto& ring : one.rings) append_path(text, ring, true);
    text += "\"/>\n";
  }
  return text + "</g>\n</svg>\n";
}

// Positions of a picture as those of its map, or as pixels with y upwards.
class Places {
 public:
  explicit Places(const LinesFacts& facts)
      : map_(facts.map.value_or(io::MapGrid{.down = {0, -1, 0}})), has_map_(facts.map) {
    // A thousandth of a pixel.
    const double pixel = std::hypot(map_.across[0], map_.down[0]);
    decimals_ = pixel > 0 ? std::clamp(int(3 - std::floor(std::log10(pixel))), 0, 15) : 3;
  }

  std::string head(const LinesFacts& facts) const {
    const Json name = fs::path(facts.source).stem().string();
    std::string text = fmt::format("{{\"type\":\"FeatureCollection\",\"name\":{},", line_of(name));
    if (!has_map_) text += "\"coordinates\":\"pixels\",";
    if (map_.epsg > 0)
      text += fmt::format(
          "\"crs\":{{\"type\":\"name\",\"properties\":{{\"name\":\"urn:ogc:def:crs:EPSG::{}\"}}}},",
          map_.epsg);
    return text + "\"features\":[";
  }
  void append_place(std::string& text, const LinePoint& p) const {
    const double x = p.x + 0.5, y = p.y + 0.5;
    text += '[';
    append(text, map_.across[0] * x + map_.across[1] * y + map_.across[2], decimals_);
    text += ',';
    append(text, map_.down[0] * x + map_.down[1] * y + map_.down[2], decimals_);
    text += ']';
  }
  // Whether what turns to the right in the picture does so on the map.
  bool keeps_turns() const {
    return map_.across[0] * map_.down[1] - map_.across[1] * map_.down[0] < 0;
  }

 private:
  io::MapGrid map_;
  bool has_map_;
  int decimals_ = 3;
};

std::string geojson_of(const Polylines& lines, const LinesFacts& facts) {
  const Places places(facts);
  std::string text = places.head(facts);
  for (const Polyline& line : lines) {
    text += &line == lines.data() ? "\n" : ",\n";
    text += fmt::format(
        "{{\"type\":\"Feature\",\"properties\":{{\"strength\":{:.3f},\"length\":{:.3f},"
        "\"closed\":{}}},\"geometry\":{{\"type\":\"LineString\",\"coordinates\":[",
        line.strength, line.length, line.closed);
    for (const LinePoint& p : line.points) {
      if (&p != line.points.data()) text += ',';
      places.append_place(text, p);
    }
    if (line.closed) text += ',', places.append_place(text, line.points.front());
    text += "]}}";
  }
  return text + "\n]}\n";
}

// An outer ring turns to the left, a hole to the right (RFC 7946).
std::string geojson_of(const std::vector<Outline>& outlines, const LinesFacts& facts) {
  const Places places(facts);
  std::string text = places.head(facts);
  for (const Outline& one : outlines) {
    text += &one == outlines.data() ? "\n" : ",\n";
    text += fmt::format(
        "{{\"type\":\"Feature\",\"properties\":{{\"label\":{},\"area\":{},\"mean\":{:.3f}}},"
        "\"geometry\":{{\"type\":\"Polygon\",\"coordinates\":[",
        one.label, one.area, one.mean);
    for (const auto& ring : one.rings) {
      text += &ring == one.rings.data() ? "[" : ",[";
      const size_t count = ring.size();
      for (size_t i = 0; i <= count; ++i) {
        if (i > 0) text += ',';
        places.append_place(text, ring[(places.keeps_turns() ? count - i : i) % count]);
      }
      text += ']';
    }
    text += "]}}";
  }
  return text + "\n]}\n";
}

std::string json_head(const LinesFacts& facts) {
  const Json head = {{"schema", 1},          {"cuesta", CUESTA_VERSION}, {"source", facts.source},
                     {"width", facts.width}, {"height", facts.height},   {"method", facts.method}};
  std::string text = line_of(head);
  text.back() = ',';
  return text;
}

std::string json_of(const Polylines& lines, const LinesFacts& facts) {
  std::string text = json_head(facts) + "\"lines\":[";
  for (const Polyline& line : lines) {
    text += &line == lines.data() ? "\n" : ",\n";
    text += fmt::format("{{\"closed\":{},\"length\":{:.3f},\"strength\":{:.3f},\"points\":[",
                        line.closed, line.length, line.strength);
    for (const LinePoint& p : line.points) {
      text += &p == line.points.data() ? "[" : ",[";
      append_pair(text, p.x, p.y);
      text += ',';
      append(text, p.strength);
      text += ']';
    }
    text += "]}";
  }
  return text + "\n]}\n";
}

std::string json_of(const std::vector<Outline>& outlines, const LinesFacts& facts) {
  std::string text = json_head(facts) + "\"regions\":[";
  for (const Outline& one : outlines) {
    text += &one == outlines.data() ? "\n" : ",\n";
    text += fmt::format("{{\"label\":{},\"area\":{},\"mean\":{:.3f},\"rings\":[", one.label,
                        one.area, one.mean);
    for (const auto& ring : one.rings) {
      text += &ring == one.rings.data() ? "[" : ",[";
      for (const LinePoint& p : ring) {
        text += &p == ring.data() ? "[" : ",[";
        append_pair(text, p.x, p.y);
        text += ']';
      }
      text += ']';
    }
    text += "]}";
  }
  return text + "\n]}\n";
}

void check_job(const Job& job) {
  if (job.kind == InputKind::stream)
    usage_error(job.input, "--lines: {} is a video; lines require a picture",
                job.input == "-" ? "standard input" : job.input);
  if (job.pages > 1)
    usage_error(job.input, "--lines: {} has {} pages; choose one with --page", job.input,
                job.pages);
}

// Files of a folder are named as their pictures; where two would have one name, after the whole
// name.
void name_in_folder(std::vector<Job>& jobs, const std::string& out) {
  std::map<std::string, int> wanted;
  const auto name_of = [](const Job& job) {
    return job.input == "-" ? fs::path("stdin") : fs::path(job.input).filename();
  };
  for (const Job& job : jobs) ++wanted[name_of(job).stem().string()];
  for (Job& job : jobs) {
    fs::path name = name_of(job);
    if (wanted[name.stem().string()] == 1) name = name.stem();
    job.lines = (fs::path(out) / (name += "." + job.lines_format)).string();
  }
}

}  // namespace

void name_lines(Plan& plan, const LinesOptions& options) {
  const std::string& out = options.out;
  std::error_code ignored;
  const bool into_folder =
      out != "-" && (plan.is_batch || fs::is_directory(out, ignored) || out.ends_with('/'));
  if (!into_folder && plan.is_batch)
    usage_error("-", "--lines is - and there are several results; name a folder");
  const std::string named = format_of(out);
  if (!into_folder && out != "-") {
    if (named.empty())
      usage_error(out, "--lines is {}; the extension must be .svg, .geojson or .json", out);
    if (!options.format.empty() && options.format != named)
      usage_error(options.format,
                  "--lines-format is {} and --lines is {}; the extension sets the format",
                  options.format, out);
  }
  if (into_folder && !fs::is_directory(out, ignored) &&
      (!named.empty() || fs::exists(out, ignored))) {
    usage_error(out, "--lines is {}; with several inputs it must be a folder, and this {} a file",
                out, fs::exists(out, ignored) ? "is" : "names");
  }
  for (Job& job : plan.jobs) {
    check_job(job);
    job.lines = out;
    job.lines_format =
        into_folder || out == "-" ? (options.format.empty() ? "svg" : options.format) : named;
  }
  if (into_folder) name_in_folder(plan.jobs, out);
  if (into_folder) plan.folders.push_back(out);
}

std::string text_of_lines(std::string_view format, const Polylines& lines,
                          const LinesFacts& facts) {
  if (format == "svg") return svg_of(lines, facts);
  return format == "geojson" ? geojson_of(lines, facts) : json_of(lines, facts);
}

std::string text_of_outlines(std::string_view format, const std::vector<Outline>& outlines,
                             const LinesFacts& facts) {
  if (format == "svg") return svg_of(outlines, facts);
  return format == "geojson" ? geojson_of(outlines, facts) : json_of(outlines, facts);
}

}  // namespace cuesta::cli
