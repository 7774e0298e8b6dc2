#include "apps/watch/mqtt.hpp"

#include <charconv>
#include <chrono>
#include <utility>
#include <vector>

#include "apps/watch/broker.hpp"
#include "apps/watch/home_assistant.hpp"
#include "apps/watch/pictures.hpp"
#include "cli/common.hpp"
#include "cuesta/io/address.hpp"

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
  Topics(const MqttAddress& address, const MqttOptions& options, const WatchFacts& facts)
      : facts_(facts),
        has_objects_(options.has_objects),
        has_pictures_(options.has_pictures),
        topic_(address.topic),
        counts_(facts.lines.size()),
        level_times_(facts.zones.size()),
        broker_(address, options.qos) {
    if (!options.discovery.empty())
      for (auto& [topic, text] : discovery_of(options.discovery, topic_, facts, has_pictures_))
        broker_.keep(std::move(topic), std::move(text));
    keep("motion", "OFF");
    keep("blind", "OFF");
    for (size_t i = 0; i < facts.zones.size(); ++i) keep_zone(i, {}, {});
    for (size_t i = 0; i < facts.lines.size(); ++i) keep_counts(i);
  }

  void began(const Event& event) override {
    tell(event, "began");
    keep("motion", "ON");
    keep_picture();
  }
  void ended(const Event& event) override {
    tell(event, "ended");
    keep("motion", "OFF");
    keep_picture();
    picture_.clear();
  }
  void blinded() override { keep("blind", "ON"); }
  void unblinded(const BlindTime& blind) override {
    keep("blind", "OFF");
    keep("blind/state", line_of(json_of(blind, facts_.clock)));
  }
  void frame(const io::Frame& frame, const SceneStep& step) override {
    last_ = {frame.index, frame.time};
    if (has_pictures_) picture_.see(frame, step, facts_.format);
    for (size_t i = 0; i < step.zones.size(); ++i) keep_zone(i, step.zones[i], last_);
    for (const Crossing& c : step.crossings) {
      ++(c.to_right ? counts_[c.line].to_right : counts_[c.line].to_left);
      keep_counts(c.line);
    }
    const bool shows = !step.objects.empty();
    if (!has_objects_ || (!std::exchange(showed_, shows) && !shows)) return;
    Json objects = Json::array();
    for (const TrackedObject& object : step.objects) objects.push_back(json_of(object, facts_));
    Json line = {{"kind", "frame"},
                 {"frame", frame.index},
                 {"time", frame.time},
                 {"objects", std::move(objects)}};
    put_scores(line, step.score, step.zones, facts_);
    put_clock(line, "clock", facts_.clock, frame.time);
    broker_.publish("objects", line_of(of_camera(facts_.camera, std::move(line))));
  }
  void finish() override {
    keep("motion", "OFF");
    for (size_t i = 0; i < facts_.zones.size(); ++i)
      keep_zone(i, {.since = last_, .changed = true}, last_);
    broker_.finish();
  }

 private:
  using Clock = std::chrono::steady_clock;

  void keep(const std::string& below, std::string text) {
    broker_.keep(topic_ + "/" + below, std::move(text));
  }
  void keep_zone(size_t i, const ZoneState& zone, FrameTime at) {
    if (!facts_.has_state(i)) return;
    const std::string below = zone_topic(facts_, i);
    const auto now = Clock::now();
    // A level changes with every frame; once a second suffices.
    const bool is_due = now - level_times_[i] >= std::chrono::seconds(1);
    if (!zone.changed && !is_due) return;
    level_times_[i] = now;
    keep(below, zone.occupied ? "ON" : "OFF");
    keep(below + "/motion", zone.motion ? "ON" : "OFF");
    keep(below + "/level", std::to_string(zone.level()));
    if (zone.changed || at.index == 0)
      keep(below + "/state", line_of(json_of(zone, i, at, facts_)));
  }
  void keep_counts(size_t line) {
    for (const bool right : {true, false})
      keep(line_topic(facts_, line, right),
           std::to_string(right ? counts_[line].to_right : counts_[line].to_left));
  }
  void keep_picture() {
    if (std::string jpeg = picture_.jpeg(); !jpeg.empty()) keep("picture", std::move(jpeg));
  }
  void tell(const Event& event, const char* state) {
    broker_.publish("events", line_of(notice_of(event, state, facts_)));
  }

  const WatchFacts& facts_;
  bool has_objects_, has_pictures_, showed_ = false;
  EventPicture picture_;
  std::string topic_;
  std::vector<LineCount> counts_;
  std::vector<Clock::time_point> level_times_;
  FrameTime last_{};
  Broker broker_;
};

}  // namespace

void check_discovery(const std::string& prefix) {
  if (prefix.empty() || prefix.front() == '$' || prefix.back() == '/' ||
      prefix.find_first_of(std::string_view("+#\0", 3)) != prefix.npos)
    usage_error(prefix,
                "--mqtt-discovery is \"{}\"; it must be a topic, as homeassistant, without + or #",
                prefix);
}

std::unique_ptr<EventSink> mqtt_topics(const std::string& address, const MqttOptions& options,
                                       const WatchFacts& facts) {
  return std::make_unique<Topics>(mqtt_address(address), options, facts);
}

}  // namespace cuesta::cli
