#include "apps/tune/server.hpp"

#include <fmt/format.h>
#include <httplib.h>

#include <thread>

#include "apps/tune/deadlines.hpp"
#include "cuesta/error.hpp"

namespace cuesta::cli::tune {
namespace {

const char* const loopback = "127.0.0.1";
// Connections that are not accepted yet.
constexpr int max_waiting = 512;
// Connections that are looked after at once; each has a thread.
constexpr size_t max_connections = 256;

// As long for every wrong one.
bool equal(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char different = 0;
  for (size_t i = 0; i < a.size(); ++i)
    different = (unsigned char)(different | (unsigned char)(a[i] ^ b[i]));
  return different == 0;
}

// What the page may load and be loaded by: its own files, and nothing.
const std::pair<const char*, const char*> protection[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' "
     "data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-store"}};

}  // namespace

struct Server::State {
  httplib::Server server;
  Handler handler;
  Deadlines deadlines;
  int port = 0;
  std::string token = new_token(), address;
  std::vector<std::string> hosts;
  socket_t listener = INVALID_SOCKET;

  bool is_ours(const httplib::Request& request) const {
    const auto named = [&](const std::string& name, const std::string& before) {
      for (const auto& host : hosts)
        if (name == before + host) return true;
      return false;
    };
    if (request.get_header_value_count("Host") != 1 || !named(request.get_header_value("Host"), ""))
      return false;
    if (request.has_header("Origin") && !named(request.get_header_value("Origin"), "http://"))
      return false;
    // Browsers say so themselves, also where a request has no Origin.
    const std::string site = request.get_header_value("Sec-Fetch-Site");
    if (site == "cross-site" || site == "same-site")
      if (request.get_header_value("Sec-Fetch-Mode") != "navigate") return false;
    const std::string& path = request.path;
    return path.size() >= token.size() + 2 && path[0] == '/' && path[token.size() + 1] == '/' &&
           equal(std::string_view(path).substr(1, token.size()), token);
  }
  void answer(const httplib::Request& request, httplib::Response& response) {
    deadlines.works(request.remote_port);
    const Reply reply = handler({.posts = request.method == "POST",
                                 .path = request.path.substr(token.size() + 2),
                                 .query = request.get_param_value("of"),
                                 .body = request.body});
    response.status = reply.status;
    for (const auto& [name, value] : reply.headers) response.set_header(name.c_str(), value);
    response.set_content(reply.body, reply.type.c_str());
    deadlines.answers(request.remote_port);
  }
};

Server::Server(int port, Handler handler) : state_(std::make_unique<State>()) {
  httplib::Server& server = state_->server;
  state_->handler = std::move(handler);
  server.set_payload_max_length(largest_body);
  server.set_read_timeout(5);
  server.set_write_timeout(30);
  // A connection that waits has a thread. Browsers keep six, and leave them when they are done;
  // more than that are somebody's who wants to keep the owner out.
  server.new_task_queue = [] { return new httplib::ThreadPool(max_connections); };
  server.set_keep_alive_timeout(1);
  server.set_keep_alive_max_count(100000);
  server.set_tcp_nodelay(true);
  // Not SO_REUSEPORT, which lets another program listen on the same port.
  server.set_socket_options([this](socket_t descriptor) {
    state_->listener = descriptor;
    const int yes = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  });
  server.set_pre_routing_handler(
      [this](const httplib::Request& request, httplib::Response& response) {
        for (const auto& [name, value] : protection) response.set_header(name, value);
        if (state_->is_ours(request)) return httplib::Server::HandlerResponse::Unhandled;
        response.status = 403;
        response.set_content("403: this address is not the tuner's page\n", "text/plain");
        return httplib::Server::HandlerResponse::Handled;
      });
  const auto answer = [this](const httplib::Request& request, httplib::Response& response) {
    state_->answer(request, response);
  };
  server.set_logger([this](const httplib::Request& request, const httplib::Response&) {
    state_->deadlines.done(request.remote_port);
  });
  server.Get("/.*", answer);
  server.Post("/.*", answer);

  const int got = port != 0 ? (server.bind_to_port(loopback, port) ? port : -1)
                            : server.bind_to_any_port(loopback);
  if (got < 0) {
    throw Error(
        ErrorCode::output,
        port != 0
            ? fmt::format(
                  "--port is {}, which is in use or not permitted; leave it out to use a free port",
                  port)
            : "tune: no port on 127.0.0.1 is available",
        std::to_string(port));
  }
  // httplib asks for 5. Of more at once, while nothing is accepted, Linux refuses some whose
  // request comes in two parts (SYN cookies, which only the first segment passes).
  ::listen(state_->listener, max_waiting);
  state_->port = got;
  state_->hosts = {fmt::format("{}:{}", loopback, got), fmt::format("localhost:{}", got)};
  state_->address = fmt::format("http://{}/{}/", state_->hosts[0], state_->token);
}

Server::~Server() = default;

const std::string& Server::address() const { return state_->address; }

int Server::descriptor() const { return state_->listener; }

void Server::run(const io::StopSignal& stop) {
  std::thread watcher([&] {
    while (!stop.wait(1)) state_->deadlines.enforce(state_->port);
    // A signal may come before the server does.
    while (!state_->server.is_running()) std::this_thread::yield();
    state_->server.stop();
  });
  state_->server.listen_after_bind();
  watcher.join();
}

}  // namespace cuesta::cli::tune
