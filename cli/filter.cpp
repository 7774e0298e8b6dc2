// cuesta filter: a linear filter or the median over pictures or videos.
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "cli/common.hpp"
#include "cli/either_device.hpp"
#include "cli/inputs.hpp"
#include "cli/options.hpp"
#include "cli/samples.hpp"
#include "cli/streams.hpp"
#include "cuesta/filter.hpp"
#include "io/picture.hpp"

namespace cuesta::cli {
namespace {

using Json = nlohmann::ordered_json;

struct State {
  CommonOptions common;
  std::vector<std::string> inputs;
  std::string format;
  std::string out, kernel, depth;
  std::optional<int> median;  // the window's side, instead of a kernel
  bool absolute = false;
  int offset = 0;
};

// True where a constant picture stays as it is.
bool keeps_constants(const Stencil& stencil) {
  if (stencil.is_integer()) {
    const auto taps = stencil.integer_taps();
    return std::accumulate(taps.begin(), taps.end(), int64_t(0)) == stencil.divisor();
  }
  const auto taps = stencil.float_taps();
  return std::abs(std::accumulate(taps.begin(), taps.end(), 0.0) - 1) < 1e-3;
}

template <class T>
void copy_last_channel(ImageView<const T> src, ImageView<T> dst) {
  for (int32_t y = 0; y < src.height; ++y) {
    for (int32_t x = 0; x < src.width; ++x)
      dst.at(x, y, dst.channels - 1) = src.at(x, y, src.channels - 1);
  }
}

void copy_alpha(ConstAnyView src, AnyView dst) {
  switch (src.type) {
    case PixelType::u8: return copy_last_channel(src.as<uint8_t>(), dst.as<uint8_t>());
    case PixelType::u16: return copy_last_channel(src.as<uint16_t>(), dst.as<uint16_t>());
    default: return copy_last_channel(src.as<float>(), dst.as<float>());
  }
}

// One call of the verb.
class Run {
 public:
  explicit Run(const State& state)
      : state_(state),
        kernel_(state.median ? KernelSpec{} : parse_kernel(state.kernel)),
        region_(state.common.region_rect()),
        device_(state.common, [this](std::span<const ConstAnyView> sources, AnyView out,
                                     const Execs& execs) { run(sources[0], out, execs.pinned); }) {
    options_ = {
        .border = state.common.border_or({}), .absolute = state.absolute, .offset = state.offset};
    if (state.median) {
      median_.ksize = *state.median;
      median_.border = state.common.border_or(median_.border);
    }
    // Options the library refuses are found before any file is read.
    device_.check(PixelType::u8, PixelType::u8);
  }

  void work(const Job& job) {
    begin_ = std::chrono::steady_clock::now();
    if (job.kind == InputKind::picture)
      on_picture(job);
    else
      on_stream(job);
  }
  void explain() const { device_.explain(); }

 private:
  void run(ConstAnyView in, AnyView out, const Exec& exec) const;
  void on_picture(const Job& job);
  void on_stream(const Job& job);
  void report(const Job& job, ConstAnyView out, int64_t frames);

