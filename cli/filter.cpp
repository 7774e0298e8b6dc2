// cuesta filter: a linear filter or the median over pictures or videos.
#include <CLI/CLI.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "cli/conversion.hpp"
#include "cli/described.hpp"
#include "cli/either_device.hpp"
#include "cli/nearest.hpp"
#include "cli/samples.hpp"
#include "cuesta/filter.hpp"
#include "io/picture.hpp"
#include "ops/convolve/options.hpp"
#include "ops/median/options.hpp"

namespace cuesta::cli {
namespace {

struct State {
  CommonOptions common;
  JobOptions jobs;
  MemoryOptions memory;
  DescribedOptions described;
  std::string kernel, depth, median;  // median: the window's side, instead of a kernel
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

class Filter : public Conversion {
 public:
  Filter(const State& state, KernelSpec kernel);

  io::ReadLimits reading(const Job& job) const override {
    io::ReadLimits limits = reading_of(state_.common, state_.jobs);
    limits.keep_floats =
        state_.depth == "float" || (state_.depth.empty() && io::holds_floats(job.extension()));
    return limits;
  }
  Converted on_picture(const io::Picture& picture, const Job& job) override;
  io::BandWork band_work(const io::PictureFacts& facts) override;
  void check_video() const override {
    if (!state_.depth.empty() && state_.depth != "8")
      usage_error(state_.depth, "--depth {}: videos have 8 bits", state_.depth);
  }
  void on_frame(const Job&, ConstAnyView luma, AnyView out, Size) override {
    device_.run({luma}, out);
  }
  int frames_at_once() const override { return device_.at_once(); }
  // Color is kept beside a filtered luma that still means brightness; a response has no color.
  bool keeps_color() const override {
    return is_median() ||
           (keeps_constants(kernel_.stencil) && options_.offset == 0 && !options_.absolute);
  }
  std::string remark(ConstAnyView out) const override {
    return fmt::format(", {} channels of {}", out.channels, name_of(out.type));
  }
  void add_facts(nlohmann::ordered_json& line, ConstAnyView out, int64_t) const override {
    line["channels"] = out.channels;
    line["type"] = name_of(out.type);
    if (is_median())
      line["median"] = median_.ksize;
    else
      line["kernel"] = state_.kernel;
  }
  void explain() const override { device_.explain(); }

 private:
  bool is_median() const { return !state_.median.empty(); }
  void run(ConstAnyView in, AnyView out, const Exec& exec) const;
  PixelType type_of(PixelType source) const;

