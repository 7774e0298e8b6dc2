#include "cli/lines_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

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

// Thousandths of a pixel, without the zeros that say nothing.
void append(std::string& text, double value) {
  std::array<char, 48> buffer{};
  const auto end = fmt::format_to_n(buffer.data(), buffer.size(), "{:.3f}", value).out;
  std::string_view digits(buffer.data(), size_t(end - buffer.data()));
  digits = digits.substr(0, digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.')) digits.remove_suffix(1);
  text += digits == "-0" ? "0" : digits;
}

void append_pair(std::string& text, double x, double y) {
  append(text, x);
  text += ',';
  append(text, y);
}

std::string svg_of(const Polylines& lines, const LinesFacts& facts) {
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\">\n<title>{2}</title>\n<desc>edges ({3}), cuesta {4}</desc>\n"
      "<g id=\"edges\" fill=\"none\" stroke=\"#000\" stroke-width=\"1\" stroke-linecap=\"round\" "
      "stroke-linejoin=\"round\">\n",
      facts.width, facts.height, escaped(fs::path(facts.source).filename().string()), facts.method,
      CUESTA_VERSION);
  for (const Polyline& line : lines) {
    text += "<path d=\"M";
    for (const LinePoint& p : line.points) {
      if (&p != line.points.data()) text += ' ';
      append_pair(text, p.x + 0.5, p.y + 0.5);
    }
    text += line.closed ? "Z\"/>\n" : "\"/>\n";
  }
  return text + "</g>\n</svg>\n";
}

std::string geojson_of(const Polylines& lines, const LinesFacts& facts) {
  const Json name = fs::path(facts.source).stem().string();
  std::string text =
      fmt::format("{{\"type\":\"FeatureCollection\",\"name\":{},\"features\":[", line_of(name));
  for (const Polyline& line : lines) {
    text += &line == lines.data() ? "\n" : ",\n";
    text += fmt::format(
        "{{\"type\":\"Feature\",\"properties\":{{\"strength\":{:.3f},\"length\":{:.3f},"
        "\"closed\":{}}},\"geometry\":{{\"type\":\"LineString\",\"coordinates\":[",
        line.strength, line.length, line.closed);
    const auto add = [&](const LinePoint& p) {
      text += '[';
      append_pair(text, p.x + 0.5, -(p.y + 0.5));
      text += ']';
    };
    for (const LinePoint& p : line.points) {
      if (&p != line.points.data()) text += ',';
      add(p);
    }
    if (line.closed) text += ',', add(line.points.front());
    text += "]}}";
  }
  return text + "\n]}\n";
}

std::string json_of(const Polylines& lines, const LinesFacts& facts) {
  const Json head = {{"schema", 1},          {"cuesta", CUESTA_VERSION}, {"source", facts.source},
                     {"width", facts.width}, {"height", facts.height},   {"method", facts.method}};
  std::string text = line_of(head);
  text.back() = ',';
  text += "\"lines\":[";
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

}  // namespace cuesta::cli
