#include "cli/watching.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "cli/privacy.hpp"
#include "cli/scene_file.hpp"
#include "cli/watch.hpp"
#include "recipes/descriptions.hpp"

namespace cuesta::cli {

void add_watch_options(CLI::App& app, WatchOptions& options) {
  const auto known = app.get_options();
  app.add_flag(
      "--track", options.track,
      "track objects; implied by the options below. An object keeps its id from frame to frame");
  app.add_option("--scene", options.scene, "read zones, counting lines and a mask: .toml, .json")
      ->type_name("FILE");
  app.add_option("--mask", options.mask,
                 "find no objects where this picture is black. It has the size of the frames")
      ->type_name("FILE");
  app.add_option("--mask-privacy", options.mask_privacy,
                 "paint out what is black in this picture, in every result. It is not looked at")
      ->type_name("FILE")
      ->check([](const std::string& path) {
        return path.empty() ? "it is empty; name a picture" : std::string();
      });
  app.add_option("--when", options.when,
                 "report at these times of the day only: 22:00-06:00, several with commas")
      ->type_name("TIMES");
  options.described.add<TrackingOptions>(app, {}, {"min_area"});
  add_watch_result_options(app, options);
  group_since(app, known, "Objects and events");
}

Schedule schedule_of(const std::string& when) {
  if (when.empty()) return {};
  const auto read = Schedule::parse(when);
  if (!read) usage_error(when, "--when is {}; it must be {}", when, Schedule::form);
  return *read;
}

std::vector<std::pair<std::string, std::string>> WatchOptions::outputs() const {
  std::vector<std::pair<std::string, std::string>> named = {{"--heatmap", heat_map},
                                                            {"--report", report},
                                                            {"--clips", clips},
                                                            {"--objects", objects},
                                                            {"--counts", counts},
                                                            {"--coco", coco},
                                                            {"--mot", mot},
                                                            {"--zones", zones},
                                                            {"--scores", scores},
                                                            {"--record", record},
                                                            {"--live-history", live_history},
                                                            {"--pictures", pictures}};
  for (const std::string& path : events) named.emplace_back("--events", path);
  std::erase_if(named, [](const auto& one) { return one.second.empty(); });
  return named;
}

TrackingOptions WatchOptions::tracking() const {
  TrackingOptions options;
  described.read(options);
  return options;
}

bool WatchOptions::is_on() const {
  return track || !scene.empty() || !mask.empty() || !report.empty() || !clips.empty() ||
         !objects.empty() || !counts.empty() || !zones.empty() || !scores.empty() ||
         !record.empty() || !pictures.empty() || !coco.empty() || !mot.empty() || tells() ||
         !events.empty() || tracking() != TrackingOptions();
}

SceneFile WatchOptions::read_scene_file() const {
  return scene.empty() ? SceneFile{} : read_scene(scene);
}

std::vector<std::string> WatchOptions::privacy(const SceneFile& file) const {
  std::vector<std::string> paths = {mask_privacy, file.mask_privacy};
  std::erase(paths, std::string());
  return paths;
}

Watching::Watching(const WatchOptions& options, SceneFile scene, const TrackingOptions& tracking,
                   WatchFacts facts, const CommonOptions& common)
    : facts_(std::move(facts)), heat_path_(options.heat_map) {
  when_ = schedule_of(options.when);
  if (!when_.is_always() && !facts_.clock.is_known())
    usage_error(options.when,
                "--when needs the time of day, which {} does not have; set it with "
                "--begins",
                facts_.source);
  if (options.is_on()) begin_scene(options, std::move(scene), tracking, common);
  results_ = std::make_unique<WatchResults>(watch_results(options, facts_));
}
Watching::~Watching() = default;

void Watching::begin_scene(const WatchOptions& options, SceneFile file,
                           const TrackingOptions& tracking, const CommonOptions& common) {
  for (const Zone& zone : file.scene.zones) {
    if (zone.kind == ZoneKind::include) facts_.included |= uint64_t(1) << facts_.zones.size();
    facts_.zones.push_back(zone.name);
    facts_.polygons.push_back(zone.polygon);
  }
  zones_when_ = file.when;
  for (size_t i = 0; i < zones_when_.size(); ++i)
    if (!zones_when_[i].is_always() && !facts_.clock.is_known())
      usage_error("",
                  "{}: zones[{}].when needs the time of day, which {} does not have; set it with "
                  "--begins",
                  options.scene, i, facts_.source);
  if (!options.zones.empty() && facts_.included == 0)
    usage_error("--zones", "--zones needs a zone to watch; add [[zones]] to a file for --scene");
  facts_.lines = file.scene.lines;
  if (!options.counts.empty() && facts_.lines.empty())
    usage_error("--counts",
                "--counts needs a line to count at; add [[lines]] to a file for --scene");
  const std::string mask_path = options.mask.empty() ? file.mask : options.mask;
  Image<uint8_t> mask;
  if (!mask_path.empty()) {
    mask = mask_in(mask_path, facts_.size(), facts_.source, common);
    file.scene.mask = mask;
  }
  watch_.emplace(facts_.size(), file.scene, tracking);
  if (!facts_.resumes) return;
  next_event_ = facts_.resumes->next_event;
  next_object_ = facts_.resumes->next_object;
  watch_->number_from(next_event_, next_object_);
}

void Watching::ended(Event event) {
  for (const auto& [name, sink] : results_->sinks) sink->clip(event);
  for (const auto& [name, sink] : results_->sinks) sink->ended(event);
  event_lines_.push_back(line_of("event", json_of(event, "ended", facts_)));
}

std::optional<ClockJump> Watching::see_clock(const io::Frame& frame) {
  auto jump = facts_.clock.see(frame);
  if (jump) {
    warn("{}: the clock jumps from {} to {} (source: {})", facts_.source,
         facts_.clock.text_of(jump->before), facts_.clock.text_of(jump->after),
         facts_.clock.source());
  }
  return jump;
}

void Watching::pass(const io::Frame& frame) {
  if (!frame.file) return;
  for (const auto& [name, sink] : results_->sinks) sink->file(*frame.file);
}

Checkpoint Watching::checkpoint(const io::Frame& frame) const {
  Checkpoint at{.file = frame.file->path,
                .time = frame.time,
                .frame = frame.index,
                .is_quiet = step_.event == nullptr && !blind_ &&
                            std::ranges::none_of(
                                step_.zones, [](const auto& z) { return z.motion || z.occupied; }),
                .next_event = next_event_,
                .next_object = next_object_};
  if (frame.clock) at.clock = frame.clock.micros - std::llround(frame.time * 1e6);
  for (const auto& [name, sink] : results_->sinks)
    if (Json state = sink->state(); !state.is_null()) at.states[name] = std::move(state);
  return at;
}

void Watching::see_state(const io::Frame& frame, const FrameState& is) {
  const bool is_blind = is.changed || (blind_ && is.warming_up);
  if (!is_blind) return end_blindness();
  const FrameTime at{frame.index, frame.time};
  if (!blind_) {
    blind_.emplace(BlindTime{at, at});
    for (const auto& [name, sink] : results_->sinks) sink->blinded();
  }
  blind_->last = at;
}

void Watching::end_blindness() {
  const auto blind = std::exchange(blind_, std::nullopt);
  if (!blind) return;
  for (const auto& [name, sink] : results_->sinks) sink->unblinded(*blind);
  event_lines_.push_back(line_of("blind", json_of(*blind, facts_.clock)));
}

void Watching::found(const io::Frame& frame, std::span<const Detection> detections,
                     ConstBitView mask, int32_t x, int32_t y) {
  if (wants_mask()) results_->motion->add(frame, mask, x, y);
  if (!watch_) return;
  pass(frame);
  uint64_t active = ~uint64_t(0);
  for (size_t i = 0; i < zones_when_.size(); ++i)
    if (!zones_when_[i].is_always() && !zones_when_[i].has(facts_.clock.minute(frame.time)))
      active &= ~(uint64_t(1) << i);
  watch_->set_active(active);
  step_ = watch_->push({frame.index, frame.time}, detections);
  for (const Event& event : step_.ended) ended(event);
  if (step_.event) next_event_ = std::max(next_event_, step_.event->id + 1);
  if (!step_.objects.empty()) next_object_ = std::max(next_object_, step_.objects.back().id + 1);
  for (const auto& [name, sink] : results_->sinks) sink->frame(frame, step_);
  if (!step_.began) return;
  for (const auto& [name, sink] : results_->sinks) sink->began(*step_.event);
  event_lines_.push_back(line_of("event", json_of(*step_.event, "began", facts_)));
}

bool Watching::wants_mask() const { return results_->motion != nullptr; }

void Watching::end_event() {
  step_ = {};
  if (!watch_) return;
  for (const Event& event : watch_->finish()) ended(event);
}

void Watching::wait() {
  for (const auto& [name, sink] : results_->sinks)
    if (name.empty()) sink->finish();
}

std::vector<std::pair<std::string, std::function<void()>>> Watching::files() {
  std::vector<std::pair<std::string, std::function<void()>>> all;
  for (const auto& [name, sink] : results_->sinks)
    if (!name.empty()) all.emplace_back(name, [one = sink.get()] { one->finish(); });
  if (!heat_path_.empty())
    all.emplace_back(heat_path_, [this] { results_->motion->write(heat_path_); });
  return all;
}

Json Watching::objects_json() const {
  Json list = Json::array();
  for (const TrackedObject& object : step_.objects) list.push_back(json_of(object, facts_));
  return list;
}

Json Watching::crossings_json() const {
  Json list = Json::array();
  for (const Crossing& crossing : step_.crossings) list.push_back(json_of(crossing, facts_));
  return list;
}

std::vector<Json> Watching::zones_json(const io::Frame& frame) const {
  std::vector<Json> list;
  for (size_t i = 0; i < step_.zones.size(); ++i)
    if (step_.zones[i].changed)
      list.push_back(json_of(step_.zones[i], i, {frame.index, frame.time}, facts_));
  return list;
}

void Watching::put_scores(Json& line, std::span<const Detection> detections) const {
  double score = step_.score;
  if (!watch_) {
    int64_t area = 0;
    for (const Detection& one : detections) area += one.area;
    score = 100 * double(area) / (double(facts_.format.width) * facts_.format.height);
  }
  cli::put_scores(line, score, step_.zones, facts_);
}

bool Watching::is_on_duty(const io::Frame& frame) const {
  return when_.is_always() || when_.has(facts_.clock.minute(frame.time));
}

std::vector<Json> Watching::take_event_lines() { return std::exchange(event_lines_, {}); }

}  // namespace cuesta::cli
