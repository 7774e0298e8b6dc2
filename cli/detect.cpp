// cuesta detect: a video in, boxes around what moves out, as a video and as one line of JSON a
// frame.
#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

#include "cli/boxes.hpp"
#include "cli/common.hpp"
#include "cli/described.hpp"
#include "cli/either_device.hpp"
#include "cli/events/watching.hpp"
#include "cli/inputs.hpp"
#include "cli/results.hpp"
#include "cli/samples.hpp"
#include "cuesta/motion.hpp"
#include "cuesta/version.hpp"
#include "io/frames.hpp"
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
  bool follow = false;
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

// Addresses come without their passwords.
std::string name_of(const State& state, const io::FrameSource& source) {
  return state.input == "-" ? state.input : source.name();
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
               {"source", name_of(state, source)}};
  for_each_field<MotionOptions>([&](const auto& one) { line[one.name] = fact(one.get(options)); });
  if (tracking)
    for_each_field<TrackingOptions>(
        [&](const auto& one) { line[one.name] = fact(one.get(*tracking)); });
  if (!state.common.region.empty()) line["region"] = state.common.region;
  line["cuesta"] = CUESTA_VERSION;
  return line;
}

Json line_of(const io::Gap& gap) {
  Json line = {{"begin", gap.begin}, {"end", nullptr}};
  if (gap.end) line["end"] = *gap.end;
  line["attempts"] = gap.attempts;
  line["reason"] = gap.reason;
  return {{"gap", std::move(line)}};
}

Json list_of(std::span<const Detection> objects) {
  Json list = Json::array();
  for (const auto& object : objects) {
    const Rect& b = object.box;
    list.push_back({{"box", {b.x, b.y, b.width, b.height}},
                    {"area", object.area},
                    {"centroid", {object.centroid_x, object.centroid_y}}});
  }
  return list;
}

Json line_of(const io::Frame& frame, std::span<const Detection> objects, const Watching& watching) {
  Json line = {{"frame", frame.index},
               {"time", frame.time},
               {"objects", watching.is_tracking() ? watching.objects_json() : list_of(objects)}};
  if (watching.has_lines()) line["crossings"] = watching.crossings_json();
  if (frame.damaged) line["damaged"] = true;
  return line;
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

/// What `detect` writes: a line of JSON a frame, the video with boxes, and what --events and the
/// like ask for.
class Outputs {
 public:
  Outputs(const State& state, const MotionOptions& options,
          const std::optional<TrackingOptions>& tracking, const io::FrameSource& source)
      : results_(placing_of(state.input, state.follow)),
        painter_(source.format()),
        watching_(state.watch, tracking.value_or(TrackingOptions()), name_of(state, source),
                  source.format(), state.common, results_.placing()) {
    if (!state.json.empty()) {
      lines_ = std::make_unique<JsonLines>(state.json, results_.placing());
      lines_->write(header_of(state, options, tracking, source));
    }
    if (!state.out.empty()) {
      video_ =
          io::create_frames(state.out, source.format(), io::is_live(state.input) ? "" : state.input,
                            {.threads = state.common.threads}, results_.placing());
      if (const auto text = video_->description(); !text.empty()) detail("{}: {}", state.out, text);
      if (const auto text = video_->loss(); !text.empty()) warn("{}: {}", state.out, text);
    }
    // Whatever is kept: the event under way ends, and who is told of events is told.
    results_.add("-", [this] {
      watching_.end_event();
      write_event_lines();
      watching_.wait();
    });
    results_.add(state.out, [this] { video_->finish(); });
    for (auto& [name, finish] : watching_.files()) results_.add(name, std::move(finish));
    results_.add(state.json, [this, &source] {
      if (const auto gap = source.open_gap()) lines_->write(line_of(*gap));
      lines_->finish();
    });
  }

  /// Told of every frame, in order: first with what was found, on one thread, then to be written,
  /// on another.
  void found(io::FrameBuffer& buffer, std::span<const Detection> objects, const Finder& finder) {
    const io::Frame& frame = buffer.frame();
    if (frame.gap) {
      watching_.end_event();
      write_event_lines();
      if (lines_) lines_->write(line_of(*frame.gap));
    }
    watching_.found(frame, objects, finder.mask(), finder.corner().x, finder.corner().y);
    write_event_lines();
    if (lines_) lines_->write(line_of(frame, objects, watching_));
    if (video_ && watching_.is_tracking())
      painter_.draw(buffer, watching_.step().objects);
    else if (video_)
      painter_.draw(buffer, objects);
  }
  void write(const io::Frame& frame) {
    if (video_) video_->write(frame);
  }
  Results& results() { return results_; }

 private:
  void write_event_lines() {
    for (const Json& line : watching_.take_event_lines())
      if (lines_) lines_->write(line);
  }

  Results results_;
  BoxPainter painter_;
  Watching watching_;
  std::unique_ptr<JsonLines> lines_;
  std::unique_ptr<io::FrameSink> video_;
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
  const StopOnSignal stop;
  const auto source = open_stream(state.input, state.common, stop);
  Outputs outputs(state, options, tracking, *source);
  int64_t frames = 0, objects = 0;
  const int code = pass_frames(
      *source, state.common, stop, outputs.results(), state.json == "-" || state.out == "-",
      [&](io::FrameBuffer& buffer) {
        const auto found = finder.find(buffer.frame().luma);
        outputs.found(buffer, found, finder);
        ++frames;
        objects += int64_t(found.size());
      },
      [&](const io::Frame& frame) { outputs.write(frame); });
  finder.explain();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  detail("{}: {} objects in {} frames, {:.1f} frames/s", state.input, objects, frames,
         double(frames) / seconds);
  return code;
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
  app->add_option(
         "VIDEO", state->input,
         "a video, an address (rtsp://, http://, ...), a camera (/dev/video0), or - (stdin)")
      ->type_name("")
      ->required();
  app->add_option("-o,--output", state->out, "the video with boxes; - writes y4m to stdout")
      ->type_name("OUT");
  app->add_option("--json", state->json, "a header line, then one line a frame; - is stdout")
      ->type_name("FILE");
  add_follow(*app, state->follow);
  state->described.add<MotionOptions>(*app);
  add_watch_options(*app, state->watch);
  add_common(
      *app, state->common,
      takes_device | takes_strategy | takes_threads | takes_region | takes_limits | takes_explain,
      {"cuesta detect street.mp4 -o boxes.mp4",
       "cuesta detect street.mp4 --json objects.ndjson --background mixture --min-area 200",
       "cuesta detect street.mp4 --scene yard.toml --events events.csv --report street.html",
       "cuesta detect rtsp://camera/1 -o boxes.mkv --json objects.ndjson"});
  return {app, [state] { return run(*state); }};
}

}  // namespace cuesta::cli
