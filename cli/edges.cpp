// cuesta edges: pictures or videos in, their edges out.
#include <nlohmann/json.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "cli/edges.hpp"
#include "cli/either_device.hpp"
#include "cli/nearest.hpp"
#include "cli/results.hpp"
#include "cli/samples.hpp"
#include "core/fill.hpp"
#include "cuesta/bands.hpp"
#include "cuesta/boundaries.hpp"
#include "cuesta/filter.hpp"
#include "cuesta/lines.hpp"
#include "cuesta/objects.hpp"
#include "io/picture.hpp"
#include "ops/boundaries/options.hpp"

namespace cuesta::cli {
namespace {

// What finds most of what people draw and little else, without a sweep (docs/accuracy.md); 1.4 is
// the paper's.
CannyOptions canny_defaults() {
  CannyOptions options;
  options.sigma = 3;
  return options;
}

// Thin lines, as canny's, and what finds most (docs/accuracy.md). Bands beside them, by the paper's
// window and level, are for who asks.
LogOptions log_defaults() {
  LogOptions options;
  options.mode = LogMode::zero_crossings;
  options.sigma = 3.5;
  options.threshold = 0.3;
  return options;
}

}  // namespace

CannyOptions canny_of(const EdgesOptions& given) {
  CannyOptions options = canny_defaults();
  given.described.read(options);
  if (const auto color = value_named<ColorGradient>(given.color)) options.color = *color;
  return options;
}

LogOptions log_of(const EdgesOptions& given) {
  LogOptions options = log_defaults();
  given.described.read(options);
  if (options.mode == LogMode::threshold) {
    options = LogOptions{};
    given.described.read(options);
  }
  return options;
}

TraceOptions trace_of(const EdgesOptions& given) {
  LineOptions options;
  given.tracing.read(options);
  return options.trace;
}

ConstAnyView source_of(const EdgesOptions& options, ConstAnyView picture, AnyImage& holder,
                       const Exec& exec) {
  return options.takes_color() && picture.channels >= 3 ? without_alpha(picture, holder)
                                                        : gray_of(picture, holder, exec);
}

double largest_magnitude(const SobelOptions& options) {
  const int n = options.aperture, r = n / 2;
  // Impulses give the taps, mirrored, which no sum minds.
  Image<uint8_t> impulse(4 * n + 1, 4 * n + 1);
  fill(impulse.view(), 0);
  impulse.view().at(2 * n, 2 * n) = 1;
  const auto taps = sobel_gradients(impulse, SobelOptions{.aperture = n});
  const auto along = [&](double dx, double dy) {
    double sum = 0;
    for (int j = -r; j <= r; ++j) {
      for (int i = -r; i <= r; ++i) {
        const int x = 2 * n + i, y = 2 * n + j;
        sum += std::max(0.0, dx * taps.gx.view().at(x, y) + dy * taps.gy.view().at(x, y));
      }
    }
    return sum;
  };
  if (options.norm == Norm::l1) return std::max(along(1, 1), along(1, -1));
  double most = 0;
  for (int degree = 0; degree < 360; ++degree) {
    const double angle = degree * std::numbers::pi / 180;
    most = std::max(most, along(std::cos(angle), std::sin(angle)));
  }
  return most;
}

namespace {

using State = EdgesOptions;

void refuse_unless(bool fits, std::string_view option, const std::string& value,
                   std::string_view where) {
  if (!fits) usage_error(value, "{} {}: this goes with {}", option, value, where);
}

// Samples of a plane of From, times `scale`, rounded.
template <class From, class To>
void scale_samples(ImageView<From> src, ImageView<To> dst, double scale) {
  for (int32_t y = 0; y < src.height; ++y) {
    const From* from = src.row(y);
    To* to = dst.row(y);
    for (int32_t x = 0; x < src.width; ++x) {
      const double value = double(from[x]) * scale + 0.5;
      to[x] = To(std::min(value, double(std::numeric_limits<To>::max())));
    }
  }
}

// The method and its options, checked once; then picture after picture.
class EdgeFinder {
 public:
  explicit EdgeFinder(const State& state);

