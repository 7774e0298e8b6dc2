// cuesta edges: pictures or videos in, their edges out.
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/common.hpp"
#include "cli/either_device.hpp"
#include "cli/inputs.hpp"
#include "cli/options.hpp"
#include "cli/samples.hpp"
#include "cli/streams.hpp"
#include "cuesta/edges.hpp"
#include "cuesta/filter.hpp"
#include "cuesta/objects.hpp"
#include "io/picture.hpp"

namespace cuesta::cli {
namespace {

using Json = nlohmann::ordered_json;

struct State {
  CommonOptions common;
  std::vector<std::string> inputs;
  std::string format;
  std::string out;
  std::string method = "canny";
  std::string sigma, low, high, threshold;  // text: absent is not a number
  int ksize = 0;
  std::string norm;
  int aperture = 0;
  std::string mask;
  bool zero_crossings = false;
};

void refuse_unless(bool fits, std::string_view option, const std::string& value,
                   std::string_view where) {
  if (!fits)
    usage_error(value, "{}{}{}: this goes with {}", option, value.empty() ? "" : " ", value, where);
}

// The method and its options, checked once; then picture after picture.
class EdgeFinder {
 public:
  explicit EdgeFinder(const State& state);

  /// u8, and u16 for the magnitudes of 16-bit pictures.
  PixelType output_type(PixelType source) const {
    return method_ == "sobel" && !limit_ ? source : PixelType::u8;
  }
  /// True where the result is a mask of 0 and 255.
  bool makes_mask() const { return method_ != "sobel" || limit_; }
  /// Edges of `gray` into `out`. Returns the thresholds of canny.
  std::optional<CannyResult> find(ConstAnyView gray, AnyView out, ConstAnyView mask);
  const Exec& helper() const { return device_.execs().around; }
  void explain() const { device_.explain(); }

 private:
  void set_canny(const State& state);
  void run(ConstAnyView gray, AnyView out, ConstAnyView mask, const Execs& execs);
  void run_sobel(ConstAnyView gray, AnyView out, const Execs& execs);

