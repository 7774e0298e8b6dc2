// A server of pages: HTTP for one page and whoever has its address.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuesta/io/stop.hpp"

namespace cuesta::cli::web {

struct HttpRequest {
  bool posts = false;
  std::string path{};   ///< behind the token, without its first slash: "result"
  std::string query{};  ///< of a GET, the value of its one parameter, `of`; else empty
  std::string body{};
};

/// Bytes that are read while they are sent, by parts of any size.
class Source {
 public:
  virtual ~Source() = default;
  virtual size_t size() const = 0;
  /// Up to `most` bytes from `offset` on, from any thread; empty where they cannot be read.
  virtual std::string read(size_t offset, size_t most) const = 0;
};

struct Reply {
  int status = 200;
  std::string type = "application/json";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};  ///< replace the server's own
  std::shared_ptr<const Source> source{};  ///< in place of `body`; browsers may ask for parts
};

struct ServerOptions {
  std::string host = "127.0.0.1";  ///< an address of this machine, as numbers
  int port = 0;                    ///< 0: a free one
  std::string token{};             ///< empty: a new one
  std::string page = "this page";  ///< what refusals call it
  std::string refusal{};           ///< the error where the port is not available
  size_t connections = 256;        ///< that are looked after at once, each by a thread
};

/// Answers requests, several at once. A request gets 403 unless its address begins with the token,
/// its Host is this server, and its Origin, where it has one, too: other pages that a browser
/// shows, names that point here (DNS rebinding) and other users of the machine get nothing. On an
/// address of the network, its Host may also be the machine's name or, where the server listens on
/// every address, any address in numbers. Bodies have at most `largest_body` bytes, and each
/// request the time that Deadlines gives. Further connections wait.
class Server {
 public:
  static constexpr size_t largest_body = size_t(1) << 20;
  using Handler = std::function<Reply(const HttpRequest&)>;

  /// Takes the port. Throws Error{output} with `refusal` where it is not available,
  /// Error{unsupported} in a build without an HTTP server.
  Server(ServerOptions options, Handler handler);
  ~Server();

  /// "http://127.0.0.1:40123/TOKEN/".
  const std::string& address() const;
  /// The same without the token: "http://127.0.0.1:40123/".
  std::string root() const;
  /// The socket that it listens on.
  int descriptor() const;
  /// Answers until the signal comes, which ends connections, too.
  void run(const io::StopSignal& stop);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// 32 random characters of the system's source. Throws Error{device} where there is none.
std::string new_token();

/// Whether an address in numbers is the machine's own: 127.0.0.0/8 or ::1.
bool is_loopback(std::string_view host);
/// Whether it is an address in numbers, IPv4 or IPv6.
bool is_numeric(std::string_view host);

/// What the page may load and be loaded by: its own files, and nothing. `scripts` is a source of
/// scripts and styles: 'self', or a nonce.
std::string policy(std::string_view scripts);

}  // namespace cuesta::cli::web