  /// u8, and u16 for the magnitudes of 16-bit pictures.
  PixelType output_type(PixelType source) const { return makes_mask() ? PixelType::u8 : source; }
  /// True where the result is a mask of 0 and 255.
  bool makes_mask() const { return method_ != "sobel" || limit_; }
  /// Edges of `source` into `out`. Thresholds that were given count in the file's own levels, of
  /// which `scale` levels of `gray` are one.
  void find(ConstAnyView source, AnyView out, ConstAnyView mask, double scale = 1);
  /// Lines of the edges that the last call found in `gray`, made on the host.
  Polylines trace(ConstAnyView gray, ConstAnyView edges) const;
  /// The thresholds of the last call, of canny, in the file's levels.
  std::optional<CannyResult> used() const { return used_; }
  const Exec& helper() const { return device_.execs().around; }
  /// What find() does, but for masks, of rows of pictures of this type; `gray` makes of them what
  /// is looked at, with so many channels.
  io::BandWork band_work(PixelType type, int32_t channels,
                         std::function<ConstAnyView(ConstAnyView)> gray);
  void set_used(const CannyResult& used) { used_ = used; }
  void explain() const { device_.explain(); }
  int at_once() const { return device_.at_once(); }

 private:
  void set_thresholds(const State& state);
  void run(ConstAnyView gray, AnyView out, ConstAnyView mask, const Execs& execs);
  void run_sobel(ConstAnyView gray, AnyView out, const Execs& execs);
  void find_magnitudes(ConstAnyView gray, AnyView out);
  LogOptions log_for(PixelType type) const;