  std::string method_;
  CannyOptions canny_;
  LogOptions log_;
  SobelOptions sobel_;
  double sobel_sigma_ = 0;
  int sobel_ksize_ = 0;
  std::optional<double> limit_;
  EitherDevice device_;
  AnyImage smooth_, magnitude_;
  std::optional<CannyResult> used_;
};

EdgeFinder::EdgeFinder(const State& state)
    : method_(state.method),
      device_(state.common,
              [this](std::span<const ConstAnyView> sources, AnyView edges, const Execs& execs) {
                run(sources[0], edges, sources.size() > 1 ? sources[1] : ConstAnyView(), execs);
              }) {
  const bool is_canny = method_ == "canny", is_log = method_ == "log",
             is_sobel = method_ == "sobel";
  refuse_unless(is_canny || state.low.empty(), "--low", state.low, "--method canny");
  refuse_unless(is_canny || state.high.empty(), "--high", state.high, "--method canny");
  refuse_unless(is_canny || state.mask.empty(), "--mask", state.mask, "--method canny");
  refuse_unless(!is_log || state.norm.empty(), "--norm", state.norm, "--method canny or sobel");
  refuse_unless(!is_log || state.aperture == 0, "--aperture", std::to_string(state.aperture),
                "--method canny or sobel");
  refuse_unless(is_log || !state.zero_crossings, "--zero-crossings", "", "--method log");
  if (is_canny && !state.common.border.empty()) {
    usage_error(state.common.border,
                "--border {}: canny defines its own borders; this goes with --method log or sobel",
                state.common.border);
  }
  const Norm norm = state.norm == "l2" ? Norm::l2 : Norm::l1;
  const int aperture = state.aperture ? state.aperture : 3;
  const double sigma =
      state.sigma.empty() ? (is_sobel ? 0 : 1.4) : parse_number("--sigma", state.sigma);
  if (sigma < 0) usage_error(state.sigma, "--sigma {}: it must be at least 0", state.sigma);
  std::optional<ThresholdSpec> threshold;
  if (!state.threshold.empty()) threshold = parse_threshold(state.threshold);
  refuse_unless(is_canny || !threshold || threshold->value, "--threshold", state.threshold,
                "--method canny");

  canny_ = {.sigma = sigma, .ksize = state.ksize, .norm = norm, .aperture = aperture};
  log_ = {.mode = state.zero_crossings ? LogMode::zero_crossings : LogMode::threshold,
          .sigma = sigma,
          .ksize = state.ksize,
          .border = state.common.border_or({})};
  sobel_ = {.aperture = aperture, .norm = norm, .border = log_.border};
  sobel_sigma_ = sigma;
  sobel_ksize_ = state.ksize;
  if (is_log && sigma == 0)
    usage_error(state.sigma, "--sigma {}: the Laplacian of a Gaussian needs one above 0",
                state.sigma);
  if (threshold && threshold->value) log_.threshold = *threshold->value;
  if (is_sobel && threshold) limit_ = threshold->value;
  if (is_canny) set_canny(state);

  // Options the library refuses are found before any file is read.
  device_.check(PixelType::u8, PixelType::u8);
}

void EdgeFinder::set_canny(const State& state) {
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
    canny_.thresholds = Thresholds::given(low, high);
  } else if (!state.threshold.empty()) {
    const ThresholdSpec spec = parse_threshold(state.threshold);
    canny_.thresholds = spec.value ? Thresholds::given(*spec.value / 2, *spec.value)
                                   : Thresholds::automatic(spec.rule, spec.percent);
  }
}

void EdgeFinder::run_sobel(ConstAnyView gray, AnyView out, const Execs& execs) {
  const auto between = [&](AnyImage& image, PixelType type) {
    return execs.around.choices ? placeholder(gray.width, gray.height, type, 1, gray.space)
                                : image.create(gray.size(), 1, type, gray.space);
  };
  if (sobel_sigma_ > 0) {
    const AnyView smooth = between(smooth_, gray.type);
    gaussian(gray, smooth, {sobel_sigma_, sobel_ksize_, sobel_.border}, execs.around);
    gray = smooth;
  }
  if (!limit_) return sobel(gray, {.magnitude = out}, sobel_, execs.pinned);
  const AnyView magnitude = between(magnitude_, PixelType::u16);
  sobel(gray, {.magnitude = magnitude}, sobel_, execs.pinned);
  threshold(magnitude, out, *limit_, execs.around);
}

void EdgeFinder::run(ConstAnyView gray, AnyView out, ConstAnyView mask, const Execs& execs) {
  if (method_ == "canny") {
    CannyOptions options = canny_;
    options.mask = mask;
    used_ = canny(gray, out, options, execs.pinned);
  } else if (method_ == "log") {
    log_edges(gray, out, log_, execs.pinned);
  } else {
    run_sobel(gray, out, execs);
  }
}

std::optional<CannyResult> EdgeFinder::find(ConstAnyView gray, AnyView out, ConstAnyView mask) {
  device_.run({gray, mask}, out);
  return used_;
}

// One call of the verb.
class Run {
 public:
  explicit Run(const State& state)
      : state_(state), region_(state.common.region_rect()), finder_(state) {
    if (state.mask.empty()) return;
    const auto picture = io::read_picture(state.mask, limits());
    mask_ = Image<uint8_t>(picture.width(), picture.height());
    fill_mask(picture.view(), picture.has_alpha, mask_);
  }

  void work(const Job& job) {
    begin_ = std::chrono::steady_clock::now();
    if (job.kind == InputKind::picture)
      on_picture(job);
    else
      on_stream(job);
  }
  void explain() const { finder_.explain(); }

 private:
  io::ReadLimits limits() const { return {state_.common.max_pixels, state_.common.partial}; }
  // The mask of a picture of this size, cut as the picture is.
  ConstAnyView mask_for(const std::string& name, int32_t width, int32_t height) const {
    if (mask_.empty()) return {};
    if (mask_.width() != width || mask_.height() != height) {
      throw Error(ErrorCode::input,
                  fmt::format("--mask {}: it has {} x {} pixels, and {} has {} x {}", state_.mask,
                              mask_.width(), mask_.height(), name, width, height),
                  state_.mask);
    }
    return region_of(ConstAnyView(mask_), region_, state_.mask);
  }
  void on_picture(const Job& job);
  void on_stream(const Job& job);
  void report(const Job& job, ConstAnyView out, int64_t frames, std::optional<CannyResult> used);

