// cuesta explain-ladder, a verb of cuesta-bench: the climb for a request and a GPU.
#include "bench/explain_ladder.hpp"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <charconv>

#include "bench/bench.hpp"
#include "bench/model/ladder.hpp"
#include "cli/nearest.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "cli/run_files.hpp"
#include "io/output_file.hpp"

namespace cuesta::cli {
namespace {

struct State {
  CommonOptions common;
  std::string request = "filter", kernel, size = "4096x4096", depth = "8", gpu_model, html;
  int steps = 0;
};

// What a request is called, its operation, and the types of samples that its steps take.
struct Known {
  std::string_view name, operation, depths;
};
constexpr Known requests[] = {{"filter", "convolve", "8, 16 or float"},
                              {"sobel", "sobel", "8 or float"},
                              {"canny", "canny", "8"},
                              {"label", "label", "8"},
                              {"detect", "motion", "8"}};

int32_t side_of(const std::string& size, std::string_view text) {
  constexpr int32_t least = 16, most = 32768;
  int32_t side = 0;
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, side);
  if (read.ec != std::errc() || read.ptr != end || side < least || side > most)
    usage_error(size, "--size is {}; it must be WIDTHxHEIGHT or one side, each {} to {}", size,
                least, most);
  return side;
}

bench::Window window_of(const std::string& text) {
  const Stencil stencil = parse_kernel(text).stencil;
  if (stencil.width() != stencil.height() || stencil.width() % 2 == 0 || stencil.width() > 31)
    usage_error(text, "--kernel is {}, {} x {}; the steps take squares of odd side up to 31", text,
                stencil.width(), stencil.height());
  return {.width = stencil.width(),
          .height = stencil.height(),
          .separable = stencil.factors().has_value(),
          .frame = true};
}

bench::model::LadderRequest request_of(const State& state) {
  const Known& known = *std::ranges::find(requests, state.request, &Known::name);
  bench::model::LadderRequest request;
  request.operation = known.operation;
  request.words = state.request;
  if (request.operation == "convolve") {
    const std::string kernel = state.kernel.empty() ? "gaussian:5" : state.kernel;
    request.window = window_of(kernel);
    request.words += " " + kernel;
  } else if (!state.kernel.empty()) {
    usage_error(state.kernel, "--kernel is {}; {} takes none, filter does", state.kernel,
                state.request);
  }
  if (request.operation == "sobel") request.window = {.width = 3, .height = 3, .frame = true};
  if (state.steps > 0 && request.operation != "canny")
    usage_error(std::to_string(state.steps), "--steps is {}; it is for canny, not for {}",
                state.steps, state.request);
  request.search_steps = state.steps;
  if (known.depths.find(state.depth) == known.depths.npos)
    usage_error(state.depth, "--depth is {}; steps of {} take {}", state.depth, state.request,
                known.depths);
  request.type = state.depth == "8"    ? PixelType::u8
                 : state.depth == "16" ? PixelType::u16
                                       : PixelType::f32;
  const size_t cross = state.size.find('x');
  const std::string_view size = state.size;
  request.width = side_of(state.size, size.substr(0, cross));
  request.height = cross == size.npos ? request.width : side_of(state.size, size.substr(cross + 1));
  return request;
}

// The GPU that is named, else the one in use, else an H200.
bench::model::GpuModel gpu_of(const State& state) {
  std::string why;
  if (!state.gpu_model.empty()) return bench::model::read_gpu(state.gpu_model);
  if (!find_gpu(state.common, why)) return bench::model::read_gpu("h200");
  const std::string& text = state.common.device;
  return bench::model::model_of(
      bench::describe_gpu(text == "auto" ? 0 : parse_cuda_device(text), true));
}

int run(const State& state) {
  RunFiles files(*state.common.verb);
  files.reads(state.kernel, "--kernel");
  files.writes(state.html, "--html");
  const auto request = request_of(state);
  const auto ladder = bench::model::climb(request, gpu_of(state));
  if (state.html == "-") {
    print_data(bench::model::html_of(ladder, request));
    return exit_done;
  }
  if (!state.html.empty()) {
    io::OutputFile file(state.html, io::Placing::when_whole);
    file.write(bench::model::html_of(ladder, request));
    file.commit();
  }
  print_data(bench::model::text_of(ladder));
  return exit_done;
}

}  // namespace

Verb add_explain_ladder_itself(CLI::App& parent) {
  auto state = std::make_shared<State>();
  CLI::App* app = parent.add_subcommand(
      explain_ladder_verb,
      std::string(explain_ladder_summary) +
          "\nAll times are predicted by the model of bench/README.md; nothing is timed. Production "
          "strategies have no formula: their times are measured ones, as multiples of a copy. The "
          "GPU is that of --gpu-model, else the one in use, whose ceilings are measured, else an "
          "H200.\n\nRequests:\n"
          "  filter          the filter of --kernel\n"
          "  sobel           the magnitude of Sobel's gradients\n"
          "  canny           Canny's edges\n"
          "  label           connected components of a mask\n"
          "  detect          moving objects, one frame");
  std::vector<std::string> names;
  for (const Known& known : requests) names.emplace_back(known.name);
  app->add_option("REQUEST", state->request, "what to compute; default: filter")
      ->type_name("")
      ->check(one_of_names(names));
  app->add_option(
         "--kernel", state->kernel,
         "filter: apply gaussian:K[:SIGMA], average:N, or another kernel of cuesta filter. "
         "Default: gaussian:5")
      ->type_name("FILE|KERNEL");
  app->add_option("--size", state->size, "set the picture's size (default 4096x4096)")
      ->type_name("WxH");
  app->add_option("--depth", state->depth, "set the samples: 8 (default), 16 or float")
      ->type_name("8|16|float")
      ->check(one_of_names({"8", "16", "float"}));
  app->add_option("--steps", state->steps,
                  "canny: set the steps of the search for edges. The default is an eighth of the "
                  "longer side, as in the bench's pictures")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  app->add_option(
         "--gpu-model", state->gpu_model,
         fmt::format("predict times on this GPU. A --json file of `cuesta bench`, or one of {}",
                     fmt::join(bench::known_gpus(), ", ")))
      ->type_name("FILE");
  app->add_option("--html", state->html, "write the climb as one page; -: to stdout, without text")
      ->type_name("OUT");
  add_common(*app, state->common, takes_device,
             {"cuesta explain-ladder", "cuesta explain-ladder sobel --size 1920x1080",
              "cuesta explain-ladder filter --kernel average:9 --gpu-model gtx-1060",
              "cuesta explain-ladder canny --gpu-model p5000 --html canny.html"});
  return {app, [state] { return run(*state); }};
}

}  // namespace cuesta::cli
