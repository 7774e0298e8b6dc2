#include "cli/watching.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/samples.hpp"
#include "cli/scene_file.hpp"
#include "cli/watch.hpp"
#include "io/picture.hpp"
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
  options.described.add<TrackingOptions>(app, {}, {"min_area"});
  add_watch_result_options(app, options);
  group_since(app, known, "Objects and events");
}

std::vector<std::pair<std::string, std::string>> WatchOptions::outputs() const {
  std::vector<std::pair<std::string, std::string>> named = {
      {"--heatmap", heat_map}, {"--report", report}, {"--clips", clips}, {"--objects", objects},
      {"--counts", counts},    {"--coco", coco},     {"--mot", mot}};
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
         !objects.empty() || !counts.empty() || !coco.empty() || !mot.empty() || tells() ||
         !events.empty() || tracking() != TrackingOptions();
}

namespace {

Image<uint8_t> mask_in(const std::string& path, const CommonOptions& common) {
  const auto picture = io::read_picture(path, {.max_pixels = common.max_pixels,
                                               .allow_partial = common.partial,
                                               .max_memory = common.max_memory});
  Image<uint8_t> mask(picture.width(), picture.height());
  fill_mask(picture.view(), picture.has_alpha, mask);
  return mask;
}

}  // namespace

Watching::Watching(const WatchOptions& options, const TrackingOptions& tracking, WatchFacts facts,
                   const CommonOptions& common)
    : facts_(std::move(facts)), heat_path_(options.heat_map) {
  if (options.is_on()) read_scene_of(options, tracking, common);
  results_ = std::make_unique<WatchResults>(watch_results(options, facts_));
}
Watching::~Watching() = default;

void Watching::read_scene_of(const WatchOptions& options, const TrackingOptions& tracking,
                             const CommonOptions& common) {
  SceneFile file;
  if (!options.scene.empty()) file = read_scene(options.scene);
  for (const Zone& zone : file.scene.zones) facts_.zones.push_back(zone.name);
  facts_.lines = file.scene.lines;
  if (!options.counts.empty() && facts_.lines.empty())
    usage_error("--counts",
                "--counts needs a line to count at; add [[lines]] to a file for --scene");
  const std::string mask_path = options.mask.empty() ? file.mask : options.mask;
  Image<uint8_t> mask;
  if (!mask_path.empty()) {
    mask = mask_in(mask_path, common);
    if (mask.size() != facts_.size()) {
      throw Error(ErrorCode::input,
                  fmt::format("the mask {} is {} x {} and {} is {} x {}; the sizes must match",
                              mask_path, mask.width(), mask.height(), facts_.source,
                              facts_.format.width, facts_.format.height),
                  mask_path);
    }
    file.scene.mask = mask;
  }
  watch_.emplace(facts_.size(), file.scene, tracking);
}

void Watching::ended(const Event& event) {
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

void Watching::found(const io::Frame& frame, std::span<const Detection> detections,
                     ConstBitView mask, int32_t x, int32_t y) {
  if (wants_mask()) results_->motion->add(frame, mask, x, y);
  if (!watch_) return;
  step_ = watch_->push({frame.index, frame.time}, detections);
  for (const Event& event : step_.ended) ended(event);
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

std::vector<Json> Watching::take_event_lines() { return std::exchange(event_lines_, {}); }

}  // namespace cuesta::cli
