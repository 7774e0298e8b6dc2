// Python arrays as pictures, without a copy and without guessing the meaning of a dimension.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuesta/batch.hpp"
#include "cuesta/image.hpp"
#include "unlocked.hpp"

namespace cuesta::python {

namespace nb = nanobind;

/// Any array or DLPack capsule on the CPU or a CUDA device; read-only ones too.
using Array = nb::ndarray<nb::ro>;
/// An array that is written.
using OutArray = nb::ndarray<>;

/// The meaning of an array's dimensions, numbered as in python/cuesta/_layouts.py.
enum class Layout : int { hw, hwc, chw, nhw, nhwc, nchw };

/// The pictures in an array: `outer` times `inner` planes of one size at fixed distances in bytes.
template <class PlaneType>
struct Pictures {
  PlaneType first;
  int64_t outer = 1, inner = 1;
  ptrdiff_t outer_step = 0, inner_step = 0;

  int64_t count() const { return outer * inner; }
  PlaneType operator[](int64_t i) const {
    using Byte = std::conditional_t<std::is_same_v<PlaneType, ConstAnyView>, const char, char>;
    PlaneType plane = first;
    plane.data =
        static_cast<Byte*>(plane.data) + (i / inner) * outer_step + (i % inner) * inner_step;
    return plane;
  }
  /// `n` pictures from the i-th on, at equal distances: inner ones, or outer ones that hold one
  /// picture each.
  auto batch(int64_t i, int32_t n) const {
    using Of = BasicBatch<std::is_same_v<PlaneType, ConstAnyView>>;
    return Of((*this)[i], n, inner == 1 ? outer_step : inner_step);
  }
};

/// Throws Error{invalid_argument} naming `what` for sample types and strides that no picture has,
/// Error{device} for an array on a GPU in a build without CUDA.
Pictures<ConstAnyView> pictures_of(const Array& array, int layout, const char* what);
Pictures<AnyView> pictures_of(const OutArray& array, int layout, const char* what);
/// The same for an array with one picture.
ConstAnyView plane_of(const Array& array, int layout, const char* what);
AnyView plane_of(const OutArray& array, int layout, const char* what);

/// Throws Error{invalid_argument} unless arrays `a` and `b` hold the same number of pictures.
void check_same_count(int64_t a, int64_t b, const char* name_a, const char* name_b);

/// Makes an array's GPU current in this thread until the scope ends; does nothing for host arrays.
class DeviceScope {
 public:
  explicit DeviceScope(const Array& array);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int before_ = -1;
};

/// Runs `body()` without the interpreter's lock, on the array's device.
template <class Body>
void without_lock(const Array& array, Body&& body) {
  const Unlocked unlocked;
  DeviceScope device(array);
  body();
}

/// Runs `body(batch, i)` for each batch, whose first picture is the i-th, without the interpreter's
/// lock. The batches are as few as the distances between the pictures allow.
template <class Body>
void for_each_batch(const Array& array, const Pictures<ConstAnyView>& source, Body&& body) {
  without_lock(array, [&] {
    const int64_t run = source.inner == 1 ? source.outer : source.inner;
    for (int64_t i = 0; i < source.count(); i += run) body(source.batch(i, int32_t(run)), i);
  });
}

}  // namespace cuesta::python
