// edges, edge_lines.
#include "recipes.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "core/check.hpp"
#include "cuesta/recipes/edges.hpp"
#include "lines.hpp"
#include "module.hpp"
#include "recipes/descriptions.hpp"

namespace cuesta::python {
namespace {

using namespace nb::literals;
using recipes::EdgesRecipe;
using recipes::PictureKind;

// What was found, and a warning; empty where there is none.
template <class Found>
using Warned = std::pair<Found, std::string>;
// The thresholds and the sigma that Canny used of each picture.
using AllUsed = std::vector<std::tuple<double, double, double>>;

// Computes the edges of each picture.
Warned<AllUsed> run_edges(const Array& image, const OutArray& out, int layout, int flat_layout,
                          const std::optional<Array>& mask, const std::string& method,
                          const std::optional<std::string>& rule, std::optional<double> level,
                          const std::optional<std::pair<double, double>>& given, Keywords keywords,
                          uintptr_t stream) {
  const auto source = pictures_of(image, layout, "image");
  const auto target = pictures_of(out, flat_layout, "out");
  check_same_count(source.count(), target.count(), "image", "out");
  Pictures<ConstAnyView> inside;
  if (mask) {
    inside = pictures_of(*mask, flat_layout, "mask");
    check_same_count(source.count(), inside.count(), "image", "mask");
  }
  EdgesOptions options = edges_options_from(method, {rule, level, given}, keywords);
  if (mask && method != "canny")
    throw_invalid("mask", "mask requires method 'canny'; method is '{}'", method);
  const recipes::White white = white_from(keywords);
  const Exec exec = exec_from(keywords, stream, "edges");
  Warned<AllUsed> result;
  auto& [used, warning] = result;
  for_each_batch(image, source, [&](const ConstBatch& from, int64_t i) {
    const Batch to = target.batch(i, from.count);
    for (int32_t k = 0; k < from.count; ++k) {
      if (mask) std::get<CannyEdges>(options).mask = inside.batch(i, from.count)[k];
      const recipes::EdgeSource of(EdgesRecipe(options), from[k], white, exec);
      const EdgesResult found = recipes::edges_at(of, to[k], options, exec);
      if (warning.empty()) warning = of.warning;
      if (!found.sigma) continue;
      const CannyResult thresholds = found.thresholds.value_or(CannyResult{});
      used.emplace_back(thresholds.low, thresholds.high, *found.sigma);
    }
  });
  return result;
}

// The remark on pictures of 16 bits that are all dim; else empty.
std::string dim_remark(const Array& image, int layout) {
  const auto source = pictures_of(image, layout, "image");
  int32_t largest = 0;
  bool is_dim = true;
  for_each_batch(image, source, [&](const ConstBatch& from, int64_t) {
    for (int32_t k = 0; is_dim && k < from.count; ++k) {
      const int32_t one = recipes::largest_of_dim(from[k], recipes::kind_of(from[k]).has_alpha);
      largest = (is_dim = one > 0) ? std::max(largest, one) : 0;
    }
  });
  return recipes::dim_remark(largest);
}

}  // namespace

PixelType type_named(const std::string& name) {
  return name == "uint8" ? PixelType::u8 : name == "uint16" ? PixelType::u16 : PixelType::f32;
}

namespace {

// The type of Canny's strengths in an image of type "uint8", "uint16" or "float32".
std::string type_of_strengths(const std::string& image, Keywords keywords) {
  const PixelType made = edges_type(type_named(image), edges_options_from("canny", {}, keywords));
  return made == PixelType::u16 ? "uint16" : "float32";
}

Warned<Traced> run_edge_lines(const Array& image, int layout, const std::string& method,
                              const std::optional<std::string>& rule, std::optional<double> level,
                              const std::optional<std::pair<double, double>>& given,
                              Keywords keywords, uintptr_t stream) {
  const ConstAnyView source = plane_of(image, layout, "image");
  const auto how = options_from<TraceOptions>(keywords);
  const EdgesOptions options = edges_options_from(method, {rule, level, given}, keywords);
  const recipes::White white = white_from(keywords);
  const Exec exec = exec_from(keywords, stream, "edge_lines");
  Polylines lines;
  std::string warning;
  without_lock(image, [&] {
    const recipes::EdgeSource of(EdgesRecipe(options), source, white, exec);
    lines = recipes::edge_lines_at(of, options, how, exec);
    warning = of.warning;
  });
  return {rows_of(lines), warning};
}

// Points, and of each ring its region and size; of each region its label, area, mean and length.
using Outlined = std::tuple<nb::bytes, std::vector<std::pair<size_t, size_t>>,
                            std::vector<std::tuple<int32_t, int64_t, double, double>>>;

Warned<Outlined> run_region_outlines(const Array& image, int layout, std::optional<double> level,
                                     Keywords keywords, uintptr_t stream) {
  const ConstAnyView source = plane_of(image, layout, "image");
  const auto how = options_from<TraceOptions>(keywords);
  const EdgesOptions options = edges_options_from("regions", {{}, level, {}}, keywords);
  const recipes::White white = white_from(keywords);
  const Exec exec = exec_from(keywords, stream, "edge_lines");
  std::vector<Outline> all;
  std::string warning;
  without_lock(image, [&] {
    const recipes::EdgeSource of(EdgesRecipe(options), source, white, exec);
    all = recipes::region_outlines_at(of, std::get<RegionEdges>(options), how, exec);
    warning = of.warning;
  });
  std::vector<double> places;
  std::vector<std::pair<size_t, size_t>> rings;
  std::vector<std::tuple<int32_t, int64_t, double, double>> rows;
  for (const Outline& one : all) {
    for (const auto& ring : one.rings) {
      rings.emplace_back(rows.size(), ring.size());
      for (const LinePoint& p : ring) places.insert(places.end(), {p.x, p.y});
    }
    rows.emplace_back(one.label, one.area, one.mean, one.length);
  }
  return {Outlined(nb::bytes(places.data(), places.size() * sizeof(double)), rings, rows), warning};
}

}  // namespace

void bind_recipes(nb::module_& m) {
  m.def("edges", run_edges, "image"_a, "out"_a, "layout"_a, "flat_layout"_a, "mask"_a.none(),
        "method"_a, "rule"_a.none(), "level"_a.none(), "given"_a.none(), "keywords"_a, "stream"_a);
  m.def("region_outlines", run_region_outlines, "image"_a, "layout"_a, "level"_a.none(),
        "keywords"_a, "stream"_a);
  m.def("dim_remark", dim_remark, "image"_a, "layout"_a);
  m.def("type_of_strengths", type_of_strengths, "image"_a, "keywords"_a);
  m.def("edge_lines", run_edge_lines, "image"_a, "layout"_a, "method"_a, "rule"_a.none(),
        "level"_a.none(), "given"_a.none(), "keywords"_a, "stream"_a);
}

}  // namespace cuesta::python
