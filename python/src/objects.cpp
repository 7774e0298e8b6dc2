// Point operations, morphology and components.
#include "cuesta/objects.hpp"

#include <nanobind/stl/tuple.h>

#include <memory>

#include "arrays.hpp"
#include "module.hpp"

namespace cuesta::python {
namespace {

using namespace nb::literals;

template <class T>
using Table = nb::ndarray<nb::numpy, T, nb::ndim<2>, nb::c_contig>;

// A numpy array that owns its memory.
template <class T>
Table<T> table(std::vector<T> values, size_t columns) {
  auto held = std::make_unique<std::vector<T>>(std::move(values));
  T* data = held->data();
  const size_t rows = held->size() / columns;
  nb::capsule owner(held.release(),
                    [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Table<T>(data, {rows, columns}, owner);
}

void run_morphology(const Array& image, const OutArray& out, int layout, int what,
                    const StructuringElement& element, bool neutral, int border,
                    double border_value, const MaybeName& strategy, const Parameters& parameters,
                    int threads, uintptr_t stream) {
  const auto source = pictures_of(image, layout, "image");
  const auto target = pictures_of(out, layout, "out");
  check_same_count(source.count(), target.count(), "image", "out");
  const MorphologyOptions options{neutral, {BorderMode(border), border_value}};
  const Exec exec = exec_of(strategy, parameters, threads, stream);
  for_each_picture(image, source.count(), [&](int64_t i) {
    morphology(source[i], target[i], Morph(what), element, options, exec);
  });
}

using Components = std::tuple<Table<int32_t>, Table<int64_t>, Table<double>>;

Components run_label(const Array& mask, const std::optional<OutArray>& labels, int layout,
                     int connectivity, const MaybeName& strategy, const Parameters& parameters,
                     int threads, uintptr_t stream) {
  const ConstAnyView source = plane_of(mask, layout, "mask");
  const AnyView target = labels ? plane_of(*labels, layout, "out") : AnyView();
  const Exec exec = exec_of(strategy, parameters, threads, stream);
  std::vector<Component> found;
  std::vector<int32_t> boxes;
  std::vector<int64_t> areas;
  std::vector<double> centroids;
  for_each_picture(mask, 1, [&](int64_t) {
    label(source, target, &found, {connectivity}, exec);
    boxes.reserve(4 * found.size());
    areas.reserve(found.size());
    centroids.reserve(2 * found.size());
    for (const Component& c : found) {
      boxes.insert(boxes.end(), {c.box.x, c.box.y, c.box.width, c.box.height});
      areas.push_back(c.area);
      centroids.insert(centroids.end(), {c.centroid_x(), c.centroid_y()});
    }
  });
  return {table(std::move(boxes), 4), table(std::move(areas), 1), table(std::move(centroids), 2)};
}

void run_to_gray(const Array& image, int layout, const OutArray& out, int out_layout, bool bgr,
                 const MaybeName& strategy, const Parameters& parameters, int threads,
                 uintptr_t stream) {
  const auto source = pictures_of(image, layout, "image");
  const auto target = pictures_of(out, out_layout, "out");
  check_same_count(source.count(), target.count(), "image", "out");
  const Exec exec = exec_of(strategy, parameters, threads, stream);
  for_each_picture(image, source.count(), [&](int64_t i) {
    to_gray(source[i], target[i], bgr ? ColorOrder::bgr : ColorOrder::rgb, exec);
  });
}

void run_absdiff(const Array& a, const Array& b, const OutArray& out, int layout,
                 const MaybeName& strategy, const Parameters& parameters, int threads,
                 uintptr_t stream) {
  const auto first = pictures_of(a, layout, "a");
  const auto second = pictures_of(b, layout, "b");
  const auto target = pictures_of(out, layout, "out");
  check_same_count(first.count(), second.count(), "a", "b");
  check_same_count(first.count(), target.count(), "a", "out");
  const Exec exec = exec_of(strategy, parameters, threads, stream);
  for_each_picture(a, first.count(),
                   [&](int64_t i) { absdiff(first[i], second[i], target[i], exec); });
}

void run_threshold(const Array& image, const OutArray& out, int layout, double limit,
                   const MaybeName& strategy, const Parameters& parameters, int threads,
                   uintptr_t stream) {
  const auto source = pictures_of(image, layout, "image");
  const auto target = pictures_of(out, layout, "out");
  check_same_count(source.count(), target.count(), "image", "out");
  const Exec exec = exec_of(strategy, parameters, threads, stream);
  for_each_picture(image, source.count(),
                   [&](int64_t i) { threshold(source[i], target[i], limit, exec); });
}

Table<uint64_t> run_histogram(const Array& image, int layout, const MaybeName& strategy,
                              const Parameters& parameters, int threads, uintptr_t stream) {
  const ConstAnyView source = plane_of(image, layout, "image");
  std::vector<uint64_t> bins(source.type == PixelType::u16 ? 65536 : 256);
  const Exec exec = exec_of(strategy, parameters, threads, stream);
  for_each_picture(image, 1, [&](int64_t) { histogram(source, bins, exec); });
  return table(std::move(bins), 1);
}

StructuringElement element_of(int width, int height, const std::vector<uint8_t>& cells) {
  return {width, height, cells};
}

}  // namespace

void bind_objects(nb::module_& m) {
  nb::class_<StructuringElement>(m, "StructuringElement", "A set of offsets around an anchor.")
      .def_static("of_cells", element_of, "width"_a, "height"_a, "cells"_a)
      .def_static(
          "parse", [](const std::string& text) { return StructuringElement::parse(text); },
          "text"_a);
  m.def("morphology", run_morphology, "image"_a, "out"_a, "layout"_a, "what"_a, "element"_a,
        "neutral"_a, "border"_a, "border_value"_a, "strategy"_a.none(), "parameters"_a, "threads"_a,
        "stream"_a);
  m.def("label", run_label, "mask"_a, "labels"_a.none(), "layout"_a, "connectivity"_a,
        "strategy"_a.none(), "parameters"_a, "threads"_a, "stream"_a);
  m.def("to_gray", run_to_gray, "image"_a, "layout"_a, "out"_a, "out_layout"_a, "bgr"_a,
        "strategy"_a.none(), "parameters"_a, "threads"_a, "stream"_a);
  m.def("absdiff", run_absdiff, "a"_a, "b"_a, "out"_a, "layout"_a, "strategy"_a.none(),
        "parameters"_a, "threads"_a, "stream"_a);
  m.def("threshold", run_threshold, "image"_a, "out"_a, "layout"_a, "limit"_a, "strategy"_a.none(),
        "parameters"_a, "threads"_a, "stream"_a);
  m.def("histogram", run_histogram, "image"_a, "layout"_a, "strategy"_a.none(), "parameters"_a,
        "threads"_a, "stream"_a);
  m.def(
      "otsu_threshold", [](const std::vector<uint64_t>& bins) { return otsu_threshold(bins); },
      "bins"_a);
}

}  // namespace cuesta::python
