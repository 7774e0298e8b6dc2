// cuesta detect: a video in, boxes around what moves out, as a video and as one line of JSON a
// frame.
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "cli/boxes.hpp"
#include "cli/common.hpp"
#include "cli/either_device.hpp"
#include "cli/explain.hpp"
#include "cli/inputs.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "cli/samples.hpp"
#include "cuesta/device.hpp"
#include "cuesta/motion.hpp"
#include "cuesta/version.hpp"
#include "io/frames.hpp"
#include "io/overlap.hpp"
#include "io/staged_file.hpp"

namespace cuesta::cli {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

struct State {
  CommonOptions common;
  std::string input, out, json;
  std::string background = "first", threshold = "25", close = "disk:15", open = "disk:15";
  int64_t min_area = 0;
  int blur = 15;
};

StructuringElement parse_element(std::string_view option, const std::string& text) {
  if (text == "none") return StructuringElement::rectangle(1, 1);
  try {
    return StructuringElement::parse(text);
  } catch (const Error& error) {
    usage_error(text, "{} {}: {}", option, text, error.what());
  }
}

MotionOptions motion_options(const State& state) {
  MotionOptions options;
  try {
    options.background.model = background_model_from(state.background);
  } catch (const Error& error) {
    usage_error(state.background, "--background {}: {}", state.background, error.what());
  }
  options.automatic = state.threshold == "auto";
  if (!options.automatic) {
    options.threshold = parse_number("--threshold", state.threshold);
    if (options.threshold < 0)
      usage_error(state.threshold, "--threshold {}: it must be at least 0", state.threshold);
  }
  if (state.blur < 1 || state.blur > 255 || state.blur % 2 == 0) {
    usage_error(std::to_string(state.blur), "--blur {}: give an odd number from 1 to 255",
                state.blur);
  }
  options.blur = state.blur;
  options.close = parse_element("--close", state.close);
  options.open = parse_element("--open", state.open);
  options.min_area = state.min_area;
  return options;
}

bool is_same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty() || a == "-" || b == "-") return false;
  return place_of(a) == place_of(b);
}

void check_names(const State& state) {
  if (state.out.empty() && state.json.empty())
    usage_error("", "detect: say where results go: -o boxes.mp4, --json objects.ndjson, or both");
  if (state.out == "-" && state.json == "-")
    usage_error("-", "-o - and --json -: standard output takes one of them; name a file");
  if (is_same_file(state.out, state.json))
    usage_error(state.out, "-o {} and --json {} are one file", state.out, state.json);
  for (const auto* name : {&state.out, &state.json}) {
    if (is_same_file(*name, state.input)) {
      usage_error(*name, "{} {}: this is read and would be written over; choose another name",
                  name == &state.out ? "-o" : "--json", *name);
    }
  }
}

/// Lines of JSON: on standard output at once, or in a file that appears when it is whole.
class Lines {
 public:
  explicit Lines(const std::string& path) : name_(path) {
    if (path == "-") return;
    staged_ = std::make_unique<io::StagedFile>(path);
    file_ = std::fopen(staged_->path().c_str(), "wbe");
    if (!file_) fail();
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  ~Lines() {
    if (file_) std::fclose(file_);
  }

  void write(const Json& line) {
    const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    if (!staged_) return print_data(text);
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
  }
  void finish() {
    if (!staged_) return;
    if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
    staged_->commit();
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(ErrorCode::output,
                fmt::format("cannot write {}: {}", name_, std::generic_category().message(errno)),
                name_);
  }
  std::string name_;
  std::unique_ptr<io::StagedFile> staged_;
  std::FILE* file_ = nullptr;
};

Json header_of(const State& state, const MotionOptions& options, const io::FrameSource& source) {
  const io::StreamFormat& format = source.format();
  Json line = {{"schema", 1},
               {"width", format.width},
               {"height", format.height},
               {"luma", format.full_range ? "full" : "limited"},
               {"frame_rate", double(format.rate_num) / double(format.rate_den)},
               {"start_time", format.start},
               {"source", state.input},
               {"background", name_of(options.background.model)},
               {"blur", options.blur}};
  if (options.automatic)
    line["threshold"] = "auto";
  else
    line["threshold"] = options.threshold;
  line["close"] = state.close;
  line["open"] = state.open;
  line["min_area"] = options.min_area;
  if (!state.common.region.empty()) line["region"] = state.common.region;
  line["cuesta"] = CUESTA_VERSION;
  return line;
}

Json line_of(const io::Frame& frame, std::span<const Detection> objects) {
  Json list = Json::array();
  for (const auto& object : objects) {
    const Rect& b = object.box;
    list.push_back({{"box", {b.x, b.y, b.width, b.height}},
                    {"area", object.area},
                    {"centroid", {object.centroid_x, object.centroid_y}}});
  }
  return {{"frame", frame.index}, {"time", frame.time}, {"objects", std::move(list)}};
}

/// Finds objects in a frame's luma, in coordinates of the whole frame.
class Finder {
 public:
  Finder(const State& state, MotionOptions options)
      : name_(state.input),
        region_(state.common.region_rect()),
        common_(state.common),
        exec_(state.common.exec()),
        detector_(std::move(options)) {
    explainer_.watch(exec_, state.common.explain);
    std::string why;
    if (find_gpu(state.common, why))
      may_use_gpu_ = true;
    else if (!why.empty())
      detail("running on the CPU: {}", why);
    // Options the library refuses are found before the video is opened.
    which([&](const Exec& exec) { detector_.push(placeholder(8, 8, PixelType::u8), exec); },
          asking());
  }

