#include "apps/watch/broker.hpp"

#include <utility>

#if defined(CUESTA_HAS_MQTT)
#include <linux/tcp.h>
#include <mosquitto.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <system_error>
#include <thread>
#endif

#include "cli/common.hpp"

namespace cuesta::cli {

#if defined(CUESTA_HAS_MQTT)

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr size_t max_waiting = 1000, max_unconfirmed = 20;
constexpr double first_delay = 0.5, longest_delay = 30;  // between two attempts; doubled
constexpr double connect_seconds = 10, last_seconds = 5, leave_seconds = 1;
constexpr int keep_alive = 30;  // seconds
// What a broker may send a client that subscribes to nothing: its greeting, certificates of TLS,
// answers of a few bytes to messages and pings.
constexpr uint64_t greeting_bytes = 16384, bytes_a_message = 256, bytes_a_second = 64;
constexpr int receive_buffer = 8192;  // so that a flood is seen before it is read

Clock::duration in_seconds(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
}

// The library is begun once a process, and ended with it.
void begin_library() {
  static const struct Library {
    Library() { mosquitto_lib_init(); }
    ~Library() { mosquitto_lib_cleanup(); }
  } library;
}

struct Message {
  std::string topic, text;
  bool is_kept = false;  // by the broker
};
struct State {
  std::string text;
  bool waits = false;
};

}  // namespace

bool has_mqtt() { return true; }

// The library's functions are called by the thread alone.
class Broker::Work {
 public:
  Work(MqttAddress address, int qos)
      : address_(std::move(address)), qos_(qos), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (wake_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
    begin_library();
    client_.reset(mosquitto_new(nullptr, true, this));
    if (!client_) {
      close(wake_);
      throw std::bad_alloc();
    }
    mosquitto* m = client_.get();
    if (!address_.user.empty())
      mosquitto_username_pw_set(m, address_.user.c_str(), address_.password.c_str());
    if (address_.is_tls) mosquitto_int_option(m, MOSQ_OPT_TLS_USE_OS_CERTS, 1);
    mosquitto_will_set(m, topic("status").c_str(), 7, "offline", 1, true);
    mosquitto_connect_callback_set(m, [](mosquitto*, void* self, int refusal) {
      static_cast<Work*>(self)->answered(refusal);
    });
    mosquitto_publish_callback_set(m, [](mosquitto*, void* self, int message) {
      static_cast<Work*>(self)->confirmed(message);
    });
    thread_ = std::thread([this] { run(); });
  }
  ~Work() {
    finish(0);
    close(wake_);
  }

  void publish(const char* below, std::string text) {
    {
      const std::lock_guard lock(mutex_);
      queue({topic(below), std::move(text)}, std::string_view(below) == "events");
    }
    wake();
  }

  void keep(std::string topic, std::string text) {
    {
      const std::lock_guard lock(mutex_);
      State& state = states_[topic];
      if (state.text == text) return;
      state.text = text;
      // A new connection begins with the states, so that none is sent after a newer one.
      if (!is_there_) state.waits = true;
      if (state.waits) return;
      queue({std::move(topic), std::move(text), true}, true);
    }
    wake();
  }

