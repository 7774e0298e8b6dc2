// --mqtt: events, and objects where they are requested, to an MQTT broker.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cli/event_sink.hpp"

namespace cuesta::cli {

/// mqtt://[user[:password]@]host[:port][/topic]; mqtts with TLS. In user, password and topic %XX
/// stands for a byte.
struct MqttAddress {
  bool is_tls = false;
  std::string host{};
  int port = 1883;  ///< 8883 with TLS
  std::string user{}, password{};
  std::string topic{};  ///< what is published stands below it; "cuesta" where the address has none
  std::string shown{};  ///< scheme, host and port, for messages
};
/// Throws Error{invalid_argument}: another scheme, no host, a port that is none, a topic with + or
/// #; Error{unsupported} in a build without MQTT.
MqttAddress mqtt_address(const std::string& text);

/// The address of a topic below the one of this address.
std::string mqtt_below(const std::string& address, std::string_view level);

/// What is published.
struct MqttOptions {
  int qos = 1;
  bool has_objects = false, has_pictures = false;
  std::string discovery{};  ///< the prefix of Home Assistant's discovery; empty for none
};

/// Throws Error{invalid_argument} for a prefix that is no topic.
void check_discovery(const std::string& prefix);

/// Publishes TOPIC/events, the line that --on-event gives its program, when an event begins and
/// ends; with `has_objects` TOPIC/objects, one message a frame with objects and one for the first
/// without; TOPIC/status, retained, is "online" or "offline", also after a crash. With
/// `has_pictures` TOPIC/picture, retained, is a JPEG of the event, when it begins and when it ends.
/// States are retained as well: TOPIC/motion, ON during an event; for each zone TOPIC/zones/ZONE,
/// ON while it is occupied, and below it /motion, /level and /state (JSON); for each way of a line
/// TOPIC/lines/LINE/WAY, its count. Nothing waits for
/// the broker but finish(), 5 seconds at most; what could not be published is reported as a
/// warning.
std::unique_ptr<EventSink> mqtt_topics(const std::string& address, const MqttOptions& options,
                                       const WatchFacts& facts);

}  // namespace cuesta::cli