  const State& state_;
  KernelSpec kernel_;
  std::optional<Rect> region_;
  EitherDevice device_;
  FilterOptions options_;
  MedianOptions median_;
  AnyImage source_, result_;
  std::chrono::steady_clock::time_point begin_;
};

void Run::run(ConstAnyView in, AnyView out, const Exec& exec) const {
  if (state_.median) return median(in, out, median_, exec);
  // The library's Gaussian rounds once, as cv::GaussianBlur does; a sum of its taps is never
  // negative, so only an offset asks for more.
  if (kernel_.gaussian_size > 0 && options_.offset == 0)
    gaussian(in, out, {kernel_.gaussian_sigma, kernel_.gaussian_size, options_.border}, exec);
  else
    correlate(in, out, kernel_.stencil, options_, exec);
}

void Run::on_picture(const Job& job) {
  const auto picture =
      io::read_picture(job.input, {state_.common.max_pixels, state_.common.partial});
  const ConstAnyView part = region_of(picture.view(), region_, job.input);
  const PixelType type = state_.depth == "8"       ? PixelType::u8
                         : state_.depth == "16"    ? PixelType::u16
                         : state_.depth == "float" ? PixelType::f32
                                                   : part.type;
  const ConstAnyView src = converted(part, type, source_);
  const AnyView dst = result_.create(src.size(), src.channels, type);
  device_.run({src}, dst);
  if (picture.has_alpha) copy_alpha(src, dst);
  io::write_picture(job.output, dst, {picture.metadata, picture.has_alpha});
  report(job, dst, 0);
}

void Run::on_stream(const Job& job) {
  if (!state_.depth.empty() && state_.depth != "8")
    usage_error(state_.depth, "--depth {}: videos have 8 bits", state_.depth);
  // Color is kept beside a filtered luma that still means brightness; a response has no color.
  const bool keeps_color = state_.median || (keeps_constants(kernel_.stencil) &&
                                             options_.offset == 0 && !options_.absolute);
  const auto result = pass_stream(
      job, state_.common, keeps_color,
      [&](ConstAnyView luma, AnyView out, int32_t, int32_t) { device_.run({luma}, out); });
  const ConstAnyView shape({}, result.width, result.height, 1, result.width, PixelType::u8);
  report(job, shape, result.frames);
}

void Run::report(const Job& job, ConstAnyView out, int64_t frames) {
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  if (frames > 0) {
    detail("{} -> {}: {} frames of {} x {}, {:.1f}/s", job.input, job.output, frames, out.width,
           out.height, double(frames) / seconds);
  } else {
    detail("{} -> {}: {} x {}, {} channels of {}", job.input, job.output, out.width, out.height,
           out.channels, name_of(out.type));
  }
  if (!state_.common.json) return;
  Json line = {{"input", job.input},   {"output", job.output},     {"width", out.width},
               {"height", out.height}, {"channels", out.channels}, {"type", name_of(out.type)}};
  if (state_.median)
    line["median"] = *state_.median;
  else
    line["kernel"] = state_.kernel;
  if (frames > 0) line["frames"] = frames;
  line["seconds"] = seconds;
  print_data(line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

void check(const State& state) {
  if (!state.median) {
    if (state.kernel.empty()) usage_error("", "filter: give --kernel KERNEL or --median K");
    return;
  }
  const int k = *state.median;
  if (!state.kernel.empty())
    usage_error(state.kernel, "--kernel {}: give this or --median {}, not both", state.kernel, k);
  if (k < 1 || k > 255 || k % 2 == 0)
    usage_error(std::to_string(k), "--median {}: give an odd number from 1 to 255", k);
  if (state.absolute) usage_error("", "--abs: this goes with --kernel");
  if (state.offset != 0)
    usage_error(std::to_string(state.offset), "--offset {}: this goes with --kernel", state.offset);
}

int run(const State& state) {
  check(state);
  if (state.common.json && state.out == "-")
    usage_error("-", "--json: -o - already takes standard output; name a file for one of them");
  Run run(state);
  std::vector<std::string> also_read;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(state.kernel, ignored)) also_read.push_back(state.kernel);
  const Plan plan = plan_jobs(state.inputs, state.out, state.format, also_read);
  const int code = run_jobs(plan, [&](const Job& job) { run.work(job); });
  run.explain();
  return code;
}

}  // namespace

Verb add_filter(CLI::App& parent) {
  auto state = std::make_shared<State>();
  CLI::App* app = parent.add_subcommand(
      "filter",
      "Filters pictures and videos: average, sharpen, Gaussian, Laplacian, any stencil, or the "
      "median.\n"
      "Taps lie over the picture as written (correlation, as cv::filter2D). Alpha is left as it "
      "is.\n"
      "Of videos the luma is filtered; color is kept with the median and where the taps sum to 1, "
      "else it is left out.");
  add_job_options(*app, state->inputs, state->out, state->format);
  app->add_option("--kernel", state->kernel,
                  "average:N, sharpen:N, unsharp:N, gaussian:K[:SIGMA], laplacian, "
                  "\"rows;of;numbers [/ divisor]\", or a file of such rows")
      ->type_name("KERNEL");
  app->add_option("--median", state->median,
                  "instead of a kernel: the middle of K x K samples, K odd (of float pictures at "
                  "most 5); the border is replicate unless told")
      ->type_name("K");
  app->add_flag("--abs", state->absolute, "take the absolute value of the sum");
  app->add_option("--offset", state->offset, "add this after rounding")->type_name("N");
  app->add_option("--depth", state->depth,
                  "bring samples to 8, 16 (white stays white) or float (numbers stay) first")
      ->type_name("8|16|float")
      ->check(CLI::IsMember({"8", "16", "float"}));
  add_common(
      *app, state->common,
      takes_device | takes_strategy | takes_threads | takes_border | takes_region | takes_json |
          takes_limits | takes_explain,
      {"cuesta filter photo.jpg -o smooth.png --kernel gaussian:15",
       "cuesta filter photo.jpg -o sharp.jpg --kernel sharpen:3",
       "cuesta filter scan.tif -o edges.tif --kernel laplacian --abs",
       "cuesta filter speckled.png -o clean.png --median 5",
       "cuesta filter photo.jpg -o emboss.png --kernel \"-1 0 0;0 0 0;0 0 1\" --offset 128"});
  return {app, [state] { return run(*state); }};
}

}  // namespace cuesta::cli
