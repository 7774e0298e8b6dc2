// The public functions on files of any size: what each operation needs of a band.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "core/check.hpp"
#include "cuesta/stencil.hpp"
#include "io/bands.hpp"
#include "io/convert.hpp"

namespace cuesta {
namespace {

using io::BandWork;
using io::PictureFacts;

std::string words_of(const Border& border) {
  return fmt::format("{}:{:a}", name_of(border.mode), border.value);
}

std::string words_of(const CannyOptions& o) {
  const std::string thresholds =
      o.thresholds.is_automatic()
          ? fmt::format("auto {} {:a}", int(std::get<Automatic>(o.thresholds).rule),
                        std::get<Automatic>(o.thresholds).percent)
          : fmt::format("{:a} {:a}", std::get<Given>(o.thresholds).low,
                        std::get<Given>(o.thresholds).high);
  return fmt::format("canny sigma {:a} ksize {} thresholds {} norm {} aperture {}", o.sigma,
                     o.ksize, thresholds, int(o.norm), o.aperture);
}

// Rows made gray on the CPU, which has them, in memory that the next band takes again. A GPU gets a
// third of the bytes.
std::function<ConstAnyView(ConstAnyView)> gray_maker(const Exec& caller) {
  const auto holder = std::make_shared<AnyImage>();
  return [holder, exec = Exec{.threads = caller.threads}](ConstAnyView rows) {
    if (rows.channels == 1) return rows;
    if (holder->height() < rows.height || holder->width() != rows.width)
      holder->create(rows.size(), 1, rows.type);
    const AnyView gray = AnyView(*holder).region({0, 0, rows.width, rows.height});
    io::make_gray(rows, gray, exec);
    return ConstAnyView(gray);
  };
}

// An operation that looks `reach` rows around a pixel.
template <class Run>
BandWork neighbourhood(int32_t reach, const Border& border, std::string words, Run&& run) {
  BandWork work;
  work.key = std::move(words);
  work.reach = reach;
  work.wraps = border.mode == BorderMode::wrap;
  work.run = std::forward<Run>(run);
  return work;
}

BandWork work_of(const CannyOptions& options, const PictureFacts& facts, const Exec& exec) {
  if (options.mask)
    throw_invalid("mask", "edges_file: canny takes no mask of a file's picture so far");
  BandWork work;
  work.key = words_of(options);
  work.canny = options;
  work.reach = reach_of(options);
  work.gray = gray_maker(exec);
  work.exec = exec;
  work.scratch_bytes = facts.type == PixelType::u8 ? 3 : 32;
  work.writing.lossless = true;
  return work;
}

BandWork work_of(const LogOptions& options, const PictureFacts&, const Exec& exec) {
  io::check_bands(options);
  BandWork work = neighbourhood(
      reach_of(options), options.border,
      fmt::format("log mode {} threshold {:a} sigma {:a} ksize {} border {}", int(options.mode),
                  options.threshold, options.sigma, options.ksize, words_of(options.border)),
      [=](ConstAnyView gray, AnyView out) { log_edges(gray, out, options, exec); });
  work.gray = gray_maker(exec);
  work.scratch_bytes = 8;
  work.is_mask = true;
  work.writing.lossless = true;
  return work;
}

BandWork work_of(const SobelOptions& options, const PictureFacts& facts, const Exec& exec) {
  BandWork work = neighbourhood(reach_of(options), options.border,
                                fmt::format("sobel aperture {} norm {} border {}", options.aperture,
                                            int(options.norm), words_of(options.border)),
                                [=](ConstAnyView gray, AnyView out) {
                                  sobel(gray, SobelOutputs{.magnitude = out}, options, exec);
                                });
  work.gray = gray_maker(exec);
  work.type = facts.type;
  work.scratch_bytes = 8;
  work.writing.lossless = true;
  return work;
}

// Filters keep channels, type and what the file says of its picture.
BandWork filter(const PictureFacts& facts, BandWork work) {
  work.type = facts.type;
  work.channels = facts.channels;
  work.scratch_bytes = 4.0 * facts.channels;
  work.writing.metadata = facts.metadata;
  work.writing.has_alpha = facts.has_alpha;
  work.writing.lossless = true;
  return work;
}

BandWork work_of(const GaussianOptions& options, const PictureFacts& facts, const Exec& exec) {
  const int ksize = options.ksize ? options.ksize : gaussian_size(options.sigma);
  return filter(facts, neighbourhood(ksize / 2, options.border,
                                     fmt::format("gaussian {:a} {} {}", options.sigma,
                                                 options.ksize, words_of(options.border)),
                                     [=](ConstAnyView rows, AnyView out) {
                                       gaussian(rows, out, options, exec);
                                     }));
}

BandWork work_of(const BoxOptions& options, const PictureFacts& facts, const Exec& exec) {
  return filter(
      facts, neighbourhood(options.n / 2, options.border,
                           fmt::format("box {} {}", options.n, words_of(options.border)),
                           [=](ConstAnyView rows, AnyView out) { box(rows, out, options, exec); }));
}

BandWork work_of(const SharpenOptions& options, const PictureFacts& facts, const Exec& exec) {
  return filter(
      facts,
      neighbourhood(options.n / 2, options.border,
                    fmt::format("sharpen {} {}", options.n, words_of(options.border)),
                    [=](ConstAnyView rows, AnyView out) { sharpen(rows, out, options, exec); }));
}

BandWork work_of(const MedianOptions& options, const PictureFacts& facts, const Exec& exec) {
  return filter(
      facts,
      neighbourhood(options.ksize / 2, options.border,
                    fmt::format("median {} {}", options.ksize, words_of(options.border)),
                    [=](ConstAnyView rows, AnyView out) { median(rows, out, options, exec); }));
}

BandWork work_of(const CorrelateFile& filtering, const PictureFacts& facts, const Exec& exec) {
  const Stencil& stencil = filtering.stencil;
  const FilterOptions& options = filtering.options;
  std::string taps;
  for (int y = 0; y < stencil.height(); ++y)
    for (int x = 0; x < stencil.width(); ++x) taps += fmt::format("{:a} ", stencil.tap(x, y));
  return filter(
      facts,
      neighbourhood(
          stencil.height(), options.border,
          fmt::format("correlate {}x{} {}integer {} of {}/ {} {} {}", stencil.width(),
                      stencil.height(), stencil.is_integer() ? "" : "no ", options.absolute, taps,
                      stencil.divisor(), options.offset, words_of(options.border)),
          [=](ConstAnyView rows, AnyView out) { correlate(rows, out, stencil, options, exec); }));
}

BandWork work_of(const MorphologyFile& step, const PictureFacts& facts, const Exec& exec) {
  if (facts.channels != 1) {
    throw_invalid(std::to_string(facts.channels),
                  "filter_file: morphology takes 1 channel, and the picture has {}",
                  facts.channels);
  }
  const StructuringElement& element = step.element;
  const bool twice = step.what == Morph::open || step.what == Morph::close;
  const auto cells = element.cells();
  return filter(
      facts,
      neighbourhood(element.height() * (twice ? 2 : 1), step.options.border.value_or(Border()),
                    fmt::format("morphology {} {}x{} {} {}", int(step.what), element.width(),
                                element.height(), fmt::join(cells, ""),
                                step.options.border ? words_of(*step.options.border) : "none"),
                    [=](ConstAnyView rows, AnyView out) {
                      morphology(rows, out, step.what, step.element, step.options, exec);
                    }));
}

// Gray levels above a limit, in memory that the next band takes again.
std::function<ConstAnyView(ConstAnyView)> mask_maker(const LabelFile& what, const Exec& exec) {
  const auto holder = std::make_shared<BitImage>();
  const Exec threads{.threads = exec.threads};  // a pinned strategy is label's
  return [=, limit = what.limit, gray = gray_maker(exec)](ConstAnyView rows) {
    if (holder->height() < rows.height || holder->width() != rows.width)
      *holder = BitImage(rows.width, rows.height);
    BitView mask = holder->view();
    mask.height = rows.height;
    threshold(gray(rows), AnyView(mask), limit, threads);
    return ConstAnyView(mask);
  };
}

// The way to a GPU for each of the bands that are worked on at once, in turn; none to the CPU.
class Ways {
 public:
  explicit Ways(std::vector<int> devices) : devices_(std::move(devices)) {}
  std::shared_ptr<RoundTrip> next() {
    if (devices_.empty()) return {};
    return std::make_shared<RoundTrip>(devices_[turn_++ % devices_.size()]);
  }