  std::string method_;
  CannyOptions canny_;
  std::optional<CannyResult> given_;  // of canny
  LogOptions log_;
  std::optional<double> level_;  // of log
  BoundaryOptions boundaries_;
  SobelOptions sobel_;
  SmoothingOptions smoothing_;
  std::optional<double> limit_;  // of sobel
  TraceOptions tracing_;
  int threads_;
  double scale_ = 1, largest_ = 1;
  EitherDevice device_;
  AnyImage smooth_, magnitude_, floats_, whole_;
  std::optional<CannyResult> used_;
};

EdgeFinder::EdgeFinder(const State& state)
    : method_(state.method),
      threads_(state.common.threads),
      device_(state.common,
              [this](std::span<const ConstAnyView> sources, AnyView edges, const Execs& execs) {
                run(sources[0], edges, sources.size() > 1 ? sources[1] : ConstAnyView(), execs);
              }) {
  const bool is_canny = method_ == "canny";
  refuse_unless(is_canny || state.low.empty(), "--low", state.low, "--method canny");
  refuse_unless(is_canny || state.high.empty(), "--high", state.high, "--method canny");
  refuse_unless(is_canny || state.mask.empty(), "--mask", state.mask, "--method canny");
  refuse_unless(is_canny || state.color.empty(), "--color", state.color, "--method canny");
  state.described.refuse_others(method_);
  if (is_canny) {
    // Points of lines are found in gray levels, and so are their edges.
    refuse_unless(state.lines.out.empty() || !state.takes_color(), "--color", state.color,
                  "pictures of edges; --lines takes --color gray");
    canny_ = canny_of(state);
  } else if (method_ == "log") {
    log_ = log_of(state);
    if (log_.sigma == 0 && log_.ksize == 0)
      usage_error("0", "--sigma 0: the Laplacian of a Gaussian needs one above 0");
  } else if (method_ != "boundaries") {
    state.described.read(sobel_);
    state.described.read(smoothing_);
  }
  tracing_ = trace_of(state);
  if (state.lines.out.empty()) {
    state.tracing.refuse_all("--lines");
  } else {
    refuse_unless(is_canny || method_ == "log", "--lines", state.lines.out,
                  "--method canny or log");
    refuse_unless(method_ != "log" || log_.mode == LogMode::zero_crossings, "--lines",
                  state.lines.out, "--mode zero-crossings");
  }
  set_thresholds(state);
  if (!makes_mask()) largest_ = largest_magnitude(sobel_);
  // Options the library refuses are found before any file is read.
  device_.check(PixelType::u8, makes_mask() ? PixelType::u8 : PixelType::u16);
}

void EdgeFinder::set_thresholds(const State& state) {
  if (state.low.empty() != state.high.empty()) {
    usage_error(state.low + state.high, "{}: --low and --high go together",
                state.low.empty() ? "--high " + state.high : "--low " + state.low);
  }
  if (!state.low.empty()) {
    if (!state.threshold.empty())
      usage_error(state.threshold, "--threshold {}: give this, or --low and --high, not both",
                  state.threshold);
    const double low = parse_number("--low", state.low), high = parse_number("--high", state.high);
    if (low < 0) usage_error(state.low, "--low {}: it must be at least 0", state.low);
    if (high < low)
      usage_error(state.high, "--high {}: it must be at least --low {}", state.high, state.low);
    given_ = CannyResult{low, high};
  }
  if (state.threshold.empty()) return;
  const ThresholdSpec spec = parse_threshold(state.threshold);
  refuse_unless(method_ == "canny" || spec.value, "--threshold", state.threshold, "--method canny");
  if (method_ == "canny") {
    canny_.thresholds = Thresholds::automatic(spec.rule, spec.percent);
    if (spec.value) given_ = CannyResult{*spec.value / 2, *spec.value};
  } else if (method_ == "log") {
    level_ = spec.value;
  } else if (method_ == "boundaries") {
    boundaries_.threshold = *spec.value;
  } else {
    limit_ = spec.value;
  }
}

void EdgeFinder::run_sobel(ConstAnyView gray, AnyView out, const Execs& execs) {
  const auto between = [&](AnyImage& image, PixelType type) {
    return execs.around.choices ? placeholder(gray.width, gray.height, type, 1, gray.space)
                                : image.create(gray.size(), 1, type, gray.space);
  };
  if (smoothing_.wanted()) {
    const AnyView smooth = between(smooth_, gray.type);
    gaussian(gray, smooth, {smoothing_.sigma, smoothing_.ksize, sobel_.border}, execs.around);
    gray = smooth;
  }
  if (!limit_) return sobel(gray, {.magnitude = out}, sobel_, execs.pinned);
  const AnyView magnitude = between(magnitude_, PixelType::u16);
  sobel(gray, {.magnitude = magnitude}, sobel_, execs.pinned);
  threshold(magnitude, out, *limit_ * scale_, execs.around);
}

io::BandWork EdgeFinder::band_work(PixelType type, int32_t channels,
                                   std::function<ConstAnyView(ConstAnyView)> gray) {
  io::BandWork work;
  work.type = output_type(type);
  work.is_mask = makes_mask();
  work.writing.lossless = true;
  work.gray = std::move(gray);
  work.gray_channels = channels;
  const ConstAnyView likely = placeholder(64, 64, type, channels);
  const bool on_gpu = device_.goes_to_gpu(std::span(&likely, 1), placeholder(64, 64, work.type));
  if (on_gpu) work.devices = device_.gpus();
  // Of rows' gray levels, and of magnitudes that are scaled.
  work.scratch_bytes = on_gpu ? channels * bytes_per_sample(type) + (makes_mask() ? 0 : 8) : 16;
  if (method_ == "canny") {
    work.canny = canny_;
    if (given_) work.canny->thresholds = Thresholds::given(given_->low, given_->high);
    work.reach = reach_of(canny_);
    if (!on_gpu) work.scratch_bytes = type == PixelType::u8 ? 6 : 32;
    work.exec = device_.execs().pinned;
    if (on_gpu) work.gpu = device_.gpu();
    return work;
  }
  const Border border = method_ == "log" ? log_.border : sobel_.border;
  work.wraps = border.mode == BorderMode::wrap;
  if (method_ == "log") {
    io::check_bands(log_);
    work.reach = reach_of(log_);
  } else {
    const int window = smoothing_.ksize       ? smoothing_.ksize
                       : smoothing_.sigma > 0 ? gaussian_size(smoothing_.sigma)
                                              : 1;
    work.reach = window / 2 + reach_of(sobel_);
  }
  work.run = [this](ConstAnyView rows, AnyView out) { find(rows, out, {}); };
  return work;
}

void EdgeFinder::run(ConstAnyView gray, AnyView out, ConstAnyView mask, const Execs& execs) {
  if (method_ == "canny") {
    CannyOptions options = canny_;
    options.mask = mask;
    if (given_) options.thresholds = Thresholds::given(given_->low * scale_, given_->high * scale_);
    used_ = canny(gray, out, options, execs.pinned);
    used_->low /= scale_, used_->high /= scale_;
  } else if (method_ == "log") {
    log_edges(gray, out, log_for(gray.type), execs.pinned);
  } else if (method_ == "boundaries") {
    boundaries(gray, out, boundaries_, execs.pinned);
  } else {
    run_sobel(gray, out, execs);
  }
}

LogOptions EdgeFinder::log_for(PixelType type) const {
  LogOptions options = log_;
  // What is usual is so many of 255 levels.
  options.threshold =
      level_ ? *level_ * scale_ : log_.threshold * (type == PixelType::u16 ? 257 : 1);
  return options;
}

Polylines EdgeFinder::trace(ConstAnyView gray, ConstAnyView edges) const {
  const Exec exec{.threads = threads_};
  Polylines lines = method_ == "log" ? cuesta::trace(gray, log_for(gray.type), tracing_, exec)
                                     : cuesta::trace(gray, edges, canny_, tracing_, exec);
  for (Polyline& line : lines) {
    line.strength /= scale_;
    for (LinePoint& p : line.points) p.strength /= scale_;
  }
  return lines;
}

void EdgeFinder::find(ConstAnyView gray, AnyView out, ConstAnyView mask, double scale) {
  scale_ = scale;
  if (makes_mask())
    device_.run({gray, mask}, out);
  else
    find_magnitudes(gray, out);
}

// Magnitudes so scaled that the largest possible one is white. Integers hold those of 8 bits and
// apertures up to 5; all others are made of floats.
void EdgeFinder::find_magnitudes(ConstAnyView gray, AnyView out) {
  const double scale = 1 / largest_;
  const bool fits = gray.type == PixelType::u8 && sobel_.aperture < 7;
  const AnyView whole =
      whole_.create(gray.size(), 1, fits ? PixelType::u16 : PixelType::f32, gray.space);
  device_.run({fits ? gray : converted(gray, PixelType::f32, floats_)}, whole);
  if (fits)
    scale_samples(whole.as<uint16_t>(), out.as<uint8_t>(), scale);
  else if (out.type == PixelType::u16)
    scale_samples(whole.as<float>(), out.as<uint16_t>(), scale);
  else
    scale_samples(whole.as<float>(), out.as<uint8_t>(), scale);
}

io::ReadLimits reading_of(const State& state) { return reading_of(state.common, state.jobs); }

class Edges : public EdgesConversion {
 public:
  /// `mask` is empty or of the pictures' size, and outlives it.
  Edges(const State& state, const Image<uint8_t>& mask)
      : state_(state), region_(state.common.region_rect()), finder_(state), mask_(mask) {}

