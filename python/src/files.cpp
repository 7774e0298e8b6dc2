// `cuesta._files`: picture files, as the command reads and writes them. A module of its own, for it
// needs libvips and `import cuesta` does not.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string>

#include "arrays.hpp"
#include "io/picture.hpp"
#include "module.hpp"

namespace cuesta::python {
namespace {

using namespace nb::literals;
using Numpy = nb::ndarray<nb::numpy>;

io::ReadLimits limits_of(int64_t max_pixels, bool allow_partial) {
  io::ReadLimits limits;
  if (max_pixels > 0) limits.max_pixels = max_pixels;
  limits.allow_partial = allow_partial;
  return limits;
}

Numpy array_of(io::Picture&& read) {
  auto kept = std::make_unique<io::Picture>(std::move(read));
  const AnyView view = kept->pixels.view();
  const int64_t bytes = bytes_per_sample(view.type);
  const size_t shape[] = {size_t(view.height), size_t(view.width), size_t(view.channels)};
  const int64_t strides[] = {view.stride_bytes / bytes, view.channels, 1};
  const nb::dlpack::dtype type = view.type == PixelType::u8    ? nb::dtype<uint8_t>()
                                 : view.type == PixelType::u16 ? nb::dtype<uint16_t>()
                                                               : nb::dtype<float>();
  nb::capsule owner(kept.release(), [](void* p) noexcept { delete static_cast<io::Picture*>(p); });
  return {view.data, view.channels == 1 ? size_t(2) : size_t(3), shape, owner, strides, type};
}

Numpy read_file(const std::string& path, int64_t max_pixels, bool allow_partial) {
  io::Picture read;
  {
    nb::gil_scoped_release release;
    read = io::read_picture(std::filesystem::path(path), limits_of(max_pixels, allow_partial));
  }
  return array_of(std::move(read));
}

Numpy read_bytes(const nb::bytes& file, int64_t max_pixels, bool allow_partial) {
  const std::span bytes(static_cast<const uint8_t*>(file.data()), file.size());
  io::Picture read;
  {
    nb::gil_scoped_release release;
    read = io::read_picture(bytes, "bytes", limits_of(max_pixels, allow_partial));
  }
  return array_of(std::move(read));
}

void write_file(const std::string& path, const Array& image, int layout) {
  const ConstAnyView view = plane_of(image, layout, "image");
  io::WriteOptions options;
  options.has_alpha = view.channels == 2 || view.channels == 4;
  nb::gil_scoped_release release;
  io::write_picture(path, view, options);
}

}  // namespace
}  // namespace cuesta::python

NB_MODULE(_files, m) {
  using namespace cuesta::python;
  m.doc() = "Picture files through libvips; use cuesta.imread and cuesta.imwrite.";
  translate_errors();
  m.def("read_file", read_file, "path"_a, "max_pixels"_a, "allow_partial"_a);
  m.def("read_bytes", read_bytes, "bytes"_a, "max_pixels"_a, "allow_partial"_a);
  m.def("write_file", write_file, "path"_a, "image"_a, "layout"_a);
}