  std::span<const Detection> find(ConstAnyView luma) {
    const ConstAnyView part = region_of(luma, region_, name_);
    ConstAnyView frame = part;
    if (!on_device_) on_device_ = may_use_gpu_ && goes_to_gpu(common_, choice_there(part));
    if (*on_device_) {
      const AnyView there = device_.create(part.size(), 1, part.type, Space::device);
      upload(part, there);
      frame = there;
    }
    const auto found = detector_.push(frame, exec_);
    explainer_.end();
    if (!region_) return found;
    objects_.assign(found.begin(), found.end());
    for (auto& object : objects_) {
      object.box.x += region_->x;
      object.box.y += region_->y;
      object.centroid_x += region_->x;
      object.centroid_y += region_->y;
    }
    return objects_;
  }

  /// The paragraph of --explain; nothing without it.
  void explain() const {
    if (common_.explain) print_explanation(explainer_.text());
  }

 private:
  Exec asking() const {
    Exec exec = exec_;
    exec.observer = nullptr;
    return exec;
  }
  Choice choice_there(ConstAnyView luma) {
    const AnyView there =
        placeholder(luma.width, luma.height, luma.type, luma.channels, Space::device);
    return which([&](const Exec& exec) { detector_.push(there, exec); }, asking());
  }

  std::string name_;
  std::optional<Rect> region_;
  const CommonOptions& common_;
  Exec exec_;
  Explainer explainer_;
  bool may_use_gpu_ = false;
  std::optional<bool> on_device_;  // known with the first frame
  AnyImage device_;
  MotionDetector detector_;
  std::vector<Detection> objects_;
};

int run(const State& state) {
  const auto begin = Clock::now();
  check_names(state);
  const MotionOptions options = motion_options(state);
  Finder finder(state, options);
  const io::StreamLimits limits{state.common.max_pixels, state.common.partial,
                                state.common.threads};
  const auto source = io::open_frames(state.input, limits);
  if (const auto text = source->description(); !text.empty()) detail("{}: {}", state.input, text);

  std::unique_ptr<Lines> lines;
  if (!state.json.empty()) {
    lines = std::make_unique<Lines>(state.json);
    lines->write(header_of(state, options, *source));
  }
  std::unique_ptr<io::FrameSink> sink;
  if (!state.out.empty()) {
    sink = io::create_frames(state.out, source->format(), state.input == "-" ? "" : state.input,
                             limits);
    if (const auto text = sink->description(); !text.empty()) detail("{}: {}", state.out, text);
  }

  const BoxPainter painter(source->format());
  int64_t frames = 0, objects = 0;
  {
    Progress progress("frames", source->expected_frames());
    io::overlap(
        *source,
        [&](io::FrameBuffer& buffer) {
          const auto found = finder.find(buffer.frame().luma);
          if (lines) lines->write(line_of(buffer.frame(), found));
          if (sink) painter.draw(buffer, found);
          ++frames;
          objects += int64_t(found.size());
          progress.step();
        },
        [&](const io::Frame& frame) {
          if (sink) sink->write(frame);
        });
  }
  if (frames == 0) {
    throw Error(ErrorCode::input, fmt::format("{}: the video has no frames", source->name()),
                state.input);
  }
  if (sink) sink->finish();
  if (lines) lines->finish();
  finder.explain();
  if (const auto what = source->damage(); !what.empty())
    warn("{}: {}; went on (--partial)", source->name(), what);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  detail("{}: {} objects in {} frames, {:.1f} frames/s", state.input, objects, frames,
         double(frames) / seconds);
  return exit_done;
}

}  // namespace

Verb add_detect(CLI::App& parent) {
  auto state = std::make_shared<State>();
  CLI::App* app = parent.add_subcommand(
      "detect",
      "Finds moving objects in a video of a fixed camera: gray, blur, difference from the "
      "background,\n"
      "threshold, close, open, components. Writes the video with boxes, one line of JSON a frame, "
      "or both.");
  app->add_option("VIDEO", state->input, "a video, or - (y4m on stdin)")->type_name("")->required();
  app->add_option("-o,--output", state->out, "the video with boxes; - writes y4m to stdout")
      ->type_name("OUT");
  app->add_option("--json", state->json, "a header line, then one line a frame; - is stdout")
      ->type_name("FILE");
  app->add_option("--background", state->background,
                  "first frame (default), running mean, median or mixture")
      ->type_name("MODEL");
  app->add_option("--threshold", state->threshold,
                  "moving is a difference above T gray levels (default 25), or auto (Otsu, at "
                  "least 25)")
      ->type_name("T|auto");
  app->add_option("--min-area", state->min_area, "leave out objects of fewer pixels (default 0)")
      ->type_name("N")
      ->check(CLI::Range(int64_t(0), int64_t(1) << 40));
  app->add_option("--blur", state->blur, "Gaussian window, odd; 1 smooths nothing (default 15)")
      ->type_name("N");
  app->add_option("--close", state->close,
                  "closes gaps: disk:N, ellipse:N, rect:WxH, cross:N or none (default disk:15)")
      ->type_name("SHAPE");
  app->add_option("--open", state->open, "then takes off specks (default disk:15)")
      ->type_name("SHAPE");
  add_common(
      *app, state->common,
      takes_device | takes_strategy | takes_threads | takes_region | takes_limits | takes_explain,
      {"cuesta detect street.mp4 -o boxes.mp4",
       "cuesta detect street.mp4 --json objects.ndjson --background mixture --min-area 200",
       "ffmpeg -i rtsp://camera/1 -f yuv4mpegpipe - | cuesta detect - --json -"});
  return {app, [state] { return run(*state); }};
}

}  // namespace cuesta::cli
