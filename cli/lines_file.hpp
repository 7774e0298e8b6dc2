// Lines of a picture as a file: SVG for drawing programs, GeoJSON for maps, JSON for programs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/inputs.hpp"
#include "cuesta/io/picture.hpp"
#include "cuesta/lines.hpp"

namespace cuesta::cli {

/// "svg", "geojson" and "json".
inline constexpr std::string_view line_formats[] = {"svg", "geojson", "json"};

/// Where the lines of a verb's pictures go, as --lines and --lines-format say it.
struct LinesOptions {
  std::string out{}, format{};
};

/// Sets Job::lines and Job::lines_format of every job: `out` itself, or a file of the picture's
/// name in the folder `out`. Throws Error{invalid_argument} for a name of no format, and for what
/// is no picture or has several.
void name_lines(Plan& plan, const LinesOptions& options);

/// What is written beside the lines.
struct LinesFacts {
  std::string source{}, method{};
  int32_t width = 0, height = 0;
  std::optional<io::MapGrid> map{};
};
/// The whole file. `format` is one of line_formats. SVG and GeoJSON count from the picture's upper
/// left corner, JSON from the centre of the pixel there. GeoJSON has coordinates of the map;
/// without one, pixels with y upwards, so that the lines are on the picture in a GIS.
std::string text_of_lines(std::string_view format, const Polylines& lines, const LinesFacts& facts);
/// The same of regions, as polygons with their label, area in pixels and mean gray level.
std::string text_of_outlines(std::string_view format, const std::vector<Outline>& outlines,
                             const LinesFacts& facts);

}  // namespace cuesta::cli