  const State& state_;
  std::optional<Rect> region_;
  EdgeFinder finder_;
  Image<uint8_t> mask_;
  AnyImage gray_, edges_;
  std::chrono::steady_clock::time_point begin_;
};

void Run::on_picture(const Job& job) {
  const auto picture = io::read_picture(job.input, limits());
  const ConstAnyView mask = mask_for(job.input, picture.width(), picture.height());
  const ConstAnyView source = region_of(picture.view(), region_, job.input);
  const ConstAnyView gray = gray_of(source, gray_, finder_.helper());
  const AnyView out = edges_.create(gray.size(), 1, finder_.output_type(gray.type));
  const auto used = finder_.find(gray, out, mask);
  io::write_picture(job.output, out);
  report(job, out, 0, used);
}

void Run::on_stream(const Job& job) {
  std::optional<CannyResult> used;
  const auto result =
      pass_stream(job, state_.common, false,
                  [&](ConstAnyView luma, AnyView out, int32_t width, int32_t height) {
                    used = finder_.find(luma, out, mask_for(job.input, width, height));
                  });
  const ConstAnyView shape({}, result.width, result.height, 1, result.width, PixelType::u8);
  report(job, shape, result.frames, used);
}

void Run::report(const Job& job, ConstAnyView out, int64_t frames,
                 std::optional<CannyResult> used) {
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  if (frames > 0) {
    detail("{} -> {}: {} frames of {} x {}, {:.1f}/s", job.input, job.output, frames, out.width,
           out.height, double(frames) / seconds);
  } else if (used) {
    detail("{} -> {}: {} x {}, low {:g}, high {:g}", job.input, job.output, out.width, out.height,
           used->low, used->high);
  } else {
    detail("{} -> {}: {} x {}", job.input, job.output, out.width, out.height);
  }
  if (!state_.common.json) return;
  Json line = {{"input", job.input},
               {"output", job.output},
               {"width", out.width},
               {"height", out.height},
               {"method", state_.method}};
  if (used) line["low"] = used->low, line["high"] = used->high;
  if (frames > 0)
    line["frames"] = frames;
  else if (finder_.makes_mask())
    line["edge_pixels"] = count_set(out);
  line["seconds"] = seconds;
  print_data(line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

int run(const State& state) {
  if (state.common.json && state.out == "-")
    usage_error("-", "--json: -o - already takes standard output; name a file for one of them");
  Run run(state);
  std::vector<std::string> also_read;
  if (!state.mask.empty()) also_read.push_back(state.mask);
  const Plan plan = plan_jobs(state.inputs, state.out, state.format, also_read);
  const int code = run_jobs(plan, [&](const Job& job) { run.work(job); });
  run.explain();
  return code;
}

}  // namespace

Verb add_edges(CLI::App& parent) {
  auto state = std::make_shared<State>();
  CLI::App* app = parent.add_subcommand("edges", "Finds edges in pictures and videos.");
  add_job_options(*app, state->inputs, state->out, state->format);
  app->add_option("--method", state->method, "canny (default), log or sobel")
      ->type_name("METHOD")
      ->check(CLI::IsMember({"canny", "log", "sobel"}));
  app->add_option("--sigma", state->sigma,
                  "smoothing before, pixels; 0 smooths nothing (canny and log 1.4, sobel 0)")
      ->type_name("S");
  app->add_option("--ksize", state->ksize, "its window, odd; 0 (default) chooses by sigma")
      ->type_name("K");
  app->add_option("--low", state->low, "low threshold, in gradient units as cv::Canny's")
      ->type_name("L");
  app->add_option("--high", state->high, "high threshold")->type_name("H");
  app->add_option("--threshold", state->threshold,
                  "canny: high T, low T/2, or auto[:otsu|median|percentile[:P]] (default auto); "
                  "log: gray levels (default 5); sobel: a mask above T")
      ->type_name("T");
  app->add_option("--norm", state->norm, "gradient magnitude: l1 (default) or l2")
      ->type_name("NORM")
      ->check(CLI::IsMember({"l1", "l2"}));
  app->add_option("--aperture", state->aperture, "Sobel window: 3 (default), 5 or 7")
      ->type_name("N")
      ->check(CLI::IsMember({3, 5, 7}));
  app->add_option("--mask", state->mask, "a picture; edges only where it is not black")
      ->type_name("FILE");
  app->add_flag("--zero-crossings", state->zero_crossings,
                "log: changes of sign steeper than T instead of |L| > T");
  add_common(*app, state->common,
             takes_device | takes_strategy | takes_threads | takes_border | takes_region |
                 takes_json | takes_limits | takes_explain,
             {"cuesta edges photo.jpg -o edges.png",
              "cuesta edges photo.jpg -o edges.png --sigma 0 --low 50 --high 150",
              "cuesta edges holiday/ -o edges/ --threshold auto:median",
              "cuesta edges street.mp4 -o edges.mp4 --method log",
              "ffmpeg -i in.mov -f yuv4mpegpipe - | cuesta edges - -o - | ffplay -"});
  return {app, [state] { return run(*state); }};
}

}  // namespace cuesta::cli
