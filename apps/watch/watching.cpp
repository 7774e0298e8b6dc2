#include "apps/watch/watching.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "apps/watch/clips.hpp"
#include "apps/watch/hook.hpp"
#include "apps/watch/lists.hpp"
#include "apps/watch/mqtt.hpp"
#include "apps/watch/report.hpp"
#include "cli/samples.hpp"
#include "cli/scene_file.hpp"
#include "io/picture.hpp"
#include "track/options.hpp"

namespace cuesta::cli {

void add_watch_options(CLI::App& app, WatchOptions& options) {
  const auto known = app.get_options();
  app.add_flag("--track", options.track,
               "objects keep an id from frame to frame; all that follows turns it on");
  app.add_option("--scene", options.scene,
                 "zones, lines to count at and a mask: a .toml or .json file")
      ->type_name("FILE");
  app.add_option("--mask", options.mask,
                 "a picture of the frames' size; objects count where it is not black")
      ->type_name("FILE");
  app.add_option("--events", options.events, "a list of events: .csv, .edl or .ndjson; repeatable")
      ->type_name("OUT")
      ->allow_extra_args(false);
  app.add_option("--report", options.report,
                 "one HTML page: timeline, every event with a picture, heat map")
      ->type_name("OUT");
  app.add_option(
         "--clips", options.clips,
         "the part of the video that shows each event, into this folder; nothing is encoded")
      ->type_name("OUT");
  app.add_option("--coco", options.coco, "objects of every frame as COCO annotations")
      ->type_name("OUT");
  app.add_option("--mot", options.mot, "objects of every frame as MOTChallenge lines")
      ->type_name("OUT");
  app.add_option(
         "--on-event", options.on_event,
         "run this when an event begins and ends; it gets a line of JSON on stdin; no shell")
      ->type_name("CMD");
  app.add_option("--mqtt", options.mqtt,
                 "events to an MQTT broker: mqtt://[user:password@]host[:port]/topic, or mqtts://")
      ->type_name("ADDRESS");
  app.add_option("--mqtt-qos", options.mqtt_qos,
                 "what the broker promises: 0, 1 (default: each message arrives) or 2 (once)")
      ->type_name("N")
      ->check(CLI::Range(0, 2));
  app.add_flag("--mqtt-objects", options.mqtt_objects,
               "to the broker of --mqtt, each frame's objects too");
  options.described.add<TrackingOptions>(app, {}, {"min_area"});
  app.add_option("--heatmap", options.heat_map,
                 "a picture of where it moved, over the dimmed first frame")
      ->type_name("OUT");
  for (CLI::Option* option : app.get_options()) {
    if (std::ranges::find(known, option) == known.end()) option->group("Objects and events");
  }
}

std::vector<std::pair<std::string, std::string>> WatchOptions::outputs() const {
  std::vector<std::pair<std::string, std::string>> named = {{"--heatmap", heat_map},
                                                            {"--report", report},
                                                            {"--clips", clips},
                                                            {"--coco", coco},
                                                            {"--mot", mot}};
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
         !coco.empty() || !mot.empty() || tells() || !events.empty() ||
         tracking() != TrackingOptions();
}

void WatchOptions::check() const {
  for (const std::string& path : events) check_event_list(path);
  if (!on_event.empty()) words_of(on_event);
  if (!mqtt.empty()) mqtt_address(mqtt);
  if (mqtt.empty() && mqtt_objects)
    usage_error("", "--mqtt-objects requires a broker; name it with --mqtt");
  if (heat_map.empty()) return;
  const std::string extension = std::filesystem::path(heat_map).extension().string();
  if (!io::is_writable_extension(extension))
    usage_error(heat_map, "--heatmap is {}; the extension must be .png, .jpg, .tif or .webp",
                heat_map);
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
  if (!options.heat_map.empty() || !options.report.empty()) heat_.emplace(facts_.format);
  if (!options.is_on()) return;
  SceneFile file;
  if (!options.scene.empty()) file = read_scene(options.scene);
  for (const Zone& zone : file.scene.zones) facts_.zones.push_back(zone.name);
  for (const CountingLine& line : file.scene.lines) facts_.lines.push_back(line.name);
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
  const auto add = [&](const std::string& name, std::unique_ptr<EventSink> sink) {
    sinks_.emplace_back(name, std::move(sink));
  };
  for (const std::string& path : options.events) add(path, event_list(path, facts_));
  if (!options.clips.empty()) add({}, clip_folder(options.clips, facts_));
  if (!options.coco.empty()) add(options.coco, coco_file(options.coco, facts_));
  if (!options.mot.empty()) add(options.mot, mot_file(options.mot, facts_));
  if (!options.report.empty()) add(options.report, html_report(options.report, facts_, *heat_));
  if (!options.on_event.empty()) add({}, event_hook(options.on_event, facts_));
  if (!options.mqtt.empty())
    add({}, mqtt_topics(options.mqtt, options.mqtt_qos, options.mqtt_objects, facts_));
}

void Watching::ended(const Event& event) {
  for (const auto& [name, sink] : sinks_) sink->ended(event);
  event_lines_.push_back({{"event", json_of(event, "ended", facts_)}});
}

void Watching::found(const io::Frame& frame, std::span<const Detection> detections,
                     ConstBitView mask, int32_t x, int32_t y) {
  if (heat_) heat_->add(frame, mask, x, y);
  if (!watch_) return;
  step_ = watch_->push({frame.index, frame.time}, detections);
  for (const Event& event : step_.ended) ended(event);
  for (const auto& [name, sink] : sinks_) sink->frame(frame, step_);
  if (!step_.began) return;
  for (const auto& [name, sink] : sinks_) sink->began(*step_.event);
  event_lines_.push_back({{"event", json_of(*step_.event, "began", facts_)}});
}

void Watching::end_event() {
  step_ = {};
  if (!watch_) return;
  for (const Event& event : watch_->finish()) ended(event);
}

void Watching::wait() {
  for (const auto& [name, sink] : sinks_)
    if (name.empty()) sink->finish();
}

std::vector<std::pair<std::string, std::function<void()>>> Watching::files() {
  std::vector<std::pair<std::string, std::function<void()>>> all;
  for (const auto& [name, sink] : sinks_)
    if (!name.empty()) all.emplace_back(name, [one = sink.get()] { one->finish(); });
  if (!heat_path_.empty())
    all.emplace_back(heat_path_, [this] { io::write_picture(heat_path_, heat_->picture()); });
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
