#include "cli/detecting.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/boxes.hpp"
#include "cli/either_device.hpp"
#include "cli/inputs.hpp"
#include "cli/privacy.hpp"
#include "cli/samples.hpp"
#include "cli/watch.hpp"
#include "cuesta/device.hpp"
#include "cuesta/fill.hpp"
#include "cuesta/io/clip.hpp"
#include "cuesta/io/frames.hpp"
#include "cuesta/motion.hpp"
#include "cuesta/objects.hpp"
#include "cuesta/recipes/detect.hpp"
#include "cuesta/version.hpp"
#include "recipes/descriptions.hpp"

namespace cuesta::cli {

DetectSettings settings_of(const DetectOptions& options, double frame_rate) {
  DetectSettings settings;
  options.described.read(settings.looks);
  MotionOptions& motion = settings.motion;
  options.described.read(motion);
  SensitivityOptions chosen;
  options.described.read(chosen);
  motion = MotionOptions::of(motion.background.model, chosen.sensitivity);
  options.described.read(motion, frame_rate);
  if (options.watch.is_on()) {
    settings.tracking.emplace(options.watch.tracking());
    recipes::share_min_area(motion, *settings.tracking);
  }
  return settings;
}

namespace {

using Clock = std::chrono::steady_clock;

// How often the model's warm-up it sees again before a run continues: some of the frames may show
// objects.
constexpr int64_t warm_up_times = 4;

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
std::string name_of(const DetectOptions& options, const io::FrameSource& source) {
  return options.input == "-" ? options.input : source.name();
}

Json header_of(const DetectOptions& options, const DetectSettings& settings,
               const io::FrameSource& source, const DayClock& clock) {
  const io::StreamFormat& format = source.format();
  Json line = {{"kind", "header"},
               {"schema", 1},
               {"width", format.width},
               {"height", format.height},
               {"luma", format.full_range ? "full" : "limited"},
               {"frame_rate", double(format.rate_num) / double(format.rate_den)},
               {"start_time", format.start},
               {"source", name_of(options, source)}};
  if (clock.is_known()) {
    line["clock"] = clock.text(0);
    line["clock_source"] = clock.source();
  }
  for_each_field<DownscaleOptions>(
      [&](const auto& one) { line[one.name] = fact(one.get(settings.looks)); });
  for_each_field<MotionOptions>(
      [&](const auto& one) { line[one.name] = fact(one.get(settings.motion)); });
  if (settings.tracking)
    for_each_field<TrackingOptions>(
        [&](const auto& one) { line[one.name] = fact(one.get(*settings.tracking)); });
  if (!options.common.region.empty()) line["region"] = options.common.region;
  line["cuesta"] = CUESTA_VERSION;
  return line;
}

Json line_of(const io::Gap& gap, const DayClock& clock) {
  Json line = {{"begin", gap.begin}, {"end", nullptr}};
  if (gap.end) line["end"] = *gap.end;
  line["attempts"] = gap.attempts;
  line["reason"] = gap.reason;
  if (!gap.error.empty()) line["error"] = gap.error;
  put_clock(line, "begin_clock", clock, gap.begin);
  if (gap.end) put_clock(line, "end_clock", clock, *gap.end);
  return cli::line_of("gap", std::move(line));
}

// What a later run must have in common with this one.
Json lasting(Json header, const DetectOptions& options, const PrivacyMask* privacy) {
  const WatchOptions& watch = options.watch;
  for (const char* name : {"kind", "schema", "source", "start_time", "frame_rate", "cuesta"})
    header.erase(name);
  header["every"] = options.recording.every;
  header["begins"] = options.clock.begins;
  header["when"] = watch.when;
  header["scene"] = digest_of(watch.scene);
  header["mask"] = digest_of(watch.mask.empty() ? mask_of_scene(watch.scene) : watch.mask);
  header["mask_privacy"] = privacy ? privacy->digest() : 0;
  return header;
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

Json line_of(const io::Frame& frame, std::span<const Detection> objects, const FrameState& is,
             const Watching& watching) {
  Json line = {{"kind", "frame"},
               {"frame", frame.index},
               {"time", frame.time},
               {"objects", watching.is_tracking() ? watching.objects_json() : list_of(objects)}};
  watching.put_scores(line, objects);
  if (!watching.lines().empty()) line["crossings"] = watching.crossings_json();
  if (is.warming_up) line["warming_up"] = true;
  if (is.changed) line["changed"] = true;
  if (is.shift_x != 0 || is.shift_y != 0) line["shift"] = {is.shift_x, is.shift_y};
  if (frame.damaged) line["damaged"] = true;
  if (!watching.is_on_duty(frame)) line["off_duty"] = true;
  put_clock(line, "clock", watching.facts().clock, frame.time);
  return line;
}

/// Finds objects in a frame's luma, as many bits as it has, in coordinates of the whole frame.
class Finder {
 public:
  Finder(const DetectOptions& options, const DetectSettings& settings)
      : name_(options.input),
        region_(options.common.region_rect()),
        small_(settings.looks),
        detector_(small_.options_for(settings.motion)),
        exec_{.threads = options.common.threads},
        device_(
            options.common,
            [this](const WorkShape& shape, Space space, const Execs& execs) {
              return which_all(
                  [&](const Exec& asking) {
                    detector_.push(placeholder(shape.size.width, shape.size.height, shape.type,
                                               shape.channels, space),
                                   asking);
                  },
                  execs.pinned);
            },
            [this](std::span<const ConstAnyView> frame, AnyView, const Execs& execs) {
              found_ = detector_.push(frame[0], execs.pinned);
            }) {
    // Options the library refuses are found before the video is opened.
    device_.check(PixelType::u8);
  }

  /// Before the first frame: the options at the video's frame rate, and the threshold of each pixel
  /// of its frames; a picture without pixels for that of the options.
  void begin(const MotionOptions& options, ConstAnyView thresholds) {
    detector_ = MotionDetector(small_.options_for(options));
    if (thresholds.width > 0)
      detector_.set_thresholds(small_.thresholds(region_of(thresholds, region_, name_)));
  }

  /// Who decodes, as --decode says. By itself that is the GPU that finds the objects, or one of
  /// VA-API, of live video: a GPU's decoder does not report damage, which is an error of a file. A
  /// video that is watched `alone` has all of an NVIDIA GPU's decoders.
  std::optional<io::GpuDecoding> decoding(const DetectOptions& options, bool alone,
                                          bool is_painted_out) const {
    if (options.decode == "cpu") return {};
    for (const auto by : {io::GpuDecoders::vaapi, io::GpuDecoders::qsv}) {
      const io::GpuDecoding required{.by = by, .required = true};
      if (options.decode != io::name_of(required)) continue;
      if (!io::has_render_node())
        throw_without_gpu(options.decode, "this machine has no /dev/dri/renderD*");
      return required;
    }
    const bool required = options.decode == "cuda";
    if (!required && !device_.gpu() && io::is_live(options.input) && io::has_render_node())
      return io::GpuDecoding{.by = io::GpuDecoders::vaapi};
    // What is painted out is painted on the host.
    if (is_painted_out) {
      if (required)
        usage_error("cuda", "--decode is cuda and there is a mask_privacy; use --decode cpu");
      return {};
    }
    if (!required && (!device_.gpu() || !io::is_live(options.input))) return {};
    const int gpu = device_.gpu() ? device_.gpu()->device() : first_gpu();
    constexpr int max_decoders = 7;  // an H100 has this many; fewer take turns
    return io::GpuDecoding{io::GpuDecoders::cuda, gpu, required,
                           options.shows_frames() || !may_stay_there(), alone ? max_decoders : 1};
  }

  std::span<const Detection> find(const io::Frame& frame) {
    if (frame.gpu_luma && may_stay_there()) {
      find_there(region_of(frame.gpu_luma, region_, name_));
    } else {
      const ConstAnyView luma = frame.deep_luma ? frame.deep_luma : frame.luma;
      device_.run({small_.look(region_of(luma, region_, name_), exec_)});
    }
    const auto found = small_.detections(found_);
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

  /// Of the last frame: what is known of it, its mask, and where its corner is in it.
  FrameState state() const { return small_.state(detector_.states().back()); }
  ConstBitView mask() { return small_.mask(detector_.mask()); }
  Rect corner() const { return region_.value_or(Rect{}); }

  void explain() const { device_.explain(); }

 private:
  static int first_gpu() {
    std::string why;
    const auto gpus = list_devices(&why);
    if (gpus.empty()) throw_without_gpu("cuda", why);
    return gpus.front().index;
  }
  [[noreturn]] static void throw_without_gpu(const std::string& decode, const std::string& why) {
    throw Error(ErrorCode::device,
                fmt::format("--decode {}: {}; --decode cpu does without a GPU", decode, why),
                decode);
  }

  // Whether frames may be worked on where a GPU has decoded them.
  bool may_stay_there() const { return device_.gpu() && small_.factor() == 1; }

  void find_there(ConstAnyView luma) {
    if (device_.goes_to_gpu(shape_of(luma))) return device_.run_there({luma});
    const AnyView copy = copy_.create(luma.size(), 1, luma.type);
    download(luma, copy);
    device_.run({copy});
  }

  std::string name_;
  std::optional<Rect> region_;
  Downscale small_;
  MotionDetector detector_;
  Exec exec_;  // of what comes before the detector
  std::span<const Detection> found_;
  EitherDevice device_;
  AnyImage copy_;  // of a frame that a GPU decoded and does not take
  std::vector<Detection> objects_;
};

/// --mask-video: the foreground, 255, over what does not, 0, in frames of the source's size.
class MaskVideo {
 public:
  MaskVideo(const std::string& name, const io::FrameSource& source, int threads,
            io::Placing placing)
      : picture_(source.format().width, source.format().height) {
    fill(picture_.view(), 0);
    io::StreamFormat format = source.format();
    format.chroma = io::Chroma::none;
    format.full_range = true;
    sink_ = io::create_frames(name, format, {}, {.threads = threads}, placing,
                              io::Coding::lossless_gray);
  }
  /// `mask` is with its corner at (x, y) of the frame.
  void write(const io::Frame& frame, ConstBitView mask, int32_t x, int32_t y) {
    unpack_mask(mask, picture_.view().region({x, y, mask.width, mask.height}), {.threads = 1});
    io::Frame shown = frame;
    shown.luma = ImageView<const uint8_t>(picture_.view());
    shown.cb = shown.cr = {};
    sink_->write(shown);
  }
  void finish() { sink_->finish(); }

 private:
  Image<uint8_t> picture_;
  std::unique_ptr<io::FrameSink> sink_;
};

/// What `detect` writes: a line of JSON a frame, the video with boxes, and what --events and the
/// like ask for.
class Outputs {
 public:
  Outputs(const DetectOptions& options, SceneFile scene, const DetectSettings& settings,
          const io::FrameSource& source, std::shared_ptr<JsonLines> lines,
          const PrivacyMask* privacy, std::shared_ptr<io::PacketRing> ring,
          RecordingJournal* journal)
      : results_(placing_of(options.input, options.follow)),
        painter_(source.format()),
        watching_(options.watch, std::move(scene), settings.tracking.value_or(TrackingOptions()),
                  {.camera = options.camera,
                   .source = name_of(options, source),
                   .format = source.format(),
                   .placing = results_.placing(),
                   .clock = DayClock(options.clock, source.format().clock, source.name()),
                   .ring = std::move(ring),
                   .privacy = privacy,
                   .resumes = journal ? journal->checkpoint() : nullptr},
                  options.common),
        camera_(options.camera),
        stamps_(options.clock.stamp),
        journal_(journal),
        lines_(std::move(lines)) {
    const Checkpoint* resumes = watching_.facts().resumes;
    if (resumes) results_.continue_earlier();
    const bool owns_lines = !lines_ && !options.json.empty();
    if (owns_lines)
      lines_ = std::make_shared<JsonLines>(options.json, results_.placing(),
                                           kept_of(options.json, resumes));
    if (!owns_lines || lines_->is_empty())
      write_line(header_of(options, settings, source, watching_.facts().clock));
    for (const auto& [option, name] : options.outputs())
      if (option != "--resume") names_.push_back(name);
    if (!options.out.empty()) {
      video_ = io::create_frames(options.out, source.format(),
                                 sound_of(options.recording, options.input),
                                 {.threads = options.common.threads}, results_.placing());
      if (const auto text = video_->description(); !text.empty())
        detail("{}: {}", options.out, text);
      if (const auto text = video_->loss(); !text.empty()) warn("{}: {}", options.out, text);
    }
    if (!options.mask_video.empty()) {
      mask_ = std::make_unique<MaskVideo>(options.mask_video, source, options.common.threads,
                                          results_.placing());
    }
    // Whatever is kept: the event in flight ends, and its listeners are notified.
    results_.add("-", [this, &source] {
      watching_.end_event();
      watching_.end_blindness();
      write_event_lines();
      if (const auto gap = source.open_gap()) write_line(line_of(*gap, watching_.facts().clock));
    });
    results_.add(options.out, [this] { video_->finish(); });
    results_.add(options.mask_video, [this] { mask_->finish(); });
    for (auto& [name, finish] : watching_.files()) results_.add(name, std::move(finish));
    if (owns_lines) results_.add(options.json, [this] { lines_->finish(); });
    results_.add("-", [this] { watching_.wait(); });
  }

  /// Called with every frame, in order: first with what was found, on one thread, then to be
  /// written, on another.
  void found(io::FrameBuffer& buffer, std::span<const Detection> objects, Finder& finder) {
    const io::Frame& frame = buffer.frame();
    if (journal_ && journal_->is_known(frame)) return watching_.pass(frame);
    if (journal_ && frame.file) note_file(frame);
    const auto jump = watching_.see_clock(frame);
    if (frame.gap) {
      watching_.end_event();
      write_event_lines();
      write_line(line_of(*frame.gap, watching_.facts().clock));
    }
    if (jump) write_line(cli::line_of("clock", json_of(*jump, watching_.facts().clock)));
    if (!watching_.is_on_duty(frame)) objects = {};
    watching_.see_state(frame, finder.state());
    const Rect corner = finder.corner();
    const ConstBitView mask = mask_ || watching_.wants_mask() ? finder.mask() : ConstBitView{};
    watching_.found(frame, objects, mask, corner.x, corner.y);
    if (mask_) mask_->write(frame, mask, corner.x, corner.y);
    write_event_lines();
    write_lines_of(frame, objects, finder.state());
    if (video_ && watching_.is_tracking()) {
      painter_.draw(buffer, watching_.step().objects);
      painter_.draw(buffer, watching_.lines());
    } else if (video_) {
      painter_.draw(buffer, objects);
    }
    if (video_ && stamps_)
      painter_.stamp(buffer, watching_.facts().clock.shown(frame.time));
    else if (video_ && watching_.is_tracking())
      painter_.stamp(buffer, clock_text(frame.time));
  }
  void write(const io::Frame& frame) {
    if (video_) video_->write(frame);
  }
  Results& results() { return results_; }

 private:
  // Every result that is a file is a text, and has all lines of the frames before.
  void note_file(const io::Frame& frame) {
    Checkpoint now = watching_.checkpoint(frame);
    for (const std::string& name : names_) {
      std::error_code error;
      const auto size = std::filesystem::file_size(name, error);
      if (!error) now.sizes[name] = int64_t(size);
    }
    journal_->add(now);
  }
  void write_lines_of(const io::Frame& frame, std::span<const Detection> objects,
                      const FrameState& is) {
    if (!lines_) return;
    write_line(line_of(frame, objects, is, watching_));
    for (Json& crossing : watching_.crossings_json())
      write_line(cli::line_of("crossing", std::move(crossing)));
    for (Json& zone : watching_.zones_json(frame))
      write_line(cli::line_of("zone", std::move(zone)));
  }
  void write_event_lines() {
    for (Json& line : watching_.take_event_lines()) write_line(std::move(line));
  }
  void write_line(Json line) {
    if (lines_) lines_->write(of_camera(camera_, std::move(line)));
  }

  Results results_;
  BoxPainter painter_;
  Watching watching_;
  std::string camera_;
  bool stamps_;
  RecordingJournal* journal_;
  std::vector<std::string> names_;  // of results, but the journal's
  std::shared_ptr<JsonLines> lines_;
  std::unique_ptr<io::FrameSink> video_;
  std::unique_ptr<MaskVideo> mask_;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> DetectOptions::outputs() const {
  auto named = watch.outputs();
  for (const auto& [option, name] : {std::pair("-o", &out),
                                     {"--json", &json},
                                     {"--mask-video", &mask_video},
                                     {"--resume", &recording.resume}})
    if (!name->empty()) named.emplace_back(option, *name);
  return named;
}

void DetectOptions::check_resume() const {
  const std::string& journal = recording.resume;
  if (journal.empty()) return;
  if (!recording.join)
    usage_error(journal,
                "--resume {}: it continues a recording of several files; add --join-inputs",
                journal);
  if (!recording.from.empty() || !recording.to.empty())
    usage_error(journal,
                "--resume {}: --from and --to take a part of a recording, and it continues the "
                "whole; leave one out",
                journal);
  for (const auto& [option, name] : {std::pair("-o", &out),
                                     {"--mask-video", &mask_video},
                                     {"--heatmap", &watch.heat_map},
                                     {"--report", &watch.report},
                                     {"--coco", &watch.coco}})
    if (!name->empty())
      usage_error(*name, "{} {}: --resume cannot add to it; use lists: --events, --objects, --json",
                  option, *name);
}

std::shared_ptr<io::PacketRing> DetectOptions::ring() const {
  std::error_code ignored;
  const bool is_file = recording.join || std::filesystem::is_regular_file(input, ignored);
  const bool is_kept = !watch.clips.empty() || !watch.record.empty();
  return !is_kept || is_file ? nullptr : io::make_packet_ring(watch.clip_memory);
}

void add_detect_options(CLI::App& app, DetectOptions& options) {
  app.add_option("-o,--output", options.out, "write a video with boxes; - writes y4m to stdout")
      ->type_name("OUT");
  app.add_option("--json", options.json, "write a header line and a line per frame; -: stdout")
      ->type_name("OUT");
  app.add_option("--mask-video", options.mask_video,
                 "write the foreground mask without loss: .mkv, .avi, .y4m")
      ->type_name("OUT");
  add_follow(app, options.follow);
  add_clock_options(app, options.clock);
  app.add_option(
         "--decode", options.decode,
         "decode video on auto (default), cpu, cuda, vaapi or qsv. cuda keeps frames on an NVIDIA "
         "GPU; vaapi and qsv copy them from one of Intel or AMD. GPUs do not report damage inside "
         "of frames. auto uses cuda or vaapi for live video, where they are present")
      ->type_name("MODE")
      ->check(CLI::IsMember({"auto", "cpu", "cuda", "vaapi", "qsv"}));
  const auto known = app.get_options();
  options.described.add<SensitivityOptions>(app);
  options.described.add<MotionOptions>(app);
  options.described.add<DownscaleOptions>(app);
  group_since(app, known, "Detection");
  add_watch_options(app, options.watch);
  add_recording_options(app, options.recording);
  add_common(app, options.common,
             takes_devices | takes_strategy | takes_threads | takes_region | takes_limits |
                 takes_sandbox | takes_explain,
             {"cuesta detect street.mp4 -o boxes.mp4",
              "cuesta detect street.mp4 --json - --background mixture --min-area 200",
              "cuesta detect street.mp4 --scene yard.toml --events e.csv --report r.html",
              "cuesta detect rtsp://camera/1 -o boxes.mkv --json objects.ndjson",
              "cuesta detect rtsp://gate/1 rtsp://yard/1 --json - --events {name}.csv",
              "cuesta detect --cameras cameras.toml --events {name}.csv"});
}

struct WatchedVideo::Detector {
  explicit Detector(const DetectOptions& options)
      : settings(settings_of(options)), finder(options, settings) {}
  DetectSettings settings;
  Finder finder;
};

WatchedVideo::WatchedVideo(std::unique_ptr<DetectOptions> options) : options_(std::move(options)) {
  if (options_->outputs().empty() && !options_->watch.tells())
    usage_error("", "detect: no output is set; use -o boxes.mp4, --json objects.ndjson or both");
  options_->watch.passwords = options_->common.passwords;
  check_watch_results(options_->watch);
  check_recording(options_->recording, options_->input, options_->common);
  options_->follow |= options_->recording.growing > 0 || !options_->recording.resume.empty();
  schedule_of(options_->watch.when);
  check_clock(options_->clock, options_->out);
  detector_ = std::make_unique<Detector>(*options_);
}
WatchedVideo::~WatchedVideo() = default;

int WatchedVideo::watch(const StopOnSignal& stop, const Company* company) {
  const auto begin = Clock::now();
  const DetectOptions& options = *options_;
  DetectSettings& settings = detector_->settings;
  Finder& finder = detector_->finder;
  SceneFile scene = options.watch.read_scene_file();
  const auto privacy = options.watch.privacy(scene);
  const bool is_painted_out = !privacy.empty();
  const auto ring = options.ring();
  std::optional<RecordingJournal> journal;
  if (!options.recording.resume.empty())
    journal.emplace(options.recording.resume, warm_up_times * settings.motion.warm_up);
  RecordingJournal* const notes = journal ? &*journal : nullptr;
  const auto source = open_recording(options.recording, options.input, options.common, stop,
                                     finder.decoding(options, !company, is_painted_out),
                                     !is_painted_out, ring, notes);
  const io::StreamFormat& format = source->format();
  settings = settings_of(options, double(format.rate_num) / double(format.rate_den));
  finder.begin(settings.motion, zone_thresholds(scene.scene, {format.width, format.height},
                                                settings.motion.threshold.level));
  std::optional<PrivacyMask> mask;
  if (is_painted_out) mask.emplace(privacy, source->format(), source->name(), options.common);
  if (!options.out.empty() || is_painted_out) tell_depth(*source, true);
  if (journal)
    journal->begin(
        lasting(header_of(options, settings, *source, {}), options, mask ? &*mask : nullptr));
  Outputs outputs(options, std::move(scene), settings, *source, company ? company->lines : nullptr,
                  mask ? &*mask : nullptr, ring, notes);
  std::optional<Progress> own;
  if (!company) {
    own.emplace("frames", source->expected_frames(), options.json == "-" || options.out == "-");
  }
  const auto find = [&](const io::Frame& frame) {
    std::optional<Turns::Turn> turn;
    if (company) turn.emplace(company->turns);
    return finder.find(frame);
  };
  int64_t frames = 0, objects = 0;
  const int code = pass_frames(
      *source, options.common, stop, outputs.results(), company ? company->progress : *own,
      [&](io::FrameBuffer& buffer, int) {
        if (mask) mask->paint(buffer);
        const auto found = find(buffer.frame());
        outputs.found(buffer, found, finder);
        ++frames;
        objects += int64_t(found.size());
      },
      [&](const io::Frame& frame) { outputs.write(frame); });
  if (company && options.common.explain) print_explanation(options.camera + ":\n");
  finder.explain();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  detail("{}: {} objects in {} frames, {:.1f} frames/s", source->name(), objects, frames,
         double(frames) / seconds);
  return code;
}

}  // namespace cuesta::cli