  void finish(double seconds) {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      is_last_ = true;
      until_ = Clock::now() + in_seconds(seconds);
    }
    wake();
    thread_.join();
    lost_ += int64_t(events_.size() + others_.size()) + unconfirmed_;
    if (lost_ > 0) tell(fmt::format("{} of {} messages were lost", lost_, told_));
  }

 private:
  void queue(Message message, bool is_event) {
    if (events_.size() + others_.size() >= max_waiting) {
      (others_.empty() ? events_ : others_).pop_front();
      ++lost_;
    }
    (is_event ? events_ : others_).push_back(std::move(message));
    ++told_;
  }
  static bool waits(const std::pair<const std::string, State>& one) { return one.second.waits; }
  std::string topic(const char* below) const { return address_.topic + "/" + below; }
  void tell(const std::string& what) const { warn("--mqtt {}: {}", address_.shown, what); }
  void wake() const {
    const uint64_t one = 1;
    (void)!::write(wake_, &one, sizeof one);
  }

  // ---- on the thread

  void run() {
    auto again = Clock::now();
    double delay = first_delay;
    while (!is_over()) {
      if (is_ending()) again = std::min(again, lost_at_ + in_seconds(first_delay));
      if (link_ == Link::away && Clock::now() >= again) begin_connection();
      if (link_ == Link::there) {
        delay = first_delay;
        hand_over();
      }
      if (link_ != Link::away) {
        pass_bytes();
      } else {
        wait_for(-1, 0, Seconds(again - Clock::now()).count());
      }
      if (std::exchange(was_lost_, false)) {
        again = lost_at_ + in_seconds(delay);
        delay = std::min(2 * delay, longest_delay);
      }
    }
    leave();
  }

  bool is_ending() {
    const std::lock_guard lock(mutex_);
    return is_last_;
  }
  bool is_over() {
    const std::lock_guard lock(mutex_);
    return is_last_ && ((events_.empty() && others_.empty() && unconfirmed_ == 0 &&
                         std::ranges::none_of(states_, waits)) ||
                        Clock::now() >= until_);
  }

  void begin_connection() {
    link_ = Link::asking;
    asked_ = Clock::now();
    const int error =
        mosquitto_connect_async(client_.get(), address_.host.c_str(), address_.port, keep_alive);
    if (error != MOSQ_ERR_SUCCESS) return lose(words(error));
    sent_ = 0;
    setsockopt(mosquitto_socket(client_.get()), SOL_SOCKET, SO_RCVBUF, &receive_buffer,
               sizeof receive_buffer);
  }

  // Whether more has come than answers.
  bool is_flooded(int socket) const {
    tcp_info info{};
    socklen_t size = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return false;
    const auto seconds = uint64_t(Seconds(Clock::now() - asked_).count());
    return info.tcpi_bytes_received >
           greeting_bytes + bytes_a_message * sent_ + bytes_a_second * seconds;
  }

  void answered(int refusal) {
    if (refusal != 0) return lose(mosquitto_connack_string(refusal));
    link_ = Link::there;
    {
      const std::lock_guard lock(mutex_);
      is_there_ = true;
      for (auto& [name, state] : states_) state.waits = true;
    }
    publish_status("online");
    if (!is_told_) return;
    is_told_ = false;
    const std::lock_guard lock(mutex_);
    tell(fmt::format("back after {:.1f} s{}", Seconds(Clock::now() - away_since_).count(),
                     lost_ > 0 ? fmt::format("; {} messages were lost so far", lost_) : ""));
  }

  void publish_status(const char* text) {
    int message = 0;
    if (mosquitto_publish(client_.get(), &message, topic("status").c_str(), int(std::strlen(text)),
                          text, 1, true) == MOSQ_ERR_SUCCESS)
      status_.insert(message);
  }

  void confirmed(int message) {
    if (status_.erase(message) == 0) --unconfirmed_;
  }

  // The next message: states of a new connection, then events, then the rest.
  bool take(Message& message) {
    const std::lock_guard lock(mutex_);
    for (auto& [name, state] : states_) {
      if (!std::exchange(state.waits, false)) continue;
      message = {name, state.text, true};
      ++told_;
      return true;
    }
    auto& from = events_.empty() ? others_ : events_;
    if (from.empty()) return false;
    message = std::move(from.front());
    from.pop_front();
    return true;
  }

  void hand_over() {
    while (link_ == Link::there && unconfirmed_ < int64_t(max_unconfirmed)) {
      Message message;
      if (!take(message)) return;
      ++sent_;
      ++unconfirmed_;  // one of QoS 0 is confirmed before the call returns
      const int error =
          mosquitto_publish(client_.get(), nullptr, message.topic.c_str(), int(message.text.size()),
                            message.text.data(), qos_, message.is_kept);
      if (error == MOSQ_ERR_SUCCESS) continue;
      if (error == MOSQ_ERR_NO_CONN || error == MOSQ_ERR_CONN_LOST || error == MOSQ_ERR_ERRNO)
        return lose(words(error));  // of QoS 1 and 2 the library has kept it
      --unconfirmed_;
      tell(fmt::format("a message cannot be published: {}", words(error)));
      const std::lock_guard lock(mutex_);
      ++lost_;
    }
  }

  // Waits for the broker, for messages, for half a second; moves what there is.
  void pass_bytes() {
    mosquitto* m = client_.get();
    const int socket = mosquitto_socket(m);
    if (socket < 0) return lose("the connection was closed");
    const short events =
        wait_for(socket, short(POLLIN | (mosquitto_want_write(m) ? POLLOUT : 0)), 0.5);
    if (link_ == Link::asking) {
      int error = 0;
      socklen_t size = sizeof error;
      if ((events & (POLLERR | POLLHUP)) &&
          getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error != 0)
        return lose(std::strerror(error));
      if (Clock::now() - asked_ > in_seconds(connect_seconds))
        return lose(fmt::format("no answer in {:g} s", connect_seconds));
    }
    // What TLS has read already shows on no socket, so that reading is tried until nothing comes.
    int error = MOSQ_ERR_SUCCESS;
    for (int64_t before = -1; error == MOSQ_ERR_SUCCESS && before != unconfirmed_;) {
      before = unconfirmed_;
      if (is_flooded(socket)) return lose("it sends what nobody subscribed to");
      error = mosquitto_loop_read(m, 1);
    }
    if (error == MOSQ_ERR_SUCCESS && mosquitto_want_write(m)) error = mosquitto_loop_write(m, 1);
    if (error == MOSQ_ERR_SUCCESS) error = mosquitto_loop_misc(m);
    if (error != MOSQ_ERR_SUCCESS) lose(words(error));
  }

  void lose(const std::string& why) {
    if (link_ == Link::away) return;
    const bool was_there = link_ == Link::there;
    link_ = Link::away;
    was_lost_ = true;
    const std::lock_guard lock(mutex_);
    is_there_ = false;
    told_ -= int64_t(std::erase_if(events_, [](const Message& one) { return one.is_kept; }));
    for (auto& [name, state] : states_) state.waits = true;
    if (qos_ == 0) lost_ += std::exchange(unconfirmed_, 0);
    lost_at_ = Clock::now();
    if (std::exchange(is_told_, true)) return;
    away_since_ = lost_at_;
    tell(fmt::format("{}: {}{}", was_there ? "lost" : "cannot be reached", why,
                     is_last_ ? "" : "; seeking it again"));
  }

  // Takes leave of a broker that is there; else it publishes the will.
  void leave() {
    mosquitto* m = client_.get();
    if (link_ == Link::there) {
      publish_status("offline");
      const auto until = Clock::now() + in_seconds(leave_seconds);
      while (link_ == Link::there && !status_.empty() && Clock::now() < until) pass_bytes();
    }
    if (link_ != Link::away) mosquitto_disconnect(m);
  }

  short wait_for(int socket, short wanted, double seconds) {
    std::array<pollfd, 2> watched{{{wake_, POLLIN, 0}, {socket, wanted, 0}}};
    poll(watched.data(), socket < 0 ? 1 : 2, int(std::clamp(seconds, 0.0, 0.5) * 1000) + 1);
    uint64_t count = 0;
    if (watched[0].revents) (void)!::read(wake_, &count, sizeof count);
    return watched[1].revents;
  }

  static std::string words(int error) {
    return error == MOSQ_ERR_ERRNO ? std::strerror(errno) : mosquitto_strerror(error);
  }

  struct Destroy {
    void operator()(mosquitto* client) const { mosquitto_destroy(client); }
  };
  enum class Link : uint8_t { away, asking, there };

  const MqttAddress address_;
  const int qos_;
  const int wake_;  // an eventfd
  std::unique_ptr<mosquitto, Destroy> client_;

  std::mutex mutex_;
  std::deque<Message> events_, others_;  // that wait; events go first
  std::map<std::string, State> states_;  // by topic
  int64_t told_ = 0, lost_ = 0;
  bool is_last_ = false, is_there_ = false;
  Clock::time_point until_{};

  // The thread's own.
  Link link_ = Link::away;
  Clock::time_point asked_{}, lost_at_{}, away_since_{};
  bool was_lost_ = false, is_told_ = false;
  int64_t unconfirmed_ = 0;
  uint64_t sent_ = 0;     // messages, on this connection
  std::set<int> status_;  // messages of it that are not confirmed

  std::thread thread_;
};

Broker::Broker(MqttAddress address, int qos)
    : work_(std::make_unique<Work>(std::move(address), qos)) {}
Broker::~Broker() = default;
void Broker::publish(const char* below, std::string text) {
  work_->publish(below, std::move(text));
}
void Broker::keep(std::string topic, std::string text) {
  work_->keep(std::move(topic), std::move(text));
}
void Broker::finish() { work_->finish(last_seconds); }

#else

bool has_mqtt() { return false; }

class Broker::Work {};
Broker::Broker(MqttAddress, int) {}
Broker::~Broker() = default;
void Broker::publish(const char*, std::string) {}
void Broker::keep(std::string, std::string) {}
void Broker::finish() {}

#endif

}  // namespace cuesta::cli
