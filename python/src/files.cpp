// `cuesta._files`: picture files, as the command reads and writes them. A module of its own, for it
// needs libvips and `import cuesta` does not.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "arrays.hpp"
#include "components.hpp"
#include "core/check.hpp"
#include "cuesta/device.hpp"
#include "cuesta/io.hpp"
#include "keywords.hpp"
#include "module.hpp"
#include "ops/canny/options.hpp"
#include "ops/convolve/options.hpp"
#include "ops/label/options.hpp"
#include "ops/log/options.hpp"
#include "ops/median/options.hpp"
#include "ops/morphology/options.hpp"
#include "ops/sobel/options.hpp"

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

// How both functions on files of any size work.
struct Banding {
  int64_t memory;
  int rows;
  bool resume;
  std::string layout, device;
  std::optional<nb::callable> progress;

  BandOptions options() const {
    BandOptions bands{.memory = memory, .rows = rows, .resume = resume};
    bands.layout = layout == "pyramid" ? TiffLayout::pyramid
                   : layout == "tiled" ? TiffLayout::tiled
                                       : TiffLayout::strips;
    if (progress) {
      bands.progress = [call = *progress](int64_t done, int64_t all) {
        const nb::gil_scoped_acquire acquire;
        call(done, all);
      };
    }
    return bands;
  }
};

// How a call runs, and on which GPUs.
Exec exec_on(const Banding& banding, Keywords& keywords, std::string_view function) {
  Exec exec = exec_from(keywords, 0, function);
  exec.devices = devices_named(banding.device);
  return exec;
}

nb::dict as_dict(const FileResult& result) {
  nb::dict made;
  made["width"] = result.size.width;
  made["height"] = result.size.height;
  made["channels"] = result.channels;
  made["type"] = name_of(result.type);
  made["low"] = result.thresholds.low;
  made["high"] = result.thresholds.high;
  made["edge_pixels"] = result.edge_pixels;
  made["bands"] = result.bands;
  made["resumed_rows"] = result.resumed_rows;
  return made;
}

// What run(bands) returns, which works without Python's lock.
template <class Run>
nb::dict in_bands(const Banding& banding, const Run& run) {
  const BandOptions bands = banding.options();
  FileResult result;
  {
    const Unlocked unlocked;
    result = run(bands);
  }
  return as_dict(result);
}

nb::dict run_edges_file(const std::string& source, const std::string& target,
                        const std::string& method, const std::string& threshold,
                        const std::optional<std::pair<double, double>>& given, Keywords keywords,
                        const Banding& banding) {
  std::variant<CannyOptions, LogOptions, SobelOptions> options;
  if (method == "canny") {
    auto canny = options_from<CannyOptions>(keywords);
    canny.thresholds =
        given ? Thresholds(Given{given->first, given->second}) : Thresholds(rule_of(threshold));
    options = canny;
  } else if (method == "log") {
    options = options_from<LogOptions>(keywords);
  } else {
    options = options_from<SobelOptions>(keywords);
  }
  const Exec exec = exec_on(banding, keywords, "edges_file");
  return in_bands(banding, [&](const BandOptions& bands) {
    return edges_file(source, target, options, bands, exec);
  });
}

nb::dict run_filter_file(const std::string& source, const std::string& target,
                         const std::string& filter, Keywords keywords, const Banding& banding) {
  std::variant<GaussianOptions, BoxOptions, SharpenOptions, MedianOptions, CorrelateFile,
               MorphologyFile>
      options;
  if (filter == "gaussian")
    options = options_from<GaussianOptions>(keywords);
  else if (filter == "box")
    options = options_from<BoxOptions>(keywords);
  else if (filter == "sharpen")
    options = options_from<SharpenOptions>(keywords);
  else if (filter == "median")
    options = options_from<MedianOptions>(keywords);
  else if (filter == "laplacian")
    options = CorrelateFile{stencils::laplacian(), options_from<FilterOptions>(keywords)};
  else
    throw_invalid(filter,
                  "filter is '{}'; it is gaussian, box, sharpen, median, laplacian, or "
                  "erode, dilate, open or close",
                  filter);
  const Exec exec = exec_on(banding, keywords, "filter_file");
  return in_bands(banding, [&](const BandOptions& bands) {
    return filter_file(source, target, options, bands, exec);
  });
}

nb::dict run_morphology_file(const std::string& source, const std::string& target,
                             const std::string& what, const std::string& element, Keywords keywords,
                             const Banding& banding) {
  const Morph morph = what == "erode"    ? Morph::erode
                      : what == "dilate" ? Morph::dilate
                      : what == "open"   ? Morph::open
                                         : Morph::close;
  const MorphologyFile step{morph, StructuringElement::parse(element),
                            options_from<MorphologyOptions>(keywords)};
  const Exec exec = exec_on(banding, keywords, "filter_file");
  return in_bands(banding, [&](const BandOptions& bands) {
    return filter_file(source, target, step, bands, exec);
  });
}

nb::dict run_label_file(const std::string& source, double limit, Keywords keywords,
                        const Banding& banding) {
  const LabelFile what{options_from<LabelOptions>(keywords), limit};
  const Exec exec = exec_on(banding, keywords, "label_file");
  const BandOptions bands = banding.options();
  LabelFileResult result;
  ComponentColumns columns;
  {
    const Unlocked unlocked;
    result = label_file(source, what, bands, exec);
    columns = ComponentColumns(result.components);
    result.components = {};
  }
  auto [boxes, areas, centroids] = columns.take();
  nb::dict made;
  made["width"] = result.size.width;
  made["height"] = result.size.height;
  made["boxes"] = boxes;
  made["areas"] = areas;
  made["centroids"] = centroids;
  made["bands"] = result.bands;
  return made;
}

}  // namespace
}  // namespace cuesta::python

NB_MODULE(_files, m) {
  using namespace cuesta::python;
  m.doc() = "Picture files through libvips; use cuesta.imread and cuesta.imwrite.";
  translate_errors();
  nb::class_<Banding>(m, "Banding")
      .def(nb::init<int64_t, int, bool, std::string, std::string, std::optional<nb::callable>>(),
           "memory"_a, "rows"_a, "resume"_a, "layout"_a, "device"_a, "progress"_a.none());
  m.def("edges_file", run_edges_file, "source"_a, "target"_a, "method"_a, "threshold"_a,
        "given"_a.none(), "keywords"_a, "banding"_a);
  m.def("filter_file", run_filter_file, "source"_a, "target"_a, "filter"_a, "keywords"_a,
        "banding"_a);
  m.def("morphology_file", run_morphology_file, "source"_a, "target"_a, "what"_a, "element"_a,
        "keywords"_a, "banding"_a);
  m.def("label_file", run_label_file, "source"_a, "threshold"_a, "keywords"_a, "banding"_a);
  m.def("read_file", read_file, "path"_a, "max_pixels"_a, "allow_partial"_a);
  m.def("write_file", write_file, "path"_a, "image"_a, "layout"_a);
}
