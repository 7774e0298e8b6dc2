// Steps of canny() on bands of rows, for lazy arrays (python/cuesta/_lazy_bands.py).
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "components.hpp"
#include "cuesta/bands.hpp"
#include "cuesta/recipes/edges.hpp"
#include "keywords.hpp"
#include "module.hpp"
#include "recipes.hpp"
#include "recipes/descriptions.hpp"

namespace cuesta::python {
namespace {

using namespace nb::literals;
using Pair = std::pair<double, double>;
using Counts = nb::ndarray<const uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Marks = nb::ndarray<const uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Whether the options are those of edges(), not of canny(); then the rule, level and pair of the
// thresholds, and the sigma that was found.
using Way = std::tuple<bool, std::optional<std::string>, std::optional<double>, std::optional<Pair>,
                       std::optional<double>>;

CannyOptions options_of(const Way& way, Keywords& keywords) {
  const auto& [is_edges, rule, level, given, sigma] = way;
  if (is_edges)
    return recipes::EdgesRecipe(edges_options_from("canny", {rule, level, given}, keywords))
        .canny({}, sigma);
  auto options = options_from<CannyOptions>(keywords);
  if (given)
    options.thresholds = Given{given->first, given->second};
  else
    options.thresholds = rule_of(rule.value_or("auto"));
  return options;
}

ConstAnyView mask_of(const std::optional<Array>& mask) {
  return mask ? plane_of(*mask, int(Layout::hw), "mask") : ConstAnyView();
}

// The rows around a row that decide it.
int32_t reach(const Way& way, Keywords keywords) {
  const CannyOptions options = options_of(way, keywords);
  exec_from(keywords, 0, "canny");
  return std::max(reach_of(options), SigmaBands::reach());
}

// The histogram of the magnitudes in rows [first, end) of a band.
Table<uint64_t> count(const Array& rows, int layout, const std::optional<Array>& mask,
                      int32_t first, int32_t end, const Way& way, Keywords keywords) {
  const ConstAnyView band = plane_of(rows, layout, "image"), inside = mask_of(mask);
  CannyOptions options = options_of(way, keywords);
  const Exec exec = exec_from(keywords, 0, "canny");
  std::vector<uint64_t> counts;
  without_lock(rows, [&] {
    CannyBands bands(band.width, options);
    bands.count(band, first, end, exec, inside);
    counts = bands.counts();
  });
  return table(std::move(counts), 1);
}

Pair thresholds(const std::string& type, const std::optional<Counts>& counts, const Way& way,
                Keywords keywords) {
  const CannyOptions options = options_of(way, keywords);
  exec_from(keywords, 0, "canny");
  CannyBands bands(1, options);
  if (counts) bands.add_counts(std::span(counts->data(), counts->size()), type_named(type));
  const CannyResult found = counts ? bands.find_thresholds() : bands.thresholds();
  return {found.low, found.high};
}

// The marks of rows [first, end) of a band, by thresholds that are known.
Table<uint64_t> mark(const Array& rows, int layout, const std::optional<Array>& mask, int32_t first,
                     int32_t end, const Pair& limits, const Way& way, Keywords keywords) {
  const ConstAnyView band = plane_of(rows, layout, "image"), inside = mask_of(mask);
  const CannyOptions options = options_of(way, keywords);
  const Exec exec = exec_from(keywords, 0, "canny");
  std::vector<uint64_t> marks;
  int64_t words = 0;
  without_lock(rows, [&] {
    CannyBands bands(band.width, options);
    bands.set_thresholds({limits.first, limits.second});
    words = bands.mark_words();
    marks.resize(size_t(words * std::max(0, end - first)));
    bands.mark(band, first, end, marks.data(), exec, inside);
  });
  return table(std::move(marks), size_t(words));
}

// The edges of a picture, a bit a pixel, from the marks of its bands, downwards.
Table<uint64_t> join(int32_t width, const std::vector<Marks>& bands) {
  CannyBands seams(width, {.thresholds = Given{}});
  const auto words = size_t(seams.mark_words());
  std::vector<uint64_t> marks, edges;
  {
    const Unlocked unlocked;
    for (const Marks& band : bands) {
      marks.insert(marks.end(), band.data(), band.data() + band.size());
      seams.add(band.data(), int32_t(band.shape(0)));
    }
    seams.join();
    edges.resize(marks.size() / 2);
    const auto strips = seams.strips();
    for (size_t i = 0; i < strips.size(); ++i) {
      const auto first = size_t(strips[i].first);
      seams.resolve(int32_t(i), marks.data() + words * first, edges.data() + words / 2 * first);
    }
  }
  return table(std::move(edges), words / 2);
}

// What SigmaBands counts of rows [first, end) of a band.
Table<uint64_t> count_sigma(const Array& rows, int layout, const std::optional<Array>& mask,
                            int32_t first, int32_t end) {
  const ConstAnyView band = plane_of(rows, layout, "image"), inside = mask_of(mask);
  std::vector<uint64_t> counts;
  without_lock(rows, [&] {
    SigmaBands bands(band.width);
    bands.count(band, first, end, {}, inside);
    counts = bands.counts();
  });
  return table(std::move(counts), 1);
}

double find_sigma(const std::string& type, const Counts& counts) {
  SigmaBands bands(1);
  bands.add_counts(std::span(counts.data(), counts.size()), type_named(type));
  return bands.find_sigma();
}

// Of a component in a band: box, area, sums of the coordinates.
constexpr size_t part_columns = 7;
using Parts =
    nb::ndarray<const int64_t, nb::shape<-1, int64_t(part_columns)>, nb::c_contig, nb::device::cpu>;
using Ends = nb::ndarray<const int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The components of a band of a mask, and the labels of its first and last row.
std::tuple<Table<int64_t>, Table<int32_t>, Table<int32_t>> find_parts(const Array& rows, int layout,
                                                                      Keywords keywords) {
  const ConstAnyView band = plane_of(rows, layout, "mask");
  const LabelBands bands(band.width, options_from<LabelOptions>(keywords));
  const Exec exec = exec_from(keywords, 0, "label");
  LabelBands::Found found;
  std::vector<int64_t> parts;
  without_lock(rows, [&] {
    found = bands.find(band, exec);
    for (const Component& c : found.components)
      parts.insert(parts.end(),
                   {c.box.x, c.box.y, c.box.width, c.box.height, c.area, c.sum_x, c.sum_y});
  });
  return {table(std::move(parts), part_columns), table(std::move(found.first), size_t(band.width)),
          table(std::move(found.last), size_t(band.width))};
}

// Boxes, areas and centroids of all components, and the labels of each band's.
std::tuple<Components, std::vector<Table<int32_t>>> join_parts(
    int32_t width, const std::vector<std::tuple<int32_t, Parts, Ends, Ends>>& found,
    Keywords keywords) {
  LabelBands bands(width, options_from<LabelOptions>(keywords));
  exec_from(keywords, 0, "label");
  ComponentColumns columns;
  {
    const Unlocked unlocked;
    for (const auto& [rows, parts, first, last] : found) {
      LabelBands::Found one{.rows = rows,
                            .first = {first.data(), first.data() + first.size()},
                            .last = {last.data(), last.data() + last.size()}};
      for (size_t i = 0; i < parts.shape(0); ++i) {
        const int64_t* c = parts.data() + part_columns * i;
        one.components.push_back(
            {.label = int32_t(i) + 1,
             .box = {int32_t(c[0]), int32_t(c[1]), int32_t(c[2]), int32_t(c[3])},
             .area = c[4],
             .sum_x = c[5],
             .sum_y = c[6]});
      }
      bands.add(one);
    }
    columns = ComponentColumns(bands.join());
  }
  std::vector<Table<int32_t>> labels;
  for (int32_t band = 0; band < int32_t(found.size()); ++band) {
    const auto of_band = bands.labels_of(band);
    labels.push_back(table(std::vector<int32_t>(of_band.begin(), of_band.end()), 1));
  }
  return {columns.take(), std::move(labels)};
}

}  // namespace

void bind_lazy(nb::module_& m) {
  m.def("label_find", find_parts, "rows"_a, "layout"_a, "keywords"_a);
  m.def("label_join", join_parts, "width"_a, "found"_a, "keywords"_a);
  m.def("canny_reach", reach, "way"_a, "keywords"_a);
  m.def("canny_count", count, "rows"_a, "layout"_a, "mask"_a.none(), "first"_a, "end"_a, "way"_a,
        "keywords"_a);
  m.def("canny_thresholds", thresholds, "type"_a, "counts"_a.none(), "way"_a, "keywords"_a);
  m.def("canny_mark", mark, "rows"_a, "layout"_a, "mask"_a.none(), "first"_a, "end"_a, "limits"_a,
        "way"_a, "keywords"_a);
  m.def("canny_join", join, "width"_a, "bands"_a);
  m.def("sigma_count", count_sigma, "rows"_a, "layout"_a, "mask"_a.none(), "first"_a, "end"_a);
  m.def("find_sigma", find_sigma, "type"_a, "counts"_a);
}

}  // namespace cuesta::python
