// Linear filters and the median.
#include "cuesta/filter.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <new>
#include <tuple>
#include <vector>

#include "keywords.hpp"
#include "module.hpp"
#include "recipes/descriptions.hpp"

namespace cuesta::python {
namespace {

using namespace nb::literals;

// nanobind passes vectors; the library's functions take spans.
Stencil integers(int width, int height, const std::vector<int32_t>& taps, int64_t divisor) {
  return Stencil::integers(width, height, taps, divisor);
}
Stencil floats(int width, int height, const std::vector<float>& taps) {
  return Stencil::floats(width, height, taps);
}

// The arguments that make an equal object, for pickle and copy.
using Taps = std::tuple<int, int, std::vector<int32_t>, int64_t, std::vector<float>>;

Taps taps_of(const Stencil& stencil) {
  const auto integer = stencil.integer_taps();
  const auto real = stencil.float_taps();
  return {stencil.width(),
          stencil.height(),
          {integer.begin(), integer.end()},
          stencil.divisor(),
          {real.begin(), real.end()}};
}

void restore(Stencil& self, const Taps& taps) {
  const auto& [width, height, integer, divisor, real] = taps;
  new (&self) Stencil(integer.empty() ? Stencil::floats(width, height, real)
                                      : Stencil::integers(width, height, integer, divisor));
}

}  // namespace

void bind_filters(nb::module_& m) {
  nb::class_<Stencil>(m, "Stencil", "The taps of a linear filter.")
      .def_prop_ro(
          "side",
          [](const Stencil& stencil) { return std::max(stencil.width(), stencil.height()); })
      .def_static("integers", integers, "width"_a, "height"_a, "taps"_a, "divisor"_a)
      .def_static("floats", floats, "width"_a, "height"_a, "taps"_a)
      .def_static(
          "parse", [](const std::string& text) { return Stencil::parse(text); }, "text"_a)
      .def("__getstate__", taps_of)
      .def("__setstate__", restore);
  def_filter<FilterOptions, Stencil>(m, "correlate", correlate, "stencil"_a);
  def_filter<FilterOptions, Stencil>(m, "convolve", convolve, "stencil"_a);
  def_filter<FilterOptions>(m, "laplacian", laplacian);
  def_filter<GaussianOptions>(m, "gaussian", gaussian);
  def_filter<BoxOptions>(m, "box", box);
  def_filter<SharpenOptions>(m, "sharpen", sharpen);
  def_filter<MedianOptions>(m, "median", median);
  m.def("gaussian_taps", gaussian_taps, "ksize"_a, "sigma"_a);
}

}  // namespace cuesta::python