  const State& state_;
  KernelSpec kernel_;
  std::optional<Rect> region_;
  EitherDevice device_;
  FilterOptions options_;
  MedianOptions median_;
  AnyImage source_, result_;
};

Filter::Filter(const State& state, KernelSpec kernel)
    : state_(state),
      kernel_(std::move(kernel)),
      region_(state.common.region_rect()),
      device_(state.common, [this](std::span<const ConstAnyView> sources, AnyView out,
                                   const Execs& execs) { run(sources[0], out, execs.pinned); }) {
  state.described.refuse_others(is_median() ? "--median" : "--kernel");
  if (is_median()) {
    median_.ksize =
        DescribedOptions::parsed<int>("--median", state.median, limits_of<MedianOptions>("ksize"));
    state.described.read(median_);
  } else {
    state.described.read(options_);
  }
  // Options the library refuses are found before any file is read.
  device_.check(PixelType::u8, PixelType::u8);
}

void Filter::run(ConstAnyView in, AnyView out, const Exec& exec) const {
  if (is_median()) return median(in, out, median_, exec);
  // The library's Gaussian rounds once, as cv::GaussianBlur does; a sum of its taps is never
  // negative, so only an offset asks for more.
  if (kernel_.gaussian_size > 0 && options_.offset == 0)
    gaussian(in, out, {kernel_.gaussian_sigma, kernel_.gaussian_size, options_.border}, exec);
  else
    correlate(in, out, kernel_.stencil, options_, exec);
}

PixelType Filter::type_of(PixelType source) const {
  return state_.depth == "8"       ? PixelType::u8
         : state_.depth == "16"    ? PixelType::u16
         : state_.depth == "float" ? PixelType::f32
                                   : source;
}

io::BandWork Filter::band_work(const io::PictureFacts& facts) {
  io::BandWork work;
  const Border border = is_median() ? median_.border : options_.border;
  work.reach = is_median() ? median_.ksize / 2 : kernel_.stencil.height();
  work.wraps = border.mode == BorderMode::wrap;
  work.type = type_of(facts.type);
  work.channels = facts.channels;
  const ConstAnyView likely = placeholder(64, 64, work.type, facts.channels);
  const bool on_gpu = device_.goes_to_gpu(std::span(&likely, 1), likely);
  if (on_gpu) work.devices = device_.gpus();
  work.scratch_bytes = facts.channels * (on_gpu ? double(bytes_per_sample(work.type)) : 8.0);
  work.writing = {.metadata = facts.metadata, .has_alpha = facts.has_alpha};
  if (!is_median()) {  // the file of taps may be another one
    for (int y = 0; y < kernel_.stencil.height(); ++y)
      for (int x = 0; x < kernel_.stencil.width(); ++x)
        work.key += fmt::format("{:a} ", kernel_.stencil.tap(x, y));
    work.key += fmt::format("/ {}", kernel_.stencil.divisor());
  }
  work.run = [this, type = work.type, has_alpha = facts.has_alpha](ConstAnyView rows, AnyView out) {
    const ConstAnyView src = converted(rows, type, source_);
    device_.run({src}, out);
    if (has_alpha) copy_alpha(src, out);
  };
  return work;
}

Converted Filter::on_picture(const io::Picture& picture, const Job& job) {
  const ConstAnyView part = region_of(picture.view(), region_, job.input);
  const PixelType type = type_of(part.type);
  const ConstAnyView src = converted(part, type, source_);
  const AnyView dst = result_.create(src.size(), src.channels, type);
  device_.run({src}, dst);
  if (picture.has_alpha) copy_alpha(src, dst);
  return {dst, {.metadata = picture.metadata, .has_alpha = picture.has_alpha}};
}

int run(const State& state) {
  if (state.median.empty() && state.kernel.empty())
    usage_error("", "filter: give --kernel KERNEL or --median K");
  if (!state.median.empty() && !state.kernel.empty())
    usage_error(state.kernel, "--kernel {}: give this or --median {}, not both", state.kernel,
                state.median);
  // A file of taps is read once: it may be a pipe.
  const KernelSpec kernel = state.median.empty() ? parse_kernel(state.kernel) : KernelSpec{};
  std::vector<std::string> also_read;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(state.kernel, ignored)) also_read.push_back(state.kernel);
  return convert(
      state.jobs, state.common, state.memory,
      [&] { return std::make_unique<Filter>(state, kernel); }, also_read);
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
  add_job_options(*app, state->jobs);
  add_memory(*app, state->memory);
  app->add_option("--kernel", state->kernel,
                  "average:N, sharpen:N, unsharp:N, gaussian:K[:SIGMA], laplacian, "
                  "\"rows;of;numbers [/ divisor]\", or a file of such rows")
      ->type_name("KERNEL");
  app->add_option("--median", state->median,
                  "instead of a kernel: the middle of K x K samples, K odd; of float pictures at "
                  "most 5")
      ->type_name("K");
  state->described.add<FilterOptions>(*app, "--kernel");
  state->described.add<MedianOptions>(*app, "--median", {"ksize"});
  app->add_option("--depth", state->depth,
                  "bring samples to 8, 16 (white stays white) or float (numbers stay) first")
      ->type_name("8|16|float")
      ->check(one_of_names({"8", "16", "float"}));
  add_common(
      *app, state->common,
      takes_devices | takes_strategy | takes_threads | takes_region | takes_json | takes_limits |
          takes_sandbox | takes_explain,
      {"cuesta filter photo.jpg -o smooth.png --kernel gaussian:15",
       "cuesta filter photo.jpg -o sharp.jpg --kernel sharpen:3",
       "cuesta filter scan.tif -o edges.tif --kernel laplacian --absolute",
       "cuesta filter speckled.png -o clean.png --median 5",
       "cuesta filter photo.jpg -o emboss.png --kernel \"-1 0 0;0 0 0;0 0 1\" --offset 128"});
  return {app, [state] {
            check_memory(state->memory);
            return run(*state);
          }};
}

}  // namespace cuesta::cli
