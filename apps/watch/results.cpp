// The results of apps/watch: their options, and what begins each.
#include <CLI/CLI.hpp>
#include <filesystem>

#include "apps/watch/clips.hpp"
#include "apps/watch/heat_map.hpp"
#include "apps/watch/hook.hpp"
#include "apps/watch/lists.hpp"
#include "apps/watch/mqtt.hpp"
#include "apps/watch/pictures.hpp"
#include "apps/watch/recorder.hpp"
#include "apps/watch/report.hpp"
#include "apps/watch/series.hpp"
#include "cli/watch.hpp"
#include "cuesta/io/address.hpp"
#include "cuesta/io/picture.hpp"

namespace cuesta::cli {
namespace {

// Of live video.
void add_live_options(CLI::App& app, WatchOptions& options) {
  app.add_option("--record", options.record,
                 "record live video to a folder in segments, without encoding. segments.csv lists "
                 "the motion in each")
      ->type_name("OUT");
  app.add_option("--keep", options.keep,
                 "remove the oldest segments when they are older or larger: 7d, 12h, 200GB, or "
                 "both, 7d,200GB. By default all are kept")
      ->type_name("LIMIT");
  app.add_option("--segment", options.segment, "begin a new segment after SECONDS (default 300)")
      ->type_name("SECONDS")
      ->check(CLI::Range(1.0, 86400.0));
  app.add_flag("--record-motion", options.record_motion,
               "keep segments alone in which something moves");
  app.add_option("--live", options.live,
                 "serve a page with pictures, zones and events at this address: :8080. It is for "
                 "this machine; other addresses, 0.0.0.0:8080, require --live-token")
      ->type_name("ADDRESS");
  app.add_option("--live-token", options.live_token,
                 "use the token of this file in the address of the page (default: a new one)")
      ->type_name("FILE");
  app.add_option("--live-history", options.live_history,
                 "keep the history of the page in this folder, for later runs")
      ->type_name("OUT");
}

}  // namespace

void add_watch_result_options(CLI::App& app, WatchOptions& options) {
  app.add_option("--events", options.events,
                 "write a list of events: .csv, .edl, .ndjson; repeatable")
      ->type_name("OUT")
      ->allow_extra_args(false);
  app.add_option("--report", options.report, "write an HTML page with timeline, pictures, heat map")
      ->type_name("OUT");
  app.add_option("--clips", options.clips, "write a clip per event to a folder, without encoding")
      ->type_name("OUT");
  app.add_option("--pictures", options.pictures, "write the best picture of each event to a folder")
      ->type_name("OUT");
  app.add_option("--clip-memory", options.clip_memory,
                 "limit the video that is kept for clips of a live input (default 2^26)")
      ->type_name("BYTES")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 50));
  app.add_option("--objects", options.objects, "write a row per object and frame: .csv")
      ->type_name("OUT");
  app.add_option("--counts", options.counts, "count crossings per line, way and hour: .csv")
      ->type_name("OUT");
  app.add_option("--zones", options.zones, "write a row per change of a zone: .csv")
      ->type_name("OUT");
  app.add_option("--scores", options.scores,
                 "write how much of the frame and of each zone moves, in percent: .csv")
      ->type_name("OUT");
  app.add_option("--coco", options.coco, "write objects of every frame as COCO (JSON)")
      ->type_name("OUT");
  app.add_option("--mot", options.mot, "write objects of every frame as MOTChallenge (text)")
      ->type_name("OUT");
  app.add_option("--on-event", options.on_event,
                 "run CMD at the beginning and end of events. It gets a line of JSON on "
                 "stdin; no shell is started")
      ->type_name("CMD");
  app.add_flag("--allow-hooks", options.allow_hooks,
               "run --on-event of files of --config and --cameras. Files cannot set this");
  app.add_option(
         "--mqtt", options.mqtt,
         "publish events to mqtt://[user@]host[:port]/topic. mqtts:// encrypts; see --passwords")
      ->type_name("ADDRESS");
  app.add_option("--mqtt-qos", options.mqtt_qos,
                 "set the quality of service: 0, 1 (default) or 2. 1: each message arrives; 2: "
                 "exactly once")
      ->type_name("N")
      ->check(CLI::Range(0, 2));
  app.add_flag("--mqtt-objects", options.mqtt_objects, "publish the objects of each frame as well");
  app.add_flag("--mqtt-pictures", options.mqtt_pictures,
               "publish a picture of each event, as JPEG");
  app.add_option("--mqtt-discovery", options.mqtt_discovery,
                 "publish Home Assistant's configurations below this topic; there it is "
                 "homeassistant")
      ->type_name("TOPIC");
  add_live_options(app, options);
  app.add_option("--heatmap", options.heat_map,
                 "write a picture of the motion over the first frame")
      ->type_name("OUT");
}

