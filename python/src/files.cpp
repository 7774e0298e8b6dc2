// `cuesta._files`: picture files, as the command reads and writes them. It is a separate module
// because it requires libvips, which `import cuesta` does not.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "arrays.hpp"
#include "components.hpp"
#include "core/check.hpp"
#include "cuesta/device.hpp"
#include "cuesta/io.hpp"
#include "cuesta/recipes/edges.hpp"
#include "cuesta/recipes/filter.hpp"
#include "io/bands.hpp"
#include "keywords.hpp"
#include "module.hpp"
#include "recipes.hpp"
#include "recipes/descriptions.hpp"

namespace cuesta::python {
namespace {

using namespace nb::literals;
using Numpy = nb::ndarray<nb::numpy>;

// The samples, and a warning; empty where there is none. Bytes are a whole file. `raw`: light, too,
// as the file's numbers.
std::pair<Numpy, std::string> read_file(const std::variant<std::string, nb::bytes>& file,
                                        int64_t max_pixels, bool allow_partial, int page, int band,
                                        bool raw) {
  io::ReadLimits limits;
  limits.select(page, band);
  if (max_pixels > 0) limits.max_pixels = max_pixels;
  limits.allow_partial = allow_partial;
  limits.floats = raw ? recipes::Floats::raw : recipes::Floats::numbers;
  auto picture = std::make_unique<AnyImage>();
  std::string warning;
  {
    const auto* path = std::get_if<std::string>(&file);
    const std::span<const uint8_t> bytes =
        path ? std::span<const uint8_t>()
             : std::span(static_cast<const uint8_t*>(std::get<nb::bytes>(file).data()),
                         std::get<nb::bytes>(file).size());
    const Unlocked unlocked;
    io::Picture read = path ? io::read_picture(std::filesystem::path(*path), limits)
                            : io::read_picture(bytes, "file", limits);
    warning = read.warning();
    *picture = std::move(read.pixels);
  }
  const AnyView view = picture->view();
  const size_t shape[] = {size_t(view.height), size_t(view.width), size_t(view.channels)};
  const int64_t strides[] = {view.stride_bytes / int64_t(bytes_per_sample(view.type)),
                             view.channels, 1};
  const nb::dlpack::dtype type = view.type == PixelType::f32   ? nb::dtype<float>()
                                 : view.type == PixelType::u16 ? nb::dtype<uint16_t>()
                                                               : nb::dtype<uint8_t>();
  nb::capsule owner(picture.release(), [](void* p) noexcept { delete static_cast<AnyImage*>(p); });
  return {Numpy(view.data, view.channels == 1 ? size_t(2) : size_t(3), shape, owner, strides, type),
          warning};
}

void write_file(const std::string& path, const Array& image, int layout) {
  const ConstAnyView view = plane_of(image, layout, "image");
  const Unlocked unlocked;
  write(std::filesystem::path(path), view);
}

// How functions divide files of any size into bands.
struct Banding {
  int64_t memory;
  int rows;
  bool resume;
  std::string layout, device;
  std::optional<nb::callable> progress;
  int page, band;

  BandOptions options() const {
    BandOptions bands{.memory = memory, .rows = rows, .resume = resume, .page = page, .band = band};
    bands.layout = layout == "pyramid" ? TiffLayout::pyramid
                   : layout == "tiled" ? TiffLayout::tiled
                                       : TiffLayout::strips;
    if (progress) {
      // This is copied without the interpreter's lock, too; the owner of the last copy holds the
      // lock.
      bands.progress = [call = std::make_shared<nb::callable>(*progress)](int64_t done,
                                                                          int64_t all) {
        const nb::gil_scoped_acquire acquire;
        (*call)(done, all);
      };
    }
    return bands;
  }
};

// Execution of a call, with its GPUs.
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
  made["sigma"] = result.sigma;
  made["edge_pixels"] = result.edge_pixels;
  made["bands"] = result.bands;
  made["resumed_rows"] = result.resumed_rows;
  made["warning"] = result.warning;
  return made;
}

// The operation on a file, and its bands.
struct FileWork {
  std::shared_ptr<const recipes::Recipe> recipe;
  recipes::White white;
  Exec exec;
  BandOptions bands;

