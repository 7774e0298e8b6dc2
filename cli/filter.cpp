// cuesta filter: a linear filter or the median over pictures or videos.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/conversion.hpp"
#include "cli/described.hpp"
#include "cli/nearest.hpp"
#include "cuesta/io/picture.hpp"
#include "cuesta/recipes/filter.hpp"
#include "recipes/descriptions.hpp"

namespace cuesta::cli {
namespace {

struct State {
  CommonOptions common;
  JobOptions jobs;
  MemoryOptions memory;
  DescribedOptions described;
  std::string kernel, depth, median;  // median: the window's side, instead of a kernel
};

std::optional<PixelType> type_of(const State& state) {
  if (state.depth.empty()) return {};
  return state.depth == "8" ? PixelType::u8 : state.depth == "16" ? PixelType::u16 : PixelType::f32;
}

// The library's Gaussian rounds once, as cv::GaussianBlur does; a sum of its taps is never
// negative, so only an offset asks for more.
PictureFilter filter_of(const State& state, const KernelSpec& kernel) {
  const bool is_median = !state.median.empty();
  state.described.refuse_others(is_median ? "--median" : "--kernel");
  if (is_median) {
    MedianOptions median;
    median.ksize =
        DescribedOptions::parsed<int>("--median", state.median, limits_of<MedianOptions>("ksize"));
    state.described.read(median);
    return median;
  }
  FilterOptions options;
  state.described.read(options);
  if (kernel.gaussian_size > 0 && options.offset == 0)
    return GaussianOptions{kernel.gaussian_sigma, kernel.gaussian_size, options.border};
  return StencilFilter{kernel.stencil, options};
}

class Filter : public Conversion {
 public:
  Filter(const State& state, std::shared_ptr<const recipes::FilterRecipe> recipe)
      : Conversion(state.common, recipe), state_(state), filter_(std::move(recipe)) {}

  io::ReadLimits reading(const Job& job) const override {
    return reading_of(state_.common, state_.jobs, io::floats_for(*filter_, job.extension()));
  }
  // Color is kept beside a filtered luma that still means brightness; a response has no color.
  bool keeps_color() const override {
    if (!state_.depth.empty() && state_.depth != "8")
      usage_error(state_.depth, "--depth is {}; for videos it must be 8", state_.depth);
    return filter_->keeps_brightness();
  }
  std::string remark(const Made& made) const override {
    if (made.frames > 0) return {};
    return fmt::format(", {} channels of {}", made.pixels.channels, name_of(made.pixels.type));
  }
  void add_facts(Json& line, const Made& made) const override {
    line["channels"] = made.pixels.channels;
    line["type"] = name_of(made.pixels.type);
    if (const auto* median = std::get_if<MedianOptions>(&filter_->filter()))
      line["median"] = median->ksize;
    else
      line["kernel"] = state_.kernel;
  }

 private:
  const State& state_;
  std::shared_ptr<const recipes::FilterRecipe> filter_;
};

int run(const State& state) {
  if (state.median.empty() && state.kernel.empty())
    usage_error("", "filter: no filter is set; use --kernel KERNEL or --median K");
  if (!state.median.empty() && !state.kernel.empty())
    usage_error(state.kernel, "--kernel is {} and --median is {}; set one or the other",
                state.kernel, state.median);
  // A file of taps is read once: it may be a pipe.
  const KernelSpec kernel = state.median.empty() ? parse_kernel(state.kernel) : KernelSpec{};
  RunFiles files(*state.common.verb);
  files.reads(state.kernel, "--kernel");
  const auto recipe =
      std::make_shared<recipes::FilterRecipe>(filter_of(state, kernel), type_of(state));
  return convert(
      state.jobs, state.common, state.memory,
      [&] { return std::make_unique<Filter>(state, recipe); }, files);
}

}  // namespace

Verb add_filter(CLI::App& parent) {
  auto state = std::make_shared<State>();
  CLI::App* app = parent.add_subcommand(
      "filter",
      "Filters pictures and videos: Gaussian, sharpen, any stencil, or the median.\nKernels are "
      "applied as correlation, like cv::filter2D. Alpha is not changed. "
      "Videos are filtered in luma; color is kept by the median and by kernels that sum to 1, "
      "otherwise dropped.");
  add_job_options(*app, state->jobs);
  add_memory(*app, state->memory);
  app->add_option("--kernel", state->kernel,
                  "apply average:N, sharpen:N, unsharp:N, gaussian:K[:SIGMA], laplacian, "
                  "\"rows;of;numbers [/ divisor]\" or a file of rows")
      ->type_name("KERNEL");
  app->add_option(
         "--median", state->median,
         "take the median of K x K samples, K odd; at most 5 for floats. Replaces --kernel")
      ->type_name("K");
  state->described.add<FilterOptions>(*app, "--kernel");
  state->described.add<MedianOptions>(*app, "--median", {"ksize"});
  app->add_option("--depth", state->depth,
                  "convert samples first: 8, 16 or float. White stays white between 8 and 16; "
                  "float keeps the numbers")
      ->type_name("8|16|float")
      ->check(one_of_names({"8", "16", "float"}));
  add_common(*app, state->common,
             takes_devices | takes_strategy | takes_threads | takes_region | takes_json |
                 takes_limits | takes_sandbox | takes_explain,
             {"cuesta filter photo.jpg -o smooth.png --kernel gaussian:15",
              "cuesta filter photo.jpg -o sharp.jpg --kernel sharpen:3",
              "cuesta filter scan.tif -o edges.tif --kernel laplacian --absolute",
              "cuesta filter speckled.png -o clean.png --median 5",
              "cuesta filter photo.jpg -o e.png --kernel \"-1 0 0;0 0 0;0 0 1\" --offset 128"});
  return {app, [state] {
            check_memory(state->memory);
            return run(*state);
          }};
}

}  // namespace cuesta::cli
