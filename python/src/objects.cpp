// Point operations, morphology and components.
#include "cuesta/objects.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <array>
#include <memory>

#include "components.hpp"
#include "cuesta/clean.hpp"
#include "cuesta/measure.hpp"
#include "keywords.hpp"
#include "module.hpp"
#include "recipes/descriptions.hpp"

namespace cuesta::python {
namespace {

using namespace nb::literals;

Components run_label(const Array& mask, const std::optional<OutArray>& labels, int layout,
                     Keywords keywords, uintptr_t stream) {
  const ConstAnyView source = plane_of(mask, layout, "mask");
  const AnyView target = labels ? plane_of(*labels, layout, "out") : AnyView();
  const auto options = options_from<LabelOptions>(keywords);
  const Exec exec = exec_from(keywords, stream, "label");
  std::vector<Component> found;
  ComponentColumns columns;
  without_lock(mask, [&] {
    label(source, target, &found, options, exec);
    columns = ComponentColumns(found);
  });
  return columns.take();
}

Table<double> run_measure(const Array& labels, int32_t count, const std::optional<Array>& intensity,
                          int layout, Keywords keywords, uintptr_t stream) {
  const ConstAnyView source = plane_of(labels, layout, "labels");
  const ConstAnyView samples =
      intensity ? plane_of(*intensity, layout, "intensity") : ConstAnyView();
  const Exec exec = exec_from(keywords, stream, "measure");
  std::vector<double> columns;
  without_lock(labels, [&] { columns = measure_columns(measure(source, count, samples, exec)); });
  return table(std::move(columns), measure_column_count);
}

void run_to_gray(const Array& image, int layout, const OutArray& out, int out_layout,
                 nb::handle order, Keywords keywords, uintptr_t stream) {
  const auto source = pictures_of(image, layout, "image");
  const auto target = pictures_of(out, out_layout, "out");
  check_same_count(source.count(), target.count(), "image", "out");
  const ColorOrder channels =
      std::array{ColorOrder::rgb, ColorOrder::bgr}[index_of("order", order, {"rgb", "bgr"})];
  const Exec exec = exec_from(keywords, stream, "to_gray");
  for_each_batch(image, source, [&](const ConstBatch& from, int64_t i) {
    to_gray(from, target.batch(i, from.count), channels, exec);
  });
}

void run_absdiff(const Array& a, const Array& b, const OutArray& out, int layout, Keywords keywords,
                 uintptr_t stream) {
  const auto first = pictures_of(a, layout, "a");
  const auto second = pictures_of(b, layout, "b");
  const auto target = pictures_of(out, layout, "out");
  check_same_count(first.count(), second.count(), "a", "b");
  check_same_count(first.count(), target.count(), "a", "out");
  const Exec exec = exec_from(keywords, stream, "absdiff");
  for_each_batch(a, first, [&](const ConstBatch& from, int64_t i) {
    absdiff(from, second.batch(i, from.count), target.batch(i, from.count), exec);
  });
}

void run_threshold(const Array& image, const OutArray& out, int layout, double limit,
                   Keywords keywords, uintptr_t stream) {
  const auto source = pictures_of(image, layout, "image");
  const auto target = pictures_of(out, layout, "out");
  check_same_count(source.count(), target.count(), "image", "out");
  const Exec exec = exec_from(keywords, stream, "threshold");
  for_each_batch(image, source, [&](const ConstBatch& from, int64_t i) {
    threshold(from, target.batch(i, from.count), limit, exec);
  });
}

Table<uint64_t> run_histogram(const Array& image, int layout, Keywords keywords, uintptr_t stream) {
  const ConstAnyView source = plane_of(image, layout, "image");
  std::vector<uint64_t> bins(source.type == PixelType::u16 ? 65536 : 256);
  const Exec exec = exec_from(keywords, stream, "histogram");
  without_lock(image, [&] { histogram(source, bins, exec); });
  return table(std::move(bins), 1);
}

StructuringElement element_of(int width, int height, const std::vector<uint8_t>& cells) {
  return {width, height, cells};
}

// The arguments that make an equal structuring element, for pickle and copy.
using Cells = std::tuple<int, int, std::vector<uint8_t>>;

}  // namespace

void bind_objects(nb::module_& m) {
  nb::class_<StructuringElement>(m, "StructuringElement", "A set of offsets around an anchor.")
      .def_static("of_cells", element_of, "width"_a, "height"_a, "cells"_a)
      .def_static(
          "parse", [](const std::string& text) { return StructuringElement::parse(text); },
          "text"_a)
      .def_prop_ro("side",
                   [](const StructuringElement& element) {
                     return std::max(element.width(), element.height());
                   })
      .def("cells",
           [](const StructuringElement& element) {
             const auto cells = element.cells();
             return table(std::vector<uint8_t>(cells.begin(), cells.end()),
                          size_t(element.width()));
           })
      .def("__getstate__",
           [](const StructuringElement& element) {
             const auto cells = element.cells();
             return Cells(element.width(), element.height(), {cells.begin(), cells.end()});
           })
      .def("__setstate__", [](StructuringElement& self, const Cells& cells) {
        new (&self) StructuringElement(std::get<0>(cells), std::get<1>(cells), std::get<2>(cells));
      });
  def_filter<MorphologyOptions, StructuringElement>(m, "erode", erode, "element"_a);
  def_filter<MorphologyOptions, StructuringElement>(m, "dilate", dilate, "element"_a);
  def_filter<MorphologyOptions, StructuringElement>(m, "open", morph_open, "element"_a);
  def_filter<MorphologyOptions, StructuringElement>(m, "close", morph_close, "element"_a);
  def_filter<RemoveSmallOptions>(m, "remove_small", remove_small);
  def_filter<FillHolesOptions>(m, "fill_holes", fill_holes);
  m.def("label", run_label, "mask"_a, "labels"_a.none(), "layout"_a, "keywords"_a, "stream"_a);
  m.def("measure", run_measure, "labels"_a, "count"_a, "intensity"_a.none(), "layout"_a,
        "keywords"_a, "stream"_a);
  m.def("to_gray", run_to_gray, "image"_a, "layout"_a, "out"_a, "out_layout"_a, "order"_a,
        "keywords"_a, "stream"_a);
  m.def("absdiff", run_absdiff, "a"_a, "b"_a, "out"_a, "layout"_a, "keywords"_a, "stream"_a);
  m.def("threshold", run_threshold, "image"_a, "out"_a, "layout"_a, "limit"_a, "keywords"_a,
        "stream"_a);
  m.def("histogram", run_histogram, "image"_a, "layout"_a, "keywords"_a, "stream"_a);
  m.def(
      "otsu_threshold", [](const std::vector<uint64_t>& bins) { return otsu_threshold(bins); },
      "bins"_a);
}

}  // namespace cuesta::python