void check_watch_results(const WatchOptions& options) {
  for (const std::string& path : options.events) check_event_list(path);
  check_table("--objects", options.objects);
  check_table("--counts", options.counts);
  const SegmentLimits limits = limits_of(options.keep);
  if (options.record.empty() &&
      (limits.bytes || limits.seconds || options.segment || options.record_motion))
    usage_error("",
                "--keep, --segment and --record-motion require a recording; name a folder with "
                "--record");
  if (options.live.empty() && !options.live_history.empty())
    usage_error(options.live_history, "--live-history requires a page; add --live :8080");
  if (!options.on_event.empty()) words_of(options.on_event);
  if (!options.mqtt.empty())
    mqtt_address(io::with_password(options.mqtt, options.passwords, print_warning));
  if (options.mqtt.empty() && options.mqtt_objects)
    usage_error("", "--mqtt-objects requires a broker; name it with --mqtt");
  if (options.mqtt.empty() && options.mqtt_pictures)
    usage_error("", "--mqtt-pictures requires a broker; name it with --mqtt");
  if (!options.mqtt_discovery.empty()) check_discovery(options.mqtt_discovery);
  if (options.mqtt.empty() && !options.mqtt_discovery.empty())
    usage_error("", "--mqtt-discovery requires a broker; name it with --mqtt");
  check_table("--zones", options.zones);
  check_table("--scores", options.scores);
  if (options.heat_map.empty()) return;
  const std::string extension = std::filesystem::path(options.heat_map).extension().string();
  if (!io::is_writable_extension(extension))
    usage_error(options.heat_map,
                "--heatmap is {}; the extension must be .png, .jpg, .tif or .webp",
                options.heat_map);
}

void put_topic_below(WatchOptions& options, std::string_view level) {
  if (!options.mqtt.empty() && options.mqtt.find(level) == options.mqtt.npos)
    options.mqtt = mqtt_below(options.mqtt, level);
}

WatchResults watch_results(const WatchOptions& options, const WatchFacts& facts) {
  WatchResults results;
  HeatMap* heat = nullptr;
  if (!options.heat_map.empty() || !options.report.empty()) {
    auto motion = std::make_unique<HeatMap>(facts.format);
    heat = motion.get();
    results.motion = std::move(motion);
  }
  const auto add = [&](const std::string& name, std::unique_ptr<EventSink> sink) {
    results.sinks.emplace_back(name, std::move(sink));
  };
  for (const std::string& path : options.events) add(path, event_list(path, facts));
  const ClipFolder* clips = nullptr;
  if (!options.clips.empty()) {
    auto folder = clip_folder(options.clips, options.tracking(), facts);
    clips = folder.get();
    add({}, std::move(folder));
  }
  if (!options.record.empty()) {
    RecorderOptions how{.motion_only = options.record_motion, .limits = limits_of(options.keep)};
    how.length = options.segment.value_or(how.length);
    add({}, recorder(options.record, how, options.clips.empty(), facts));
  }
  if (!options.pictures.empty()) add({}, picture_folder(options.pictures, facts));
  if (!options.objects.empty()) add(options.objects, object_list(options.objects, facts));
  if (!options.counts.empty()) add(options.counts, count_list(options.counts, facts));
  if (!options.zones.empty()) add(options.zones, zone_list(options.zones, facts));
  if (!options.scores.empty()) add(options.scores, score_list(options.scores, facts));
  if (!options.coco.empty()) add(options.coco, coco_file(options.coco, facts));
  if (!options.mot.empty()) add(options.mot, mot_file(options.mot, facts));
  if (!options.report.empty()) add(options.report, html_report(options.report, facts, *heat));
  if (options.page) add({}, options.page->sink(facts, clips, options.live_history));
  if (!options.on_event.empty()) add({}, event_hook(options.on_event, facts));
  if (!options.mqtt.empty())
    add({}, mqtt_topics(io::with_password(options.mqtt, options.passwords, [](const auto&) {}),
                        {options.mqtt_qos, options.mqtt_objects, options.mqtt_pictures,
                         options.mqtt_discovery},
                        facts));
  return results;
}

}  // namespace cuesta::cli
