#include "apps/watch/mqtt.hpp"

#include <charconv>
#include <utility>

#include "apps/watch/broker.hpp"
#include "cli/common.hpp"
#include "io/address.hpp"

namespace cuesta::cli {
namespace {

std::string decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const char* digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      out += char(byte);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// Parts `text` at `at`: what stands before it is returned, what behind it stays.
std::string_view take_until(std::string_view& text, size_t at) {
  const std::string_view head = text.substr(0, at);
  text = at == text.npos ? std::string_view() : text.substr(at + 1);
  return head;
}

constexpr std::string_view default_topic = "cuesta";

}  // namespace

std::string mqtt_below(const std::string& address, std::string_view level) {
  const size_t scheme = address.find("://");
  std::string all = address;
  if (scheme == all.npos) return all;  // which mqtt_address() will refuse
  const size_t topic = all.find('/', scheme + 3);
  if (topic == all.npos || topic + 1 == all.size())
    all = fmt::format("{}/{}", all.substr(0, topic), default_topic);
  while (all.ends_with('/')) all.pop_back();
  return fmt::format("{}/{}", all, level);
}

namespace {

// A password is in no message.
[[noreturn]] void fail_address(const MqttAddress& address, std::string_view why) {
  usage_error(
      address.shown,
      "--mqtt{}{}: {}; an address is mqtt://[user[:password]@]host[:port]/topic, or mqtts://",
      address.shown.empty() ? "" : " ", address.shown, why);
}

// host[:port], the host perhaps an IPv6 address in brackets.
void read_place(MqttAddress& address, std::string_view place) {
  const auto fail = [&](std::string_view why) { fail_address(address, why); };
  std::string_view port;
  if (place.starts_with('[')) {  // an IPv6 address
    place.remove_prefix(1);
    if (place.find(']') == place.npos) fail("a ] is missing");
    address.host = take_until(place, place.find(']'));
    if (!place.empty() && !place.starts_with(':')) fail("a : must separate host and port");
    if (!place.empty()) port = place.substr(1);
    if (place == ":") fail("the port is missing");
  } else {
    const bool has_port = place.find(':') != place.npos;
    address.host = take_until(place, place.find(':'));
    port = place;
    if (has_port && port.empty()) fail("the port is missing");
  }
  if (address.host.empty()) fail("the host is missing");
  if (!port.empty()) {
    const char* end = port.data() + port.size();
    const auto [read, error] = std::from_chars(port.data(), end, address.port);
    if (error != std::errc() || read != end || address.port < 1 || address.port > 65535)
      fail(fmt::format("the port is \"{}\"; it must be 1 to 65535", port));
  }
}

}  // namespace

MqttAddress mqtt_address(const std::string& text) {
  MqttAddress address;
  std::string_view rest = text;
  const auto fail = [&](std::string_view why) { fail_address(address, why); };
  const size_t scheme = rest.find("://");
  const std::string_view kind = rest.substr(0, scheme);
  if (scheme == rest.npos || (kind != "mqtt" && kind != "mqtts"))
    fail("it must begin with mqtt:// or mqtts://");
  address.is_tls = kind == "mqtts";
  if (address.is_tls) address.port = 8883;
  rest.remove_prefix(scheme + 3);
  std::string_view place = take_until(rest, rest.find('/'));
  address.topic = decoded(rest.empty() ? default_topic : rest);
  const bool has_user = place.find('@') != place.npos;
  if (const size_t at = place.rfind('@'); at != place.npos) {
    std::string_view user = take_until(place, at);
    address.user = decoded(take_until(user, user.find(':')));
    address.password = decoded(user);
    if (address.user.empty()) fail("a password requires a user");
  }
  address.shown = fmt::format("{}://{}", kind, place);
  // What looks like host and port is a user and the first part of a password.
  if (!has_user && place.find(':') != place.npos && rest.find('@') != rest.npos) {
    address.shown = io::without_password(text);
    fail("in a user or password, / must be written as %2F");
  }
  read_place(address, place);
  while (address.topic.ends_with('/')) address.topic.pop_back();
  if (address.topic.empty() ||
      address.topic.find_first_of(std::string_view("+#\0", 3)) != std::string::npos ||
      address.topic.starts_with('$') || address.topic.size() > 1000)
    fail(fmt::format("the topic is \"{}\"; it must not contain + or # or begin with $",
                     address.topic));
  if (!has_mqtt()) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("--mqtt {}: this build of Cuesta has no MQTT; build it with libmosquitto",
                    address.shown),
        address.shown);
  }
  return address;
}

namespace {

class Topics final : public EventSink {
 public:
  Topics(const MqttAddress& address, int qos, bool has_objects, const WatchFacts& facts)
      : facts_(facts), has_objects_(has_objects), broker_(address, qos) {}

  void began(const Event& event) override { tell(event, "began"); }
  void ended(const Event& event) override { tell(event, "ended"); }
  void frame(const io::Frame& frame, const SceneStep& step) override {
    const bool shows = !step.objects.empty();
    if (!has_objects_ || (!std::exchange(showed_, shows) && !shows)) return;
    Json objects = Json::array();
    for (const TrackedObject& object : step.objects) objects.push_back(json_of(object, facts_));
    Json line = {{"kind", "frame"},
                 {"frame", frame.index},
                 {"time", frame.time},
                 {"objects", std::move(objects)}};
    put_clock(line, "clock", facts_.clock, frame.time);
    broker_.publish("objects", line_of(of_camera(facts_.camera, std::move(line))));
  }
  void finish() override { broker_.finish(); }

 private:
  void tell(const Event& event, const char* state) {
    broker_.publish("events", line_of(notice_of(event, state, facts_)));
  }

  const WatchFacts& facts_;
  bool has_objects_, showed_ = false;
  Broker broker_;
};

}  // namespace

std::unique_ptr<EventSink> mqtt_topics(const std::string& address, int qos, bool has_objects,
                                       const WatchFacts& facts) {
  return std::make_unique<Topics>(mqtt_address(address), qos, has_objects, facts);
}

}  // namespace cuesta::cli
