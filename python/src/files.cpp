// `cuesta._files`: picture files, as the command reads and writes them. A module of its own, for it
// needs libvips and `import cuesta` does not.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string>

#include "arrays.hpp"
#include "cuesta/io.hpp"
#include "module.hpp"

namespace cuesta::python {
namespace {

using namespace nb::literals;
using Numpy = nb::ndarray<nb::numpy>;

Numpy read_file(const std::string& path, int64_t max_pixels, bool allow_partial) {
  ReadOptions options;
  if (max_pixels > 0) options.max_pixels = max_pixels;
  options.allow_partial = allow_partial;
  auto picture = std::make_unique<AnyImage>();
  {
    const Unlocked unlocked;
    *picture = read(std::filesystem::path(path), options);
  }
  const AnyView view = picture->view();
  const size_t shape[] = {size_t(view.height), size_t(view.width), size_t(view.channels)};
  const int64_t strides[] = {view.stride_bytes / int64_t(bytes_per_sample(view.type)),
                             view.channels, 1};
  const nb::dlpack::dtype type =
      view.type == PixelType::u16 ? nb::dtype<uint16_t>() : nb::dtype<uint8_t>();
  nb::capsule owner(picture.release(), [](void* p) noexcept { delete static_cast<AnyImage*>(p); });
  return {view.data, view.channels == 1 ? size_t(2) : size_t(3), shape, owner, strides, type};
}

void write_file(const std::string& path, const Array& image, int layout) {
  const ConstAnyView view = plane_of(image, layout, "image");
  const Unlocked unlocked;
  write(std::filesystem::path(path), view);
}

}  // namespace
}  // namespace cuesta::python

NB_MODULE(_files, m) {
  using namespace cuesta::python;
  m.doc() = "Picture files through libvips; use cuesta.imread and cuesta.imwrite.";
  translate_errors();
  m.def("read_file", read_file, "path"_a, "max_pixels"_a, "allow_partial"_a);
  m.def("write_file", write_file, "path"_a, "image"_a, "layout"_a);
}
