// Time limits of the tuner's requests. The HTTP library limits each read alone, so that one byte
// every few seconds keeps a connection, and its thread, for hours.
#pragma once

#include <chrono>
#include <map>
#include <mutex>

namespace cuesta::cli::tune {

class Deadlines {
 public:
  /// A request must have come within `asking` of the connection's begin or the last answer, and an
  /// answer must have been taken within `taking`. What is computed between them has no limit here.
  using Seconds = std::chrono::duration<double>;
  static constexpr Seconds asking{10}, taking{60};

  /// Of the connection from this port of the loopback, which has sent its request: it is worked on,
  /// its answer is being sent, all was taken.
  void works(int port) { set(port, Stage::works); }
  void answers(int port) { set(port, Stage::answers); }
  void done(int port) { set(port, Stage::asks); }

  /// Ends connections to `listening` that are too late. Called once a second.
  void enforce(int listening);

 private:
  using Clock = std::chrono::steady_clock;
  enum class Stage : unsigned char { asks, works, answers };
  struct Connection {
    Stage stage = Stage::asks;
    Clock::time_point since = Clock::now();
    bool is_there = true;
  };
  void set(int port, Stage stage);

  std::mutex mutex_;
  std::map<int, Connection> connections_;  // by the port at their other end
};

}  // namespace cuesta::cli::tune
