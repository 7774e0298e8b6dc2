// cuesta detect: a video in, boxes around what moves out, as a video and as one line of JSON a
// frame.
#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

#include "cli/boxes.hpp"
#include "cli/common.hpp"
#include "cli/described.hpp"
#include "cli/either_device.hpp"
#include "cli/inputs.hpp"
#include "cli/results.hpp"
#include "cli/samples.hpp"
#include "cuesta/motion.hpp"
#include "cuesta/version.hpp"
#include "io/frames.hpp"
#include "ops/motion/options.hpp"

namespace cuesta::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct State {
  CommonOptions common;
  DescribedOptions described;
  std::string input, out, json;
  bool follow = false;
};

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

Json header_of(const State& state, const MotionOptions& options, const io::FrameSource& source) {
  const io::StreamFormat& format = source.format();
  Json line = {{"schema", 1},
               {"width", format.width},
               {"height", format.height},
               {"luma", format.full_range ? "full" : "limited"},
               {"frame_rate", double(format.rate_num) / double(format.rate_den)},
               {"start_time", format.start},
               {"source", state.input == "-" ? state.input : source.name()}};
  for_each_field<MotionOptions>([&](const auto& one) { line[one.name] = fact(one.get(options)); });
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

Json line_of(const io::Frame& frame, std::span<const Detection> objects) {
  Json list = Json::array();
  for (const auto& object : objects) {
    const Rect& b = object.box;
    list.push_back({{"box", {b.x, b.y, b.width, b.height}},
                    {"area", object.area},
                    {"centroid", {object.centroid_x, object.centroid_y}}});
  }
  Json line = {{"frame", frame.index}, {"time", frame.time}, {"objects", std::move(list)}};
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

  void explain() const { device_.explain(); }

 private:
  std::string name_;
  std::optional<Rect> region_;
  MotionDetector detector_;
  std::span<const Detection> found_;
  EitherDevice device_;
  std::vector<Detection> objects_;
};

/// What `detect` writes: a line of JSON a frame, the video with boxes.
class Outputs {
 public:
  Outputs(const State& state, const MotionOptions& options, const io::FrameSource& source)
      : results_(placing_of(state.input, state.follow)), painter_(source.format()) {
    if (!state.json.empty()) {
      lines_ = std::make_unique<JsonLines>(state.json, results_.placing());
      lines_->write(header_of(state, options, source));
    }
    if (!state.out.empty()) {
      video_ =
          io::create_frames(state.out, source.format(), io::is_live(state.input) ? "" : state.input,
                            {.threads = state.common.threads}, results_.placing());
      if (const auto text = video_->description(); !text.empty()) detail("{}: {}", state.out, text);
      if (const auto text = video_->loss(); !text.empty()) warn("{}: {}", state.out, text);
    }
    results_.add(state.out, [this] { video_->finish(); });
    results_.add(state.json, [this, &source] {
      if (const auto gap = source.open_gap()) lines_->write(line_of(*gap));
      lines_->finish();
    });
  }

  /// Told of every frame, in order: first with what was found, on one thread, then to be written,
  /// on another.
  void found(io::FrameBuffer& buffer, std::span<const Detection> objects) {
    if (lines_ && buffer.frame().gap) lines_->write(line_of(*buffer.frame().gap));
    if (lines_) lines_->write(line_of(buffer.frame(), objects));
    if (video_) painter_.draw(buffer, objects);
  }
  void write(const io::Frame& frame) {
    if (video_) video_->write(frame);
  }
  Results& results() { return results_; }

 private:
  Results results_;
  BoxPainter painter_;
  std::unique_ptr<JsonLines> lines_;
  std::unique_ptr<io::FrameSink> video_;
};

int run(const State& state) {
  const auto begin = Clock::now();
  check_names(state);
  MotionOptions options;
  state.described.read(options);
  Finder finder(state, options);
  const StopOnSignal stop;
  const auto source = open_stream(state.input, state.common, stop);
  Outputs outputs(state, options, *source);
  int64_t frames = 0, objects = 0;
  const int code = pass_frames(
      *source, state.common, stop, outputs.results(), state.json == "-" || state.out == "-",
      [&](io::FrameBuffer& buffer) {
        const auto found = finder.find(buffer.frame().luma);
        outputs.found(buffer, found);
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
  add_common(
      *app, state->common,
      takes_device | takes_strategy | takes_threads | takes_region | takes_limits | takes_explain,
      {"cuesta detect street.mp4 -o boxes.mp4",
       "cuesta detect street.mp4 --json objects.ndjson --background mixture --min-area 200",
       "cuesta detect rtsp://camera/1 -o boxes.mkv --json objects.ndjson"});
  return {app, [state] { return run(*state); }};
}

}  // namespace cuesta::cli
