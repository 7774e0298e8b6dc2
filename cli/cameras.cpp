#include "cli/cameras.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "cli/run_files.hpp"
#include "cli/scene_file.hpp"
#include "cli/watch.hpp"
#include "core/threads.hpp"
#include "cuesta/io/address.hpp"

namespace cuesta::cli {
namespace {

// What an input is called where nobody named it, of letters that any file name may have.
std::string name_of_input(const std::string& input) {
  std::string name = input == "-" ? "stdin" : std::filesystem::path(input).stem().string();
  if (io::is_address(input)) name = io::host_and_path(input);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_') c = '-';
  const size_t first = name.find_first_not_of("-."), last = name.find_last_not_of("-.");
  return first == name.npos ? "camera" : name.substr(first, last - first + 1);
}

// Makes a name its own: "yard", "yard-2", "yard-3".
std::string free_name(const std::string& wanted, std::set<std::string>& taken) {
  std::string name = wanted;
  for (int number = 2; !taken.insert(name).second; ++number)
    name = fmt::format("{}-{}", wanted, number);
  return name;
}

}  // namespace

const std::set<std::string>& options_of_the_command() {
  static const std::set<std::string> names = {"help",    "quiet",  "verbose",
                                              "cameras", "config", "save-config"};
  return names;
}
const std::set<std::string>& options_of_the_run() {
  static const std::set<std::string> names = {"threads",     "explain", "sandbox",
                                              "allow-hooks", "live",    "live-token"};
  return names;
}

bool is_flag(const CLI::Option& option) { return option.get_expected_max() == 0; }

std::vector<std::string> words_given(const CLI::App& app, const std::set<std::string>& except) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    const std::string& name = option->get_lnames()[0];
    if (options_of_the_command().contains(name) || except.contains(name)) continue;
    for (const std::string& text : option->results())
      words.push_back(is_flag(*option) ? "--" + name : fmt::format("--{}={}", name, text));
  }
  return words;
}

std::unique_ptr<WatchedVideo> make_camera(size_t count, std::unique_ptr<DetectOptions> options) {
  int& threads = options->common.threads;
  if (count > 1) threads = std::max(1, thread_count(threads) / int(count));
  return std::make_unique<WatchedVideo>(std::move(options));
}

std::unique_ptr<DetectOptions> parse_camera(std::vector<std::string> words) {
  auto options = std::make_unique<DetectOptions>();
  options->parser = std::make_shared<CLI::App>();
  add_detect_options(*options->parser, *options);
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    options->parser->parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorCode::invalid_argument, error.what());
  }
  return options;
}

void fill_names(DetectOptions& options, const std::string& name) {
  constexpr std::string_view place = "{name}";
  const auto fill = [&](std::string& text) {
    for (size_t at = 0; (at = text.find(place, at)) != text.npos; at += name.size())
      text.replace(at, place.size(), name);
  };
  WatchOptions& watch = options.watch;
  if (!options.camera.empty()) put_topic_below(watch, place);
  for (std::string* text :
       {&options.out, &options.json, &options.mask_video, &watch.scene, &watch.mask,
        &watch.heat_map, &watch.report, &watch.clips, &watch.objects, &watch.counts, &watch.zones,
        &watch.scores, &watch.record, &watch.live_history, &watch.pictures, &watch.mask_privacy,
        &watch.coco, &watch.mot, &watch.mqtt})
    fill(*text);
  for (std::string& text : watch.events) fill(text);
}

std::string free_name_of(const std::string& input, std::set<std::string>& taken) {
  return free_name(name_of_input(input), taken);
}

Cameras cameras_of(const CLI::App& app, std::span<const std::string> inputs) {
  Cameras cameras;
  std::set<std::string> taken;
  const auto all = inputs;
  const bool joins = app.count("--join-inputs") > 0;
  if (joins) inputs = all.first(1);
  for (const std::string& input : inputs) {
    auto camera = parse_camera(words_given(app, {}));
    camera->input = input;
    if (joins) camera->recording.inputs.assign(all.begin(), all.end());
    const std::string name = free_name_of(input, taken);
    if (inputs.size() > 1) camera->camera = name;
    fill_names(*camera, name);
    cameras.push_back(make_camera(inputs.size(), std::move(camera)));
  }
  return cameras;
}

void check_names(const CLI::App& app, const Cameras& cameras) {
  RunFiles files(app);
  std::string_view remedy = RunFiles::remedy_of_one;
  if (cameras.size() > 1) remedy = "{name} in a file's name is replaced by the camera's";
  const auto whose = [](const DetectOptions& of) {
    return of.camera.empty() ? "" : " of " + of.camera;
  };
  for (const auto& camera : cameras) {
    const DetectOptions& of = camera->options();
    for (const std::string& input : files_there(of.recording, of.input)) files.reads_input(input);
    files.reads(of.watch.scene, "--scene");
    files.reads(of.watch.mask, "--mask");
    files.reads(of.watch.mask_privacy, "--mask-privacy");
    files.reads(mask_of_scene(of.watch.scene), "the scene's mask");
    files.reads(privacy_of_scene(of.watch.scene), "the scene's mask_privacy");
  }
  for (const auto& camera : cameras) {
    const DetectOptions& of = camera->options();
    files.writes_in(of.watch.clips, "event-", "--clips", whose(of), remedy);
    files.writes_in(of.watch.pictures, "event-", "--pictures", whose(of), remedy);
    files.writes_in(of.watch.record, "segment", "--record", whose(of), remedy);
    files.writes_in(of.watch.live_history, "live.ndjson", "--live-history", whose(of), remedy);
  }
  const std::set<std::string> folders = {"--clips", "--pictures", "--record", "--live-history"};
  std::set<std::string> lines;  // several cameras may write theirs to one file, by one name
  for (const auto& camera : cameras) {
    const DetectOptions& of = camera->options();
    for (const auto& [option, name] : of.outputs())
      if (!folders.contains(option) && (option != "--json" || lines.insert(name).second))
        files.writes(name, option, whose(of), remedy);
  }
  for (const auto& camera : cameras) camera->options().check_resume();
  const auto reads_stdin = [](const auto& camera) { return camera->options().input == "-"; };
  if (std::ranges::count_if(cameras, reads_stdin) > 1)
    usage_error("-", "standard input is used by several cameras; only one can read it");
}

}  // namespace cuesta::cli
