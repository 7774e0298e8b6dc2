#include "cli/event_sink.hpp"

#include <algorithm>
#include <cmath>

#include "cli/common.hpp"
#include "cli/journal.hpp"

namespace cuesta::cli {
namespace {

double rounded(double value) { return std::round(value * 1000) / 1000; }
Json box_json(const Rect& b) { return {b.x, b.y, b.width, b.height}; }

}  // namespace

std::unique_ptr<io::RecordFile> text_file(const std::string& name, const WatchFacts& facts) {
  return text_file(name, facts.placing, kept_of(name, facts.resumes));
}

int64_t kept_of(const std::string& name, const Checkpoint* checkpoint) {
  if (!checkpoint) return 0;
  const auto found = checkpoint->sizes.find(name);
  return found == checkpoint->sizes.end() ? 0 : found->second;
}

Json state_of(const std::string& name, const WatchFacts& facts) {
  return facts.resumes ? facts.resumes->states.value(name, Json()) : Json();
}

std::vector<std::string> names_of(uint64_t zones, const WatchFacts& facts) {
  std::vector<std::string> names;
  for (size_t i = 0; i < facts.zones.size(); ++i)
    if (zones >> i & 1) names.push_back(facts.zones[i]);
  return names;
}

const std::string& way_of(const Crossing& crossing, const WatchFacts& facts) {
  return facts.lines[crossing.line].ways[crossing.to_right ? 0 : 1];
}

Json json_of(const Crossing& crossing, const WatchFacts& facts) {
  Json out = {{"line", facts.lines[crossing.line].name},
              {"id", crossing.id},
              {"to", way_of(crossing, facts)},
              {"frame", crossing.at.index},
              {"time", crossing.at.seconds}};
  put_clock(out, "clock", facts.clock, crossing.at.seconds);
  return out;
}

Json json_of(const ZoneState& state, size_t zone, FrameTime at, const WatchFacts& facts) {
  Json out = {{"name", facts.zones[zone]},  {"motion", state.motion},
              {"occupied", state.occupied}, {"since", state.since.seconds},
              {"level", state.level()},     {"frame", at.index},
              {"time", at.seconds}};
  put_clock(out, "since_clock", facts.clock, state.since.seconds);
  put_clock(out, "clock", facts.clock, at.seconds);
  return out;
}

void put_scores(Json& line, double score, std::span<const ZoneState> zones,
                const WatchFacts& facts) {
  const auto short_of = [](double percent) { return std::round(percent * 1e4) / 1e4; };
  line["score"] = short_of(score);
  if (facts.included == 0) return;
  Json& scores = line["scores"] = Json::object();
  for (size_t i = 0; i < zones.size(); ++i)
    if (facts.has_state(i)) scores[facts.zones[i]] = short_of(zones[i].score);
}

Json json_of(const ClockJump& jump, const DayClock& clock) {
  return {{"time", jump.seconds},
          {"before", clock.text_of(jump.before)},
          {"after", clock.text_of(jump.after)},
          {"source", clock.source()}};
}

Json json_of(const BlindTime& blind, const DayClock& clock) {
  Json out = {{"begin", blind.first.seconds},
              {"end", blind.last.seconds},
              {"first_frame", blind.first.index},
              {"last_frame", blind.last.index},
              {"reason", BlindTime::reason}};
  put_clock(out, "begin_clock", clock, blind.first.seconds);
  put_clock(out, "end_clock", clock, blind.last.seconds);
  return out;
}

Json json_of(const TrackedObject& object, const WatchFacts& facts) {
  const Detection& d = object.detection;
  Json out = {{"id", object.id},
              {"box", box_json(d.box)},
              {"area", d.area},
              {"centroid", {d.centroid_x, d.centroid_y}},
              {"speed", rounded(object.speed())},
              {"direction", rounded(object.direction())},
              {"moved", rounded(object.moved)}};
  if (!facts.zones.empty()) out["zones"] = names_of(object.zones, facts);
  return out;
}

Json json_of(const Event& event, const char* state, const WatchFacts& facts) {
  Json objects = Json::array(), crossings = Json::array();
  for (const EventObject& o : event.objects) {
    Json one = {{"id", o.id},
                {"start", o.first.seconds},
                {"end", o.last.seconds},
                {"first_frame", o.first.index},
                {"last_frame", o.last.index},
                {"moved", rounded(o.moved)},
                {"max_speed", rounded(o.max_speed)},
                {"max_area", o.max_area},
                {"largest_box", box_json(o.largest)}};
    put_clock(one, "start_clock", facts.clock, o.first.seconds);
    put_clock(one, "end_clock", facts.clock, o.last.seconds);
    if (!facts.zones.empty()) one["zones"] = names_of(o.zones, facts);
    objects.push_back(std::move(one));
  }
  for (const Crossing& c : event.crossings) crossings.push_back(json_of(c, facts));
  Json best = {{"frame", event.best.index},
               {"time", event.best.seconds},
               {"id", event.best_id},
               {"box", box_json(event.best_box)}};
  put_clock(best, "clock", facts.clock, event.best.seconds);
  Json out = {{"id", event.id},
              {"state", state},
              {"start", event.first.seconds},
              {"end", event.last.seconds},
              {"first_frame", event.first.index},
              {"last_frame", event.last.index},
              {"clip", {event.clip_start, event.clip_end}},
              {"max_at_once", event.max_at_once},
              {"best", std::move(best)},
              {"objects", std::move(objects)},
              {"crossings", std::move(crossings)}};
  if (facts.included != 0) {
    Json& visits = out["visits"] = Json::array();
    for (const ZoneVisit& visit : event.visits) {
      Json one = {{"zone", facts.zones[visit.zone]},
                  {"entered", visit.entered.seconds},
                  {"left", visit.left.seconds}};
      put_clock(one, "entered_clock", facts.clock, visit.entered.seconds);
      put_clock(one, "left_clock", facts.clock, visit.left.seconds);
      visits.push_back(std::move(one));
    }
  }
  put_clock(out, "start_clock", facts.clock, event.first.seconds);
  put_clock(out, "end_clock", facts.clock, event.last.seconds);
  return out;
}

Json notice_of(const Event& event, const char* state, const WatchFacts& facts) {
  return of_camera(facts.camera,
                   {{"source", facts.source}, {"event", json_of(event, state, facts)}});
}

std::string clock_text(double seconds) {
  const auto tenths = std::llround(std::max(0.0, seconds) * 10);
  const auto s = tenths / 10 % 60, m = tenths / 600 % 60, h = tenths / 36000;
  return h ? fmt::format("{}:{:02}:{:02}.{}", h, m, s, tenths % 10)
           : fmt::format("{}:{:02}.{}", m, s, tenths % 10);
}

}  // namespace cuesta::cli