  io::ReadLimits reading(const Job&) const override { return reading_of(state_); }
  Converted on_picture(const io::Picture& picture, const Job& job) override {
    banded_.reset();
    const ConstAnyView mask = mask_for(job.input, {picture.width(), picture.height()});
    const ConstAnyView source = region_of(picture.view(), region_, job.input);
    const ConstAnyView read = source_of(state_, source, read_, finder_.helper());
    look_at(source.channels);
    const AnyView out = edges_.create(read.size(), 1, finder_.output_type(read.type));
    finder_.find(read, out, mask, picture.scale);
    if (!job.lines.empty()) lines_ = finder_.trace(read, out);
    return {out, {.lossless = true}};
  }
  io::BandWork band_work(const io::PictureFacts& facts) override {
    if (!mask_.empty())
      usage_error(state_.mask, "--mask {}: a picture that takes more than --memory {} has none",
                  state_.mask, state_.memory.memory);
    if (state_.method == "boundaries")
      usage_error(state_.memory.memory,
                  "--memory {}: --method boundaries takes whole pictures; without --memory all of "
                  "it is read",
                  state_.memory.memory);
    const int32_t channels = state_.takes_color() && facts.channels >= 3 ? 3 : 1;
    look_at(facts.channels);
    return finder_.band_work(facts.type, channels, [this](ConstAnyView rows) {
      return source_of(state_, rows, read_, finder_.helper());
    });
  }
  void take(const FileResult& result) override {
    banded_ = result;
    if (state_.method == "canny") finder_.set_used(result.thresholds);
  }
  void write_more(const Job& job) override {
    if (job.lines.empty()) return;
    const auto file = text_file(job.lines, io::Placing::when_whole);
    file->write(lines_text(job));
    file->finish();
  }
  std::string lines_text(const Job& job) const override {
    return text_of_lines(job.lines_format, lines_,
                         {job.input, state_.method, edges_.width(), edges_.height()});
  }
  void on_frame(const Job& job, ConstAnyView luma, AnyView out, Size whole) override {
    finder_.find(luma, out, mask_for(job.input, whole));
  }
  int frames_at_once() const override { return finder_.at_once(); }
  bool keeps_color() const override { return false; }
  std::string remark(ConstAnyView) const override {
    const auto used = finder_.used();
    std::string text =
        used ? fmt::format(", low {:g}, high {:g}{}", used->low, used->high, looked_at_)
             : std::string();
    if (!state_.lines.out.empty()) text += fmt::format(", {} lines", lines_.size());
    return text;
  }
  std::string remark_of_frames() const override {
    return state_.takes_color() ? ", of gray levels" : "";
  }
  void add_facts(Json& line, ConstAnyView out, int64_t frames) const override {
    line["method"] = state_.method;
    if (const auto used = finder_.used()) line["low"] = used->low, line["high"] = used->high;
    if (banded_ && finder_.makes_mask())
      line["edge_pixels"] = banded_->edge_pixels;
    else if (frames == 0 && finder_.makes_mask())
      line["edge_pixels"] = count_set(out);
    if (banded_) line["bands"] = banded_->bands, line["resumed_rows"] = banded_->resumed_rows;
    if (!state_.lines.out.empty()) line["lines"] = lines_.size();
  }
  void explain() const override { finder_.explain(); }

