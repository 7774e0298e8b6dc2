// cuesta edges: pictures or videos in, their edges out.
#include <nlohmann/json.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "cli/edges.hpp"
#include "cli/either_device.hpp"
#include "cli/nearest.hpp"
#include "cli/samples.hpp"
#include "core/fill.hpp"
#include "cuesta/filter.hpp"
#include "cuesta/objects.hpp"
#include "io/picture.hpp"

namespace cuesta::cli {

LogOptions edges_log_defaults() {
  LogOptions options;
  options.mode = LogMode::zero_crossings;
  return options;
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

using Json = nlohmann::ordered_json;

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
  /// Edges of `gray` into `out`. Thresholds that were given count in the file's own levels, of
  /// which `scale` levels of `gray` are one.
  void find(ConstAnyView gray, AnyView out, ConstAnyView mask, double scale = 1);
  /// The thresholds of the last call, of canny, in the file's levels.
  std::optional<CannyResult> used() const { return used_; }
  const Exec& helper() const { return device_.execs().around; }
  void explain() const { device_.explain(); }

 private:
  void set_thresholds(const State& state);
  void run(ConstAnyView gray, AnyView out, ConstAnyView mask, const Execs& execs);
  void run_sobel(ConstAnyView gray, AnyView out, const Execs& execs);
  void find_magnitudes(ConstAnyView gray, AnyView out);

  std::string method_;
  CannyOptions canny_;
  std::optional<CannyResult> given_;  // of canny
  LogOptions log_;
  std::optional<double> level_;  // of log
  SobelOptions sobel_;
  SmoothingOptions smoothing_;
  std::optional<double> limit_;  // of sobel
  double scale_ = 1, largest_ = 1;
  EitherDevice device_;
  AnyImage smooth_, magnitude_, floats_, whole_;
  std::optional<CannyResult> used_;
};

EdgeFinder::EdgeFinder(const State& state)
    : method_(state.method),
      log_(edges_log_defaults()),
      device_(state.common,
              [this](std::span<const ConstAnyView> sources, AnyView edges, const Execs& execs) {
                run(sources[0], edges, sources.size() > 1 ? sources[1] : ConstAnyView(), execs);
              }) {
  const bool is_canny = method_ == "canny";
  refuse_unless(is_canny || state.low.empty(), "--low", state.low, "--method canny");
  refuse_unless(is_canny || state.high.empty(), "--high", state.high, "--method canny");
  refuse_unless(is_canny || state.mask.empty(), "--mask", state.mask, "--method canny");
  state.described.refuse_others(method_);
  if (is_canny) {
    state.described.read(canny_);
  } else if (method_ == "log") {
    state.described.read(log_);
    if (log_.sigma == 0 && log_.ksize == 0)
      usage_error("0", "--sigma 0: the Laplacian of a Gaussian needs one above 0");
  } else {
    state.described.read(sobel_);
    state.described.read(smoothing_);
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

void EdgeFinder::run(ConstAnyView gray, AnyView out, ConstAnyView mask, const Execs& execs) {
  if (method_ == "canny") {
    CannyOptions options = canny_;
    options.mask = mask;
    if (given_) options.thresholds = Thresholds::given(given_->low * scale_, given_->high * scale_);
    used_ = canny(gray, out, options, execs.pinned);
    used_->low /= scale_, used_->high /= scale_;
  } else if (method_ == "log") {
    LogOptions options = log_;
    // What is usual is so many of 255 levels.
    options.threshold =
        level_ ? *level_ * scale_ : log_.threshold * (gray.type == PixelType::u16 ? 257 : 1);
    log_edges(gray, out, options, execs.pinned);
  } else {
    run_sobel(gray, out, execs);
  }
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

class Edges : public Conversion {
 public:
  /// `mask` is empty or of the pictures' size, and outlives it.
  Edges(const State& state, const Image<uint8_t>& mask)
      : state_(state), region_(state.common.region_rect()), finder_(state), mask_(mask) {}

  io::ReadLimits reading(const Job&) const override { return reading_of(state_); }
  Converted on_picture(const io::Picture& picture, const Job& job) override {
    const ConstAnyView mask = mask_for(job.input, {picture.width(), picture.height()});
    const ConstAnyView source = region_of(picture.view(), region_, job.input);
    const ConstAnyView gray = gray_of(source, gray_, finder_.helper());
    const AnyView out = edges_.create(gray.size(), 1, finder_.output_type(gray.type));
    finder_.find(gray, out, mask, picture.scale);
    return {out, {.lossless = true}};
  }
  void on_frame(const Job& job, ConstAnyView luma, AnyView out, Size whole) override {
    finder_.find(luma, out, mask_for(job.input, whole));
  }
  bool keeps_color() const override { return false; }
  std::string remark(ConstAnyView) const override {
    const auto used = finder_.used();
    return used ? fmt::format(", low {:g}, high {:g}", used->low, used->high) : std::string();
  }
  void add_facts(Json& line, ConstAnyView out, int64_t frames) const override {
    line["method"] = state_.method;
    if (const auto used = finder_.used()) line["low"] = used->low, line["high"] = used->high;
    if (frames == 0 && finder_.makes_mask()) line["edge_pixels"] = count_set(out);
  }
  void explain() const override { finder_.explain(); }

 private:
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
  AnyImage gray_, edges_;
};

}  // namespace

std::unique_ptr<Conversion> edges_conversion(const EdgesOptions& options,
                                             const Image<uint8_t>& mask) {
  return std::make_unique<Edges>(options, mask);
}

namespace {

int run(const State& state) {
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
  return convert(state.jobs, state.common, make, also_read);
}

}  // namespace

void add_edges_options(CLI::App& app, EdgesOptions& options) {
  add_job_options(app, options.jobs);
  options.jobs.masks = true;
  app.add_option("--method", options.method, "canny (default), log or sobel")
      ->type_name("METHOD")
      ->check(one_of_names({"canny", "log", "sobel"}));
  app.add_option(
         "--threshold", options.threshold,
         "canny: high T, low T/2, or auto[:otsu|median|percentile[:P]] (default auto); "
         "log: gray levels (default 5 of 255); sobel: a mask above T instead of magnitudes, "
         "of which the largest possible is white")
      ->type_name("T");
  app.add_option("--low", options.low, "canny: low threshold, in gradient units as cv::Canny's")
      ->type_name("L");
  app.add_option("--high", options.high, "canny: high threshold")->type_name("H");
  app.add_option("--mask", options.mask, "canny: a picture; edges only where it is not black")
      ->type_name("FILE");
  options.described.add<CannyOptions>(app, "canny");
  options.described.add<LogOptions>(app, "log", {"threshold"}, edges_log_defaults());
  options.described.add<SobelOptions>(app, "sobel");
  options.described.add<SmoothingOptions>(app, "sobel");
  add_common(app, options.common,
             takes_device | takes_strategy | takes_threads | takes_region | takes_json |
                 takes_limits | takes_explain,
             {"cuesta edges photo.jpg -o edges.png",
              "cuesta edges photo.jpg -o edges.png --sigma 0 --low 50 --high 150",
              "cuesta edges holiday/ -o edges/ --threshold auto:median",
              "cuesta edges street.mp4 -o edges.mp4 --method log",
              "ffmpeg -i in.mov -f yuv4mpegpipe - | cuesta edges - -o - | ffplay -"});
}

Verb add_edges(CLI::App& parent) {
  auto state = std::make_shared<State>();
  CLI::App* app = parent.add_subcommand("edges", "Finds edges in pictures and videos.");
  add_edges_options(*app, *state);
  return {app, [state] { return run(*state); }};
}

}  // namespace cuesta::cli
