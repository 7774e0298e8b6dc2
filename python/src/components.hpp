// Components as arrays for Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "cuesta/measure.hpp"
#include "cuesta/objects.hpp"

namespace cuesta::python {

template <class T>
using Table = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<2>, nanobind::c_contig>;

/// A numpy array that owns its memory.
template <class T>
Table<T> table(std::vector<T> values, size_t columns) {
  auto held = std::make_unique<std::vector<T>>(std::move(values));
  T* data = held->data();
  const size_t rows = held->size() / columns;
  nanobind::capsule owner(held.release(),
                          [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Table<T>(data, {rows, columns}, owner);
}

/// Boxes, areas and centroids, one row for each component.
using Components = std::tuple<Table<int32_t>, Table<int64_t>, Table<double>>;

/// The arrays of a list; requires the interpreter's lock only when they are returned.
class ComponentColumns {
 public:
  ComponentColumns() = default;
  explicit ComponentColumns(std::span<const Component> list) {
    boxes_.reserve(4 * list.size());
    areas_.reserve(list.size());
    centroids_.reserve(2 * list.size());
    for (const Component& c : list) {
      boxes_.insert(boxes_.end(), {c.box.x, c.box.y, c.box.width, c.box.height});
      areas_.push_back(c.area);
      centroids_.insert(centroids_.end(), {c.centroid_x(), c.centroid_y()});
    }
  }
  Components take() {
    return {table(std::move(boxes_), 4), table(std::move(areas_), 1),
            table(std::move(centroids_), 2)};
  }

 private:
  std::vector<int32_t> boxes_{};
  std::vector<int64_t> areas_{};
  std::vector<double> centroids_{};
};

/// Measures as numbers, a row for each component: box, area, centroid, shape, intensity, moments.
inline constexpr size_t measure_column_count = 7 + 10 + 32;
inline std::vector<double> measure_columns(std::span<const Measures> list) {
  std::vector<double> columns;
  columns.reserve(measure_column_count * list.size());
  for (const Measures& m : list) {
    columns.insert(
        columns.end(),
        {double(m.box.x), double(m.box.y), double(m.box.width), double(m.box.height),
         double(m.area), m.centroid_x, m.centroid_y, m.extent, m.perimeter, m.orientation,
         m.eccentricity, m.major_axis, m.minor_axis, m.equivalent_diameter, m.mean, m.min, m.max});
    for (const auto* moments : {&m.moments, &m.central_moments})
      for (const auto& row : *moments)
        columns.insert(columns.end(), std::begin(row), std::end(row));
  }
  return columns;
}

}  // namespace cuesta::python
