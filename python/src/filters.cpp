// Linear filters and the median.
#include "cuesta/filter.hpp"

#include "arrays.hpp"
#include "module.hpp"

namespace cuesta::python {
namespace {

using namespace nb::literals;

struct Job {
  Pictures<ConstAnyView> source;
  Pictures<AnyView> target;
  Exec exec;
};

Job job(const Array& image, const OutArray& out, int layout, const MaybeName& strategy,
        const Parameters& parameters, int threads, uintptr_t stream) {
  Job made{pictures_of(image, layout, "image"), pictures_of(out, layout, "out"),
           exec_of(strategy, parameters, threads, stream)};
  check_same_count(made.source.count(), made.target.count(), "image", "out");
  return made;
}

void run_linear(const Array& image, const OutArray& out, int layout, const Stencil& stencil,
                bool turned, bool absolute, int offset, int border, double border_value,
                const MaybeName& strategy, const Parameters& parameters, int threads,
                uintptr_t stream) {
  const Job j = job(image, out, layout, strategy, parameters, threads, stream);
  const FilterOptions options{{BorderMode(border), border_value}, absolute, offset};
  for_each_picture(image, j.source.count(), [&](int64_t i) {
    if (turned)
      convolve(j.source[i], j.target[i], stencil, options, j.exec);
    else
      correlate(j.source[i], j.target[i], stencil, options, j.exec);
  });
}

void run_gaussian(const Array& image, const OutArray& out, int layout, int ksize, double sigma,
                  int border, double border_value, const MaybeName& strategy,
                  const Parameters& parameters, int threads, uintptr_t stream) {
  const Job j = job(image, out, layout, strategy, parameters, threads, stream);
  for_each_picture(image, j.source.count(), [&](int64_t i) {
    gaussian(j.source[i], j.target[i], {sigma, ksize, {BorderMode(border), border_value}}, j.exec);
  });
}

void run_median(const Array& image, const OutArray& out, int layout, int ksize, int border,
                double border_value, const MaybeName& strategy, const Parameters& parameters,
                int threads, uintptr_t stream) {
  const Job j = job(image, out, layout, strategy, parameters, threads, stream);
  for_each_picture(image, j.source.count(), [&](int64_t i) {
    median(j.source[i], j.target[i], {ksize, {BorderMode(border), border_value}}, j.exec);
  });
}

// nanobind hands over vectors; the library's makers take what they see of them.
Stencil integers(int width, int height, const std::vector<int32_t>& taps, int64_t divisor) {
  return Stencil::integers(width, height, taps, divisor);
}
Stencil floats(int width, int height, const std::vector<float>& taps) {
  return Stencil::floats(width, height, taps);
}

}  // namespace

void bind_filters(nb::module_& m) {
  nb::class_<Stencil>(m, "Stencil", "The taps of a linear filter.")
      .def_static("integers", integers, "width"_a, "height"_a, "taps"_a, "divisor"_a)
      .def_static("floats", floats, "width"_a, "height"_a, "taps"_a)
      .def_static(
          "parse", [](const std::string& text) { return Stencil::parse(text); }, "text"_a)
      .def_static("average", stencils::average, "n"_a)
      .def_static("sharpen", stencils::sharpen, "n"_a)
      .def_static("laplacian", stencils::laplacian);
  m.def("linear", run_linear, "image"_a, "out"_a, "layout"_a, "stencil"_a, "turned"_a, "absolute"_a,
        "offset"_a, "border"_a, "border_value"_a, "strategy"_a.none(), "parameters"_a, "threads"_a,
        "stream"_a);
  m.def("gaussian", run_gaussian, "image"_a, "out"_a, "layout"_a, "ksize"_a, "sigma"_a, "border"_a,
        "border_value"_a, "strategy"_a.none(), "parameters"_a, "threads"_a, "stream"_a);
  m.def("median", run_median, "image"_a, "out"_a, "layout"_a, "ksize"_a, "border"_a,
        "border_value"_a, "strategy"_a.none(), "parameters"_a, "threads"_a, "stream"_a);
  m.def("gaussian_size", gaussian_size, "sigma"_a);
}

}  // namespace cuesta::python
