// The tuner's server: HTTP on the loopback, for one page and nobody else.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/stop.hpp"

namespace cuesta::cli::tune {

struct HttpRequest {
  bool posts = false;
  std::string path{};   ///< behind the token, without its first slash: "result"
  std::string query{};  ///< of a GET, the value of its one parameter, `of`; else empty
  std::string body{};
};

struct Reply {
  int status = 200;
  std::string type = "application/json";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};
};

/// Answers requests on 127.0.0.1, several at once. A request gets 403 unless its address begins
/// with the token, its Host is this server, and its Origin, where it has one, too: other pages that
/// a browser shows, names that point here (DNS rebinding) and other users of the machine get
/// nothing. Bodies have at most `largest_body` bytes, and each request the time that Deadlines
/// gives.
class Server {
 public:
  static constexpr size_t largest_body = size_t(1) << 20;
  using Handler = std::function<Reply(const HttpRequest&)>;

  /// Takes the port; 0: a free one. Throws Error{output} where it is not available,
  /// Error{unsupported} in a build without an HTTP server.
  Server(int port, Handler handler);
  ~Server();

  /// "http://127.0.0.1:40123/TOKEN/".
  const std::string& address() const;
  /// The socket that it listens on.
  int descriptor() const;
  /// Answers until the signal comes.
  void run(const io::StopSignal& stop);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// 32 random characters of the system's source. Throws Error{device} where there is none.
std::string new_token();

}  // namespace cuesta::cli::tune
