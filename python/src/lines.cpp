// trace: edges as lines.
#include "cuesta/lines.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "keywords.hpp"
#include "lines.hpp"
#include "module.hpp"
#include "recipes/descriptions.hpp"

namespace cuesta::python {
namespace {

using namespace nb::literals;

Traced trace_canny(const Array& image, int layout, const std::optional<Array>& edges,
                   const std::optional<Array>& mask, const std::string& threshold,
                   const std::optional<std::pair<double, double>>& given, Keywords keywords,
                   uintptr_t stream) {
  const ConstAnyView source = plane_of(image, layout, "image");
  const auto how = options_from<TraceOptions>(keywords);
  auto options = options_from<CannyOptions>(keywords);
  const Exec exec = exec_from(keywords, stream, "trace");
  if (given)
    options.thresholds = Given{given->first, given->second};
  else
    options.thresholds = rule_of(threshold);
  ConstAnyView found;
  if (edges) found = plane_of(*edges, layout, "edges");
  if (mask) options.mask = plane_of(*mask, layout, "mask");
  Polylines lines;
  without_lock(image, [&] {
    lines = edges ? trace(source, found, options, how, exec) : trace(source, options, how, exec);
  });
  return rows_of(lines);
}

Traced trace_log(const Array& image, int layout, std::optional<double> threshold, Keywords keywords,
                 uintptr_t stream) {
  const ConstAnyView source = plane_of(image, layout, "image");
  const auto how = options_from<TraceOptions>(keywords);
  LogOptions options;
  read(keywords, "sigma", options.sigma);
  read(keywords, "ksize", options.ksize);
  if (threshold) options.threshold = *threshold;
  const Exec exec = exec_from(keywords, stream, "trace");
  Polylines lines;
  without_lock(image, [&] { lines = trace(source, options, how, exec); });
  return rows_of(lines);
}

}  // namespace

Traced rows_of(const Polylines& lines) {
  std::vector<double> places, strengths;
  std::vector<LineRow> rows;
  for (const Polyline& line : lines) {
    for (const LinePoint& p : line.points) {
      places.insert(places.end(), {p.x, p.y});
      strengths.push_back(p.strength);
    }
    rows.emplace_back(line.points.size(), line.closed, line.length, line.strength);
  }
  const auto bytes = [](const std::vector<double>& v) {
    return nb::bytes(v.data(), v.size() * sizeof(double));
  };
  return {bytes(places), bytes(strengths), std::move(rows)};
}

void bind_lines(nb::module_& m) {
  m.def("trace_canny", trace_canny, "image"_a, "layout"_a, "edges"_a.none(), "mask"_a.none(),
        "threshold"_a, "given"_a.none(), "keywords"_a, "stream"_a);
  m.def("trace_log", trace_log, "image"_a, "layout"_a, "threshold"_a.none(), "keywords"_a,
        "stream"_a);
}

}  // namespace cuesta::python
