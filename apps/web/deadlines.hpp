// Time limits of requests. The HTTP library limits each read alone, so that one byte
// every few seconds keeps a connection, and its thread, for hours.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace cuesta::cli::web {

class Deadlines {
 public:
  /// A request must have come within `asking` of the connection's begin or the last answer, and an
  /// answer must have been taken within `taking`. What is computed between them has no limit here.
  using Seconds = std::chrono::duration<double>;
  static constexpr Seconds asking{10}, taking{60};

  /// The other end of a connection: its address, as numbers, and its port.
  using Peer = std::pair<std::string, int>;

  /// Of a connection that has sent its request: it is worked on, its answer (a part of it, too) is
  /// being sent, all was taken.
  void works(const Peer& peer) { set(peer, Stage::works); }
  void answers(const Peer& peer) { set(peer, Stage::answers); }
  void done(const Peer& peer) { set(peer, Stage::asks); }

  /// Ends connections to the port `listening` that are too late, or `all`. Called once a second.
  void enforce(int listening, bool all = false);

 private:
  using Clock = std::chrono::steady_clock;
  enum class Stage : unsigned char { asks, works, answers };
  struct Connection {
    Stage stage = Stage::asks;
    Clock::time_point since = Clock::now();
    bool is_there = true;
  };
  void set(const Peer& peer, Stage stage);

  std::mutex mutex_;
  std::map<Peer, Connection> connections_;
};

}  // namespace cuesta::cli::web