  io::BandSettings settings() const {
    io::BandSettings made = io::band_settings(bands, exec);
    made.limits.white = white;
    made.limits.take(recipe->floats());
    return made;
  }
  auto make() const { return io::band_works(recipe, exec); }
};

FileWork edges_work(const std::string& method, const std::optional<std::string>& rule,
                    std::optional<double> level,
                    const std::optional<std::pair<double, double>>& given, Keywords keywords,
                    const Banding& banding) {
  const EdgesOptions options = edges_options_from(method, {rule, level, given}, keywords);
  const recipes::White white = white_from(keywords);
  return {std::make_shared<recipes::EdgesRecipe>(options), white,
          exec_on(banding, keywords, "edges_file"), banding.options()};
}

PictureFilter filter_from(const std::string& filter, const std::string& element,
                          Keywords& keywords) {
  constexpr std::string_view morphs[] = {"erode", "dilate", "open", "close"};
  if (const auto* found = std::ranges::find(morphs, filter); found != std::end(morphs)) {
    return MorphologyFilter{Morph(found - morphs), StructuringElement::parse(element),
                            options_from<MorphologyOptions>(keywords)};
  }
  if (filter == "gaussian") return options_from<GaussianOptions>(keywords);
  if (filter == "box") return options_from<BoxOptions>(keywords);
  if (filter == "sharpen") return options_from<SharpenOptions>(keywords);
  if (filter == "median") return options_from<MedianOptions>(keywords);
  if (filter == "laplacian")
    return StencilFilter{stencils::laplacian(), options_from<FilterOptions>(keywords)};
  throw_invalid(filter,
                "filter is '{}'; it must be gaussian, box, sharpen, median, laplacian, erode, "
                "dilate, open or close",
                filter);
}

FileWork filter_work(const std::string& filter, const std::string& element, Keywords keywords,
                     const Banding& banding) {
  auto recipe = std::make_shared<recipes::FilterRecipe>(filter_from(filter, element, keywords));
  const recipes::White white = white_from(keywords);
  return {std::move(recipe), white, exec_on(banding, keywords, "filter_file"), banding.options()};
}

nb::dict run_file(const std::string& source, const std::string& target, const FileWork& work) {
  FileResult result;
  {
    const Unlocked unlocked;
    result = io::run_recipe(source, target, work.settings(), work.recipe, work.exec);
  }
  return as_dict(result);
}

// Numbers as an array that owns them.
template <class T>
nb::ndarray<nb::numpy, T> array_of(std::vector<T>&& numbers) {
  auto held = std::make_unique<std::vector<T>>(std::move(numbers));
  const size_t shape[] = {held->size()};
  T* const first = held->data();
  nb::capsule owner(held.release(),
                    [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {first, 1, shape, owner};
}

using Counts = nb::ndarray<const uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Made = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Implements label_file().
struct LabelWork {
  LabelFile what;
  Exec exec;
  BandOptions bands;

  io::BandSettings settings() const { return io::band_settings(bands, exec); }
};

LabelWork label_work(double limit, bool measure, const std::string& intensity, Keywords keywords,
                     const Banding& banding) {
  const LabelFile what{options_from<LabelOptions>(keywords), limit, measure, intensity};
  return {what, exec_on(banding, keywords, "label_file"), banding.options()};
}

nb::dict as_dict(LabelFileResult result) {
  ComponentColumns columns;
  std::vector<double> measures;
  {
    const Unlocked unlocked;
    columns = ComponentColumns(result.components);
    result.components = {};
    measures = measure_columns(result.measures);
  }
  auto [boxes, areas, centroids] = columns.take();
  nb::dict made;
  made["width"] = result.size.width;
  made["height"] = result.size.height;
  made["boxes"] = boxes;
  made["areas"] = areas;
  made["centroids"] = centroids;
  made["bands"] = result.bands;
  made["measures"] = table(std::move(measures), measure_column_count);
  return made;
}

nb::dict run_label_file(const std::string& source, const LabelWork& work) {
  LabelFileResult result;
  {
    const Unlocked unlocked;
    result = label_file(source, work.what, work.bands, work.exec);
  }
  return as_dict(std::move(result));
}

// A band's components as bytes, and the labels of its first and last row; for LabelJoin::add().
static_assert(std::is_trivially_copyable_v<Component>);
using Ends = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::tuple find_components(io::LabelMaker& maker, int32_t first, int32_t end) {
  LabelBands::Found found;
  std::vector<uint8_t> bytes;
  {
    const Unlocked unlocked;
    found = maker.find(first, end);
    bytes.resize(found.components.size() * sizeof(Component));
    if (!bytes.empty()) std::memcpy(bytes.data(), found.components.data(), bytes.size());
  }
  return nb::make_tuple(found.rows, array_of(std::move(bytes)), array_of(std::move(found.first)),
                        array_of(std::move(found.last)));
}

// Joins the components of bands that other processes have labelled.
class LabelJoin {
 public:
  LabelJoin(const std::string& source, const LabelWork& work)
      : maker_(source, work.settings(), work.what, work.exec),
        labels_(width(), work.what.options) {}

  int32_t width() const { return maker_.facts().size.width; }
  int32_t height() const { return maker_.facts().size.height; }
  int32_t band_rows() const { return maker_.band_rows(); }

  // Adds the components of the next rows, from top to bottom.
  void add(int32_t rows, const Made& components, const Ends& first, const Ends& last) {
    LabelBands::Found found{.rows = rows};
    found.components.resize(components.size() / sizeof(Component));
    const size_t count = found.components.size();
    if (count * sizeof(Component) != components.size() || rows < 1 || rows > height() - rows_) {
      throw_invalid(
          std::to_string(components.size()),
          "bands: components have {} bytes, which do not fit {} rows ({} of {} rows were added)",
          components.size(), rows, rows_, height());
    }
    for (const Ends* ends : {&first, &last}) {
      const std::span<const int32_t> labels(ends->data(), ends->size());
      if (labels.size() != size_t(width()) || std::ranges::any_of(labels, [&](int32_t label) {
            return label < 0 || size_t(label) > count;
          })) {
        throw_invalid(std::to_string(labels.size()),
                      "bands: labels must be of a row of {} pixels with {} components", width(),
                      count);
      }
      (ends == &first ? found.first : found.last).assign(labels.begin(), labels.end());
    }
    if (count > 0) std::memcpy(found.components.data(), components.data(), components.size());
    const Unlocked unlocked;
    labels_.add(found);
    rows_ += rows;
    ++bands_;
  }

  nb::dict finish() {
    LabelFileResult result{
        .size = maker_.facts().size, .components = {}, .bands = bands_, .measures = {}};
    if (rows_ < height())
      throw_invalid(std::to_string(rows_), "bands: {} of {} rows were added; add all rows first",
                    rows_, height());
    {
      const Unlocked unlocked;
      result.components = labels_.join();
    }
    return as_dict(std::move(result));
  }

 private:
  io::LabelMaker maker_;  // only for the picture's properties
  LabelBands labels_;
  int32_t rows_ = 0, bands_ = 0;
};

}  // namespace
}  // namespace cuesta::python

NB_MODULE(_files, m) {
  using namespace cuesta::python;
  namespace io = cuesta::io;
  m.doc() = "Picture files through libvips; use cuesta.imread and cuesta.imwrite.";
  translate_errors();
  nb::class_<Banding>(m, "Banding")
      .def(nb::init<int64_t, int, bool, std::string, std::string, std::optional<nb::callable>, int,
                    int>(),
           "memory"_a, "rows"_a, "resume"_a, "layout"_a, "device"_a, "progress"_a.none(), "page"_a,
           "band"_a);
  nb::class_<FileWork>(m, "FileWork");
  m.def("edges_work", edges_work, "method"_a, "rule"_a.none(), "level"_a.none(), "given"_a.none(),
        "keywords"_a, "banding"_a);
  m.def("filter_work", filter_work, "filter"_a, "element"_a, "keywords"_a, "banding"_a);
  m.def("run_file", run_file, "source"_a, "target"_a, "work"_a);
  nb::class_<io::BandMaker>(m, "BandMaker")
      .def(
          "__init__",
          [](io::BandMaker* self, const std::string& source, const FileWork& work) {
            const Unlocked unlocked;
            new (self) io::BandMaker(source, work.settings(), work.make());
          },
          "source"_a, "work"_a)
      .def(
          "count",
          [](io::BandMaker& self, int32_t first, int32_t end) {
            std::vector<uint64_t> counts;
            {
              const Unlocked unlocked;
              counts = self.count(first, end);
            }
            return array_of(std::move(counts));
          },
          "first"_a, "end"_a)
      .def(
          "make",
          [](io::BandMaker& self, int32_t first, int32_t end,
             const std::optional<std::tuple<double, double, double>>& found) {
            std::vector<uint8_t> made;
            {
              const Unlocked unlocked;
              if (found) {
                const auto [low, high, sigma] = *found;
                self.settle({{low, high}, sigma});
              }
              made = self.make(first, end);
            }
            return array_of(std::move(made));
          },
          "first"_a, "end"_a, "found"_a.none());
  nb::class_<io::BandJoin>(m, "BandJoin")
      .def(
          "__init__",
          [](io::BandJoin* self, const std::string& source, const std::string& target,
             const FileWork& work) {
            const Unlocked unlocked;
            new (self) io::BandJoin(source, target, work.settings(), work.make());
          },
          "source"_a, "target"_a, "work"_a)
      .def_prop_ro("width", [](const io::BandJoin& self) { return self.facts().size.width; })
      .def_prop_ro("height", [](const io::BandJoin& self) { return self.facts().size.height; })
      .def_prop_ro("band_rows", &io::BandJoin::band_rows)
      .def_prop_ro("rows", &io::BandJoin::rows)
      .def_prop_ro("wants_counts", &io::BandJoin::wants_counts)
      .def(
          "add_counts",
          [](io::BandJoin& self, const Counts& counts) {
            self.add_counts({counts.data(), counts.size()});
          },
          "counts"_a)
      .def("find",
           [](io::BandJoin& self) {
             const Unlocked unlocked;
             const auto [thresholds, sigma] = self.find();
             return std::tuple(thresholds.low, thresholds.high, sigma);
           })
      .def(
          "add",
          [](io::BandJoin& self, const Made& made) {
            const std::span<const uint8_t> rows(made.data(), made.size());
            const Unlocked unlocked;
            self.add(rows);
          },
          "made"_a)
      .def("finish", [](io::BandJoin& self) {
        cuesta::FileResult result;
        {
          const Unlocked unlocked;
          result = self.finish();
        }
        return as_dict(result);
      });
  nb::class_<LabelWork>(m, "LabelWork");
  m.def("label_work", label_work, "threshold"_a, "measure"_a, "intensity"_a, "keywords"_a,
        "banding"_a);
  m.def("label_file", run_label_file, "source"_a, "work"_a);
  nb::class_<io::LabelMaker>(m, "LabelMaker")
      .def(
          "__init__",
          [](io::LabelMaker* self, const std::string& source, const LabelWork& work) {
            const Unlocked unlocked;
            new (self) io::LabelMaker(source, work.settings(), work.what, work.exec);
          },
          "source"_a, "work"_a)
      .def("find", find_components, "first"_a, "end"_a);
  nb::class_<LabelJoin>(m, "LabelJoin")
      .def(
          "__init__",
          [](LabelJoin* self, const std::string& source, const LabelWork& work) {
            const Unlocked unlocked;
            new (self) LabelJoin(source, work);
          },
          "source"_a, "work"_a)
      .def_prop_ro("width", &LabelJoin::width)
      .def_prop_ro("height", &LabelJoin::height)
      .def_prop_ro("band_rows", &LabelJoin::band_rows)
      .def("add", &LabelJoin::add, "rows"_a, "components"_a, "first"_a, "last"_a)
      .def("finish", &LabelJoin::finish);
  m.def("read_file", read_file, "file"_a, "max_pixels"_a, "allow_partial"_a, "page"_a, "band"_a,
        "raw"_a);
  m.def(
      "count_pages",
      [](const std::string& path) {
        const Unlocked unlocked;
        return cuesta::count_pages(std::filesystem::path(path));
      },
      "path"_a);
  m.def("write_file", write_file, "path"_a, "image"_a, "layout"_a);
}
