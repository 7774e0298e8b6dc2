// cuesta detect: a video in, boxes around what moves out, as a video and as one line of JSON a
// frame.
#include <CLI/CLI.hpp>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "cli/boxes.hpp"
#include "cli/common.hpp"
#include "cli/described.hpp"
#include "cli/either_device.hpp"
#include "cli/events/watching.hpp"
#include "cli/inputs.hpp"
#include "cli/progress.hpp"
#include "cli/samples.hpp"
#include "cuesta/motion.hpp"
#include "cuesta/version.hpp"
#include "io/frames.hpp"
#include "io/overlap.hpp"
#include "io/staged_file.hpp"
#include "ops/motion/options.hpp"
#include "track/options.hpp"

namespace cuesta::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct State {
  CommonOptions common;
  DescribedOptions described;
  WatchOptions watch;
  std::string input, out, json;
};

bool is_same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty() || a == "-" || b == "-") return false;
  return place_of(a) == place_of(b);
}

void check_names(const State& state) {
  auto outputs = state.watch.outputs();
  if (!state.out.empty()) outputs.emplace_back("-o", state.out);
  if (!state.json.empty()) outputs.emplace_back("--json", state.json);
  if (outputs.empty() && state.watch.on_event.empty() && state.watch.clips.empty())
    usage_error("", "detect: say where results go: -o boxes.mp4, --json objects.ndjson, or both");
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto& [option, name] = outputs[i];
    if (is_same_file(name, state.input)) {
      usage_error(name, "{} {}: this is read and would be written over; choose another name",
                  option, name);
    }
    for (size_t k = 0; k < i; ++k) {
      const auto& [other, other_name] = outputs[k];
      if (name == "-" && other_name == "-")
        usage_error("-", "{} - and {} -: standard output takes one of them; name a file", other,
                    option);
      if (is_same_file(name, other_name))
        usage_error(name, "{} {} and {} {} are one file", other, other_name, option, name);
    }
  }
  state.watch.check();
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

// A value of an option in JSON: a number as one, the others as the command takes them.
template <class T>
Json fact(const T& value) {
  if constexpr (std::integral<T> || std::floating_point<T>)
    return value;
  else
    return text_of(value);
}
Json fact(const DifferenceThreshold& value) {
  return value.otsu ? Json(text_of(value)) : Json(value.level);
}

Json header_of(const State& state, const MotionOptions& options,
               const std::optional<TrackingOptions>& tracking, const io::FrameSource& source) {
  const io::StreamFormat& format = source.format();
  Json line = {{"schema", 1},
               {"width", format.width},
               {"height", format.height},
               {"luma", format.full_range ? "full" : "limited"},
               {"frame_rate", double(format.rate_num) / double(format.rate_den)},
               {"start_time", format.start},
               {"source", state.input}};
  for_each_field<MotionOptions>([&](const auto& one) { line[one.name] = fact(one.get(options)); });
  if (tracking)
    for_each_field<TrackingOptions>(
        [&](const auto& one) { line[one.name] = fact(one.get(*tracking)); });
  if (!state.common.region.empty()) line["region"] = state.common.region;
  line["cuesta"] = CUESTA_VERSION;
  return line;
}

Json line_of(const io::Frame& frame, std::span<const Detection> objects, const Watching& watching) {
  if (watching.is_tracking()) {
    Json line = {
        {"frame", frame.index}, {"time", frame.time}, {"objects", watching.objects_json()}};
    if (watching.has_lines()) line["crossings"] = watching.crossings_json();
    return line;
  }
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
        detector_(std::move(options)),
        device_(state.common,
                [this](std::span<const ConstAnyView> frame, AnyView, const Execs& execs) {
                  found_ = detector_.push(frame[0], execs.pinned);
                }) {
    // Options the library refuses are found before the video is opened.
    device_.check(PixelType::u8);
  }

  std::span<const Detection> find(ConstAnyView luma) {
    device_.run({region_of(luma, region_, name_)});
    if (!region_) return found_;
    objects_.assign(found_.begin(), found_.end());
    for (auto& object : objects_) {
      object.box.x += region_->x;
      object.box.y += region_->y;
      object.centroid_x += region_->x;
      object.centroid_y += region_->y;
    }
    return objects_;
  }

  /// Of the last frame, and where its corner lies in it.
  ConstBitView mask() const { return detector_.mask(); }
  Rect corner() const { return region_.value_or(Rect{}); }

  void explain() const { device_.explain(); }

 private:
  std::string name_;
  std::optional<Rect> region_;
  MotionDetector detector_;
  std::span<const Detection> found_;
  EitherDevice device_;
  std::vector<Detection> objects_;
};

int run(const State& state) {
  const auto begin = Clock::now();
  check_names(state);
  MotionOptions options;
  state.described.read(options);
  std::optional<TrackingOptions> tracking;
  if (state.watch.is_on()) {
    tracking = state.watch.tracking();
    // Parts of an object are joined before it is held against the limit.
    tracking->min_area = options.min_area;
    if (tracking->join > 0) options.min_area = 0;
  }
  Finder finder(state, options);
  const io::StreamLimits limits{state.common.max_pixels, state.common.partial,
                                state.common.threads};
  const auto source = io::open_frames(state.input, limits);
  if (const auto text = source->description(); !text.empty()) detail("{}: {}", state.input, text);

  Watching watching(state.watch, tracking.value_or(TrackingOptions()), state.input,
                    source->format(), limits);
  std::unique_ptr<Lines> lines;
  if (!state.json.empty()) {
    lines = std::make_unique<Lines>(state.json);
    lines->write(header_of(state, options, tracking, *source));
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
          watching.found(buffer.frame(), found, finder.mask(), finder.corner().x,
                         finder.corner().y);
          const auto event_lines = watching.take_event_lines();
          if (lines) {
            for (const Json& line : event_lines) lines->write(line);
            lines->write(line_of(buffer.frame(), found, watching));
          }
          if (sink && watching.is_tracking())
            painter.draw(buffer, watching.step().objects);
          else if (sink)
            painter.draw(buffer, found);
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
  watching.end_event();
  watching.wait();
  for (const auto& [name, finish] : watching.files()) finish();
  if (lines) {
    for (const Json& line : watching.take_event_lines()) lines->write(line);
    lines->finish();
  }
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
  state->described.add<MotionOptions>(*app);
  add_watch_options(*app, state->watch);
  add_common(
      *app, state->common,
      takes_device | takes_strategy | takes_threads | takes_region | takes_limits | takes_explain,
      {"cuesta detect street.mp4 -o boxes.mp4",
       "cuesta detect street.mp4 --json objects.ndjson --background mixture --min-area 200",
       "cuesta detect street.mp4 --scene yard.toml --events events.csv --report street.html",
       "ffmpeg -i rtsp://camera/1 -f yuv4mpegpipe - | cuesta detect - --json -"});
  return {app, [state] { return run(*state); }};
}

}  // namespace cuesta::cli
