// A connection to an MQTT broker that is kept, and what waits for it.
#pragma once

#include <memory>
#include <string>

#include "apps/watch/mqtt.hpp"

namespace cuesta::cli {

/// Whether this build has a client library.
bool has_mqtt();

/// Messages go from a thread of their own, which seeks a lost broker again, after half a second and
/// ever longer, to 30 seconds. 1000 wait at most; then the oldest is lost, one of a topic that
/// comes with every frame before an event. With `qos` 1 and 2 a message is kept until the broker
/// has confirmed it; with 0 those that are in flight when the connection breaks are lost.
class Broker {
 public:
  Broker(MqttAddress address, int qos);
  Broker(const Broker&) = delete;
  Broker& operator=(const Broker&) = delete;
  ~Broker();

  /// Returns at once. `below` the address' topic: "events", or "objects", which matter less.
  void publish(const char* below, std::string text);
  /// Returns at once. A state, which the broker retains under the whole `topic`. The last text of
  /// each is sent again on every connection.
  void keep(std::string topic, std::string text);
  /// Waits for what is not confirmed yet, 5 seconds at most, says how many messages were lost, and
  /// takes leave.
  void finish();

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace cuesta::cli
