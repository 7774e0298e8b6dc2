#include "apps/watch/home_assistant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "cuesta/version.hpp"

namespace cuesta::cli {
namespace {

// Identifiers there have these letters alone.
std::string id_of(std::string_view text) {
  std::string id(text);
  std::ranges::replace_if(
      id,
      [](char c) {
        return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '_' || c == '-');
      },
      '_');
  return id;
}

class Discovery {
 public:
  Discovery(const std::string& prefix, const std::string& topic, const WatchFacts& facts)
      : prefix_(prefix), topic_(topic), node_("cuesta_" + id_of(topic)) {
    const std::string name = facts.camera.empty() ? topic : facts.camera;
    device_ = {{"identifiers", Json::array({node_})},
               {"name", valid_utf8(name)},
               {"manufacturer", "Cuesta"},
               {"model", "cuesta detect"},
               {"sw_version", CUESTA_VERSION}};
  }

  /// `below`: the topic of its state.
  void add(const char* component, const std::string& name, const std::string& below, Json more) {
    std::string id = id_of(below);
    for (int number = 2; !taken_.insert(id).second; ++number)
      id = fmt::format("{}_{}", id_of(below), number);
    Json config = {{"name", valid_utf8(name)},
                   {"unique_id", node_ + "_" + id},
                   {"state_topic", topic_ + "/" + below},
                   {"availability_topic", topic_ + "/status"},
                   {"payload_available", "online"},
                   {"payload_not_available", "offline"},
                   {"device", device_},
                   {"origin", {{"name", "cuesta"}, {"sw_version", CUESTA_VERSION}}}};
    config.update(more);
    if (config.contains("image_topic")) config.erase("state_topic");
    all_.emplace_back(fmt::format("{}/{}/{}/{}/config", prefix_, component, node_, id),
                      line_of(config));
  }
  void add_switch(const std::string& name, const std::string& below, const char* device_class,
                  const std::string& attributes = {}) {
    Json more = {{"payload_on", "ON"}, {"payload_off", "OFF"}, {"device_class", device_class}};
    if (!attributes.empty()) more["json_attributes_topic"] = topic_ + "/" + attributes;
    add("binary_sensor", name, below, std::move(more));
  }
  void add_image(const std::string& name, const std::string& below) {
    add("image", name, below,
        {{"image_topic", topic_ + "/" + below}, {"content_type", "image/jpeg"}});
  }
  std::vector<std::pair<std::string, std::string>> take() { return std::move(all_); }

 private:
  std::string prefix_, topic_, node_;
  Json device_;
  std::set<std::string> taken_;
  std::vector<std::pair<std::string, std::string>> all_;
};

// Zones and lines whose names differ in signs that a topic cannot have.
std::string numbered(const std::string& level, size_t same) {
  return same == 0 ? level : fmt::format("{}-{}", level, same + 1);
}

}  // namespace

std::string topic_level(std::string_view name) {
  std::string level = valid_utf8(std::string(name));
  std::ranges::replace_if(
      level, [](char c) { return c == '/' || c == '+' || c == '#'; }, '-');
  return level.empty() ? "-" : level;
}

std::string zone_topic(const WatchFacts& facts, size_t zone) {
  const std::string level = topic_level(facts.zones[zone]);
  size_t same = 0;
  for (size_t i = 0; i < zone; ++i) same += topic_level(facts.zones[i]) == level;
  return "zones/" + numbered(level, same);
}

std::string line_topic(const WatchFacts& facts, size_t line, bool to_right) {
  const std::string level = topic_level(facts.lines[line].name);
  size_t same = 0;
  for (size_t i = 0; i < line; ++i) same += topic_level(facts.lines[i].name) == level;
  const auto& ways = facts.lines[line].ways;
  const std::string right = topic_level(ways[0]), left = topic_level(ways[1]);
  return fmt::format("lines/{}/{}", numbered(level, same),
                     to_right ? right : numbered(left, left == right));
}

std::vector<std::pair<std::string, std::string>> discovery_of(const std::string& prefix,
                                                              const std::string& topic,
                                                              const WatchFacts& facts,
                                                              bool has_pictures) {
  Discovery discovery(prefix, topic, facts);
  discovery.add_switch("Motion", "motion", "motion");
  discovery.add_switch("Blind", "blind", "problem");
  if (has_pictures) discovery.add_image("Last event", "picture");
  for (size_t i = 0; i < facts.zones.size(); ++i) {
    if (!facts.has_state(i)) continue;
    const std::string name = facts.zones[i], below = zone_topic(facts, i), state = below + "/state";
    discovery.add_switch(name, below, "occupancy", state);
    discovery.add_switch(name + " motion", below + "/motion", "motion");
    discovery.add("sensor", name + " level", below + "/level",
                  {{"unit_of_measurement", "%"}, {"state_class", "measurement"}});
  }
  for (size_t i = 0; i < facts.lines.size(); ++i) {
    for (const bool right : {true, false})
      discovery.add("sensor",
                    fmt::format("{} {}", facts.lines[i].name, facts.lines[i].ways[right ? 0 : 1]),
                    line_topic(facts, i, right), {{"state_class", "total_increasing"}});
  }
  return discovery.take();
}

}  // namespace cuesta::cli