 private:
  std::vector<int> devices_;
  size_t turn_ = 0;
};

// The caller's, on that way's stream.
Exec on(const std::shared_ptr<RoundTrip>& gpu, const Exec& exec) {
  return gpu ? gpu->exec(exec) : exec;
}

}  // namespace

io::BandSettings io::band_settings(const BandOptions& options, const Exec& exec) {
  io::BandSettings settings{.bands = options};
  settings.use(exec.devices);
  settings.limits.max_pixels = options.max_pixels;
  if (options.memory < 1)
    throw_invalid(std::to_string(options.memory), "memory is {}; it is a number of bytes above 0",
                  options.memory);
  if (options.rows < 0)
    throw_invalid(std::to_string(options.rows), "rows are {}; give 0 or more", options.rows);
  return settings;
}

std::function<BandWork(const PictureFacts&)> io::band_work(const FileMethod& method,
                                                           const Exec& exec) {
  return [method, exec, ways = Ways(exec.devices)](const PictureFacts& facts) mutable {
    const auto gpu = ways.next();
    BandWork work = std::visit(
        [&](const auto& options) { return work_of(options, facts, on(gpu, exec)); }, method);
    if (gpu) {
      work.gpu = gpu;
      work.scratch_bytes = facts.channels > 1 ? bytes_per_sample(facts.type) : 0;  // gray levels
    }
    return work;
  };
}

void io::check_bands(const LogOptions& options) {
  if (options.mode == LogMode::zero_crossings && options.border.mode == BorderMode::wrap) {
    throw_invalid("wrap",
                  "log in bands: zero crossings with a border that wraps take the whole picture; "
                  "give another border, or mode threshold");
  }
}

namespace {
constexpr double label_scratch_bytes = 6;  // a pixel: gray levels, the mask, its runs

// Finds the components of a band's rows.
std::function<LabelBands::Found(const LabelBands&, ConstAnyView)> finder(
    const LabelFile& what, const std::shared_ptr<RoundTrip>& gpu, const Exec& exec) {
  return [gpu, mask_of = mask_maker(what, exec), exec = on(gpu, exec)](const LabelBands& labels,
                                                                       ConstAnyView rows) {
    LabelBands::Found found;
    on_copy(gpu, mask_of(rows), {},
            [&](ConstAnyView there, AnyView) { found = labels.find(there, exec); });
    return found;
  };
}
}  // namespace

int64_t io::label_bytes(const PictureFacts& facts) {
  return facts.size.height * (facts.row_bytes() + int64_t(facts.size.width * label_scratch_bytes));
}

std::vector<Component> io::label_picture(ConstAnyView picture, const LabelFile& what,
                                         const Exec& exec) {
  std::vector<Component> components;
  const auto mask_of = mask_maker(what, exec);  // which holds the mask
  const ConstAnyView mask = mask_of(picture);
  const auto gpu = Ways(exec.devices).next();
  on_copy(gpu, mask, {}, [&](ConstAnyView there, AnyView) {
    label(there, {}, &components, what.options, on(gpu, exec));
  });
  return components;
}

LabelFileResult io::label_bands(const std::filesystem::path& source, const BandSettings& settings,
                                const LabelFile& what, const Exec& exec) {
  std::optional<LabelBands> labels;
  Ways ways(settings.devices);
  const FileResult read =
      read_bands(source, settings, label_scratch_bytes, [&](const PictureFacts& facts) {
        if (!labels) labels.emplace(facts.size.width, what.options);
        return [&labels, find = finder(what, ways.next(), exec)](
                   ConstAnyView rows) -> std::function<void()> {
          return [&labels, found = find(*labels, rows)] { labels->add(found); };
        };
      });
  return {read.size, labels->join(), read.bands};
}

io::LabelMaker::LabelMaker(const std::filesystem::path& source, const BandSettings& settings,
                           const LabelFile& what, const Exec& exec)
    : rows_(source, settings),
      labels_(rows_.facts().size.width, what.options),
      find_(finder(what, nullptr, exec)) {}

int32_t io::LabelMaker::band_rows() const { return rows_.band_rows(label_scratch_bytes); }

LabelBands::Found io::LabelMaker::find(int32_t first, int32_t end) {
  return find_(labels_, rows_.take(first, end));
}

LabelFileResult label_file(const std::filesystem::path& source, const LabelFile& what,
                           const BandOptions& options, const Exec& exec) {
  return io::label_bands(source, io::band_settings(options, exec), what, exec);
}

FileResult edges_file(const std::filesystem::path& source, const std::filesystem::path& target,
                      const std::variant<CannyOptions, LogOptions, SobelOptions>& method,
                      const BandOptions& options, const Exec& exec) {
  const io::FileMethod wanted =
      std::visit([](const auto& one) -> io::FileMethod { return one; }, method);
  return io::run_bands(source, target, io::band_settings(options, exec),
                       io::band_work(wanted, exec));
}

FileResult filter_file(const std::filesystem::path& source, const std::filesystem::path& target,
                       const std::variant<GaussianOptions, BoxOptions, SharpenOptions,
                                          MedianOptions, CorrelateFile, MorphologyFile>& filter,
                       const BandOptions& options, const Exec& exec) {
  const io::FileMethod wanted =
      std::visit([](const auto& one) -> io::FileMethod { return one; }, filter);
  return io::run_bands(source, target, io::band_settings(options, exec),
                       io::band_work(wanted, exec));
}

}  // namespace cuesta
