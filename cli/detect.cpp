// cuesta detect: videos in, the foreground in them out, as boxes in a video, as one line of JSON a
// frame, as events.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/watch.hpp"
#include "cuesta/io/address.hpp"

namespace cuesta::cli {
namespace {

struct State {
  std::vector<std::string> inputs{};
  std::string cameras{};
  DetectOptions options{};  // of every video that does not say otherwise
};

int run(const CLI::App& app, const State& state) {
  if (state.inputs.empty() == state.cameras.empty())
    usage_error("",
                "detect: no video is named; name videos, or a list with --cameras cameras.toml");
  const Cameras cameras =
      state.cameras.empty() ? cameras_of(app, state.inputs) : read_cameras(app, state.cameras);
  check_names(app, cameras);
  std::vector<std::string> names;
  for (const auto& camera : cameras) {
    const DetectOptions& of = camera->options();
    names.push_back(of.camera.empty() ? io::without_password(of.input) : of.camera);
  }
  const auto page = begin_live(state.options.watch, std::move(names));
  for (const auto& camera : cameras) camera->show_on(page);
  if (cameras.size() != 1 || state.inputs.empty())
    return detect_all(cameras, state.options.common.threads);
  const StopOnSignal stop;
  return cameras[0]->watch(stop);
}

}  // namespace

Verb add_detect(CLI::App& parent) {
  auto state = std::make_shared<State>();
  CLI::App* app =
      parent.add_subcommand("detect",
                            "Finds moving objects in videos of fixed cameras.\nSteps: gray, blur, "
                            "difference from the background, threshold, close, open, components. "
                            "Writes a video with boxes, one line of JSON per frame, and events.");
  app->add_option("VIDEO", state->inputs,
                  "videos, addresses (rtsp://), cameras (/dev/video0), - (stdin)")
      ->type_name("");
  add_cameras_option(*app, state->cameras);
  add_detect_options(*app, state->options);
  return {app, [app, state] { return run(*app, *state); }};
}

}  // namespace cuesta::cli
