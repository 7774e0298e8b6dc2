// Home Assistant's MQTT discovery: what is published appears there without settings.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/event_sink.hpp"

namespace cuesta::cli {

/// Level of a topic for a name: without / + and #, which topics cannot have.
std::string topic_level(std::string_view name);

/// Topics below that of the camera, of what has a state.
std::string zone_topic(const WatchFacts& facts, size_t zone);
std::string line_topic(const WatchFacts& facts, size_t line, bool to_right);

/// Configurations as Home Assistant documents them (mqtt discovery), topic and message each: the
/// camera's motion, of every zone occupancy, motion and level, of every way of a line its count,
/// and with `has_pictures` the picture of the last event. All of them belong to one device.
std::vector<std::pair<std::string, std::string>> discovery_of(const std::string& prefix,
                                                              const std::string& topic,
                                                              const WatchFacts& facts,
                                                              bool has_pictures);

}  // namespace cuesta::cli