 private:
  // What canny's thresholds are of, where a picture leaves a choice.
  void look_at(int32_t channels) {
    const bool in_color = state_.takes_color();
    looked_at_ = channels < 3 ? ""
                 : !in_color  ? ", of gray levels"
                 : canny_of(state_).color == ColorGradient::structure
                     ? ", of the structure tensor"
                     : ", of the strongest channel";
  }
  // The mask of a picture of this size, cut as the picture is.
  ConstAnyView mask_for(const std::string& name, Size size) const {
    if (mask_.empty()) return {};
    if (mask_.size() != size) {
      throw Error(ErrorCode::input,
                  fmt::format("--mask {}: it has {} x {} pixels, and {} has {} x {}", state_.mask,
                              mask_.width(), mask_.height(), name, size.width, size.height),
                  state_.mask);
    }
    return region_of(ConstAnyView(mask_), region_, state_.mask);
  }

  const State& state_;
  std::optional<Rect> region_;
  EdgeFinder finder_;
  const Image<uint8_t>& mask_;
  AnyImage read_, edges_;
  Polylines lines_;  // of the last picture
  std::string_view looked_at_{};
  std::optional<FileResult> banded_{};
};

}  // namespace

std::unique_ptr<EdgesConversion> edges_conversion(const EdgesOptions& options,
                                                  const Image<uint8_t>& mask) {
  return std::make_unique<Edges>(options, mask);
}

namespace {

int run(const State& state) {
  const bool wants_lines = !state.lines.out.empty();
  if (state.jobs.out.empty() && !wants_lines)
    usage_error("", "there is nothing to write: give -o OUT, --lines OUT or both");
  if (!wants_lines && !state.lines.format.empty())
    usage_error(state.lines.format, "--lines-format {}: this goes with --lines",
                state.lines.format);
  if (state.lines.out == "-" && (state.jobs.out == "-" || state.common.json))
    usage_error("-", "--lines -: {} already takes standard output; name a file for one of them",
                state.common.json ? "--json" : "-o -");
  Image<uint8_t> mask;
  std::vector<std::string> also_read;
  const auto make = [&] { return edges_conversion(state, mask); };
  if (!state.mask.empty()) {
    make();  // what it refuses comes before a file is read
    also_read.push_back(state.mask);
    const auto picture = io::read_picture(state.mask, reading_of(state));
    mask = Image<uint8_t>(picture.width(), picture.height());
    fill_mask(picture.view(), picture.has_alpha, mask);
  }
  return convert(state.jobs, state.common, state.memory, make, also_read, [&](Plan& plan) {
    if (wants_lines) name_lines(plan, state.lines, also_read);
  });
}

}  // namespace

void add_edges_options(CLI::App& app, EdgesOptions& options) {
  add_job_options(app, options.jobs, false);
  add_memory(app, options.memory);
  app.add_option("--lines", options.lines.out,
                 "the edges as lines between the pixels: a .svg, .geojson or .json; a folder for "
                 "several inputs; - writes to stdout")
      ->type_name("OUT");
  app.add_option("--lines-format", options.lines.format,
                 "of --lines in a folder and on stdout: svg (default), geojson or json")
      ->type_name("NAME")
      ->check(one_of_names({"svg", "geojson", "json"}));
  options.tracing.add<LineOptions>(app);
  options.jobs.masks = true;
  app.add_option("--method", options.method,
                 "canny (default), log, sobel, or boundaries, which leaves texture out")
      ->type_name("METHOD")
      ->check(one_of_names({"canny", "log", "sobel", "boundaries"}));
  app.add_option(
         "--threshold", options.threshold,
         "canny: high T, low T/2, or auto[:otsu|median|percentile[:P]|noise] (default auto; noise "
         "finds nothing where nothing but noise is); "
         "log: gray levels (default 0.3 of 255; with --mode threshold 5, and sigma 1.4); "
         "sobel: a mask above T instead of magnitudes, "
         "of which the largest possible is white; boundaries: of strength over what lies around "
         "it (default 9)")
      ->type_name("T");
  app.add_option("--low", options.low, "canny: low threshold, in gradient units as cv::Canny's")
      ->type_name("L");
  app.add_option("--high", options.high, "canny: high threshold")->type_name("H");
  app.add_option(
         "--color", options.color,
         "canny: the gradient of a colored picture: strongest: the strongest channel's at each "
         "pixel, as cv::Canny's (default); structure: of the structure tensor, Di Zenzo's; gray: "
         "of its gray levels, as videos and --lines always take, and any --strategy")
      ->type_name("NAME")
      ->check(one_of_names({"strongest", "structure", "gray"}));
  app.add_option("--mask", options.mask, "canny: a picture; edges only where it is not black")
      ->type_name("FILE");
  options.described.add<CannyOptions>(app, "canny", {"color"}, canny_defaults());
  options.described.add<LogOptions>(app, "log", {"threshold"}, log_defaults());
  options.described.add<SobelOptions>(app, "sobel");
  options.described.add<SmoothingOptions>(app, "sobel");
  add_common(app, options.common,
             takes_devices | takes_strategy | takes_threads | takes_region | takes_json |
                 takes_limits | takes_sandbox | takes_explain,
             {"cuesta edges photo.jpg -o edges.png",
              "cuesta edges photo.jpg -o edges.png --sigma 0 --low 50 --high 150",
              "cuesta edges holiday/ -o edges/ --threshold auto:percentile:90",
              "cuesta edges photo.jpg --lines edges.svg --line-tolerance 0.5 --min-length 20",
              "cuesta edges street.mp4 -o edges.mp4 --method log",
              "cuesta edges huge.tif -o edges.tif --memory 512MB",
              "ffmpeg -i in.mov -f yuv4mpegpipe - | cuesta edges - -o - | ffplay -"});
}

Verb add_edges(CLI::App& parent) {
  auto state = std::make_shared<State>();
  CLI::App* app = parent.add_subcommand("edges", "Finds edges in pictures and videos.");
  add_edges_options(*app, *state);
  return {app, [state] {
            check_memory(state->memory);
            return run(*state);
          }};
}

}  // namespace cuesta::cli
