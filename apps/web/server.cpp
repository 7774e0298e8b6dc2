#include "apps/web/server.hpp"

#include <fmt/format.h>
#include <httplib.h>

#include <atomic>
#include <semaphore>
#include <thread>

#include "apps/web/deadlines.hpp"
#include "cuesta/error.hpp"

namespace cuesta::cli::web {
namespace {

// Connections that are not accepted yet.
constexpr int max_waiting = 512;
constexpr size_t part_size = size_t(1) << 16;

// As long for every wrong one.
bool equal(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char different = 0;
  for (size_t i = 0; i < a.size(); ++i)
    different = (unsigned char)(different | (unsigned char)(a[i] ^ b[i]));
  return different == 0;
}

const std::pair<const char*, const char*> protection[] = {
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-store"}};

// Accepts no more connections than it has threads: those that wait have no descriptor of this
// process yet.
class Connections final : public httplib::TaskQueue {
 public:
  explicit Connections(size_t most) : free_(std::ptrdiff_t(most)), threads_(most) {}
  // Newer versions of the library return a bool.
  auto enqueue(std::function<void()> work)
      -> decltype(std::declval<httplib::TaskQueue&>().enqueue(work)) override {
    free_.acquire();
    return threads_.enqueue([this, work = std::move(work)] {
      work();
      free_.release();
    });
  }
  void shutdown() override { threads_.shutdown(); }

 private:
  std::counting_semaphore<> free_;
  httplib::ThreadPool threads_;
};

std::string in_address(const std::string& host) {
  return host.find(':') == host.npos ? host : "[" + host + "]";
}

std::string name_of_machine() {
  char name[256] = "";
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

}  // namespace

bool is_numeric(std::string_view host) {
  const std::string text(host);
  in6_addr address{};
  return inet_pton(AF_INET, text.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

bool is_loopback(std::string_view host) {
  return is_numeric(host) && (host.starts_with("127.") || host == "::1");
}

std::string policy(std::string_view scripts) {
  return fmt::format(
      "default-src 'none'; script-src {0}; style-src {0}; connect-src 'self'; img-src 'self' "
      "data:; media-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      scripts);
}

struct Server::State {
  State(ServerOptions o, Handler h) : options(std::move(o)), handler(std::move(h)) {
    if (options.token.empty()) options.token = new_token();
  }

  ServerOptions options;
  Handler handler;
  httplib::Server server;
  Deadlines deadlines;
  int port = 0;
  std::string root, address;
  std::vector<std::string> hosts;
  socket_t listener = INVALID_SOCKET;

  // Browsers leave out the port of http.
  void name(const std::string& host) {
    hosts.push_back(fmt::format("{}:{}", host, port));
    if (port == 80) hosts.push_back(host);
  }
  void take(int taken) {
    port = taken;
    const bool is_everywhere = options.host == "0.0.0.0" || options.host == "::";
    const std::string machine = name_of_machine();
    name(is_everywhere ? machine : in_address(options.host));
    if (options.host == "127.0.0.1" || options.host == "::1" || is_everywhere) name("localhost");
    if (!is_loopback(options.host)) {
      name(machine);
      name(machine + ".local");
    }
    root = fmt::format("http://{}/", hosts[0]);
    address = root + options.token + "/";
  }
  bool is_host(std::string host) const {
    if (std::find(hosts.begin(), hosts.end(), host) != hosts.end()) return true;
    if (options.host != "0.0.0.0" && options.host != "::") return false;
    const std::string end = fmt::format(":{}", port);
    if (host.ends_with(end))
      host.resize(host.size() - end.size());
    else if (port != 80)
      return false;
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    return is_numeric(host);
  }

  bool is_ours(const httplib::Request& request) const {
    constexpr std::string_view scheme = "http://";
    if (request.get_header_value_count("Host") != 1 || !is_host(request.get_header_value("Host")))
      return false;
    if (request.has_header("Origin")) {
      const std::string origin = request.get_header_value("Origin");
      if (!origin.starts_with(scheme) || !is_host(origin.substr(scheme.size()))) return false;
    }
    // Browsers say so themselves, also where a request has no Origin.
    const std::string site = request.get_header_value("Sec-Fetch-Site");
    if (site == "cross-site" || site == "same-site")
      if (request.get_header_value("Sec-Fetch-Mode") != "navigate") return false;
    const std::string &path = request.path, &token = options.token;
    return path.size() >= token.size() + 2 && path[0] == '/' && path[token.size() + 1] == '/' &&
           equal(std::string_view(path).substr(1, token.size()), token);
  }

  void answer(const httplib::Request& request, httplib::Response& response) {
    const Deadlines::Peer peer(request.remote_addr, request.remote_port);
    deadlines.works(peer);
    Reply reply = handler({.posts = request.method == "POST",
                           .path = request.path.substr(options.token.size() + 2),
                           .query = request.get_param_value("of"),
                           .body = request.body});
    for (const auto& [header, value] : reply.headers) {
      response.headers.erase(header);
      response.set_header(header.c_str(), value);
    }
    if (reply.source) {
      response.set_content_provider(reply.source->size(), reply.type.c_str(),
                                    [this, peer, source = reply.source](
                                        size_t offset, size_t length, httplib::DataSink& sink) {
                                      deadlines.answers(peer);
                                      const std::string part =
                                          source->read(offset, std::min(length, part_size));
                                      return !part.empty() && sink.write(part.data(), part.size());
                                    });
    } else {
      response.status = reply.status;
      response.set_content(reply.body, reply.type.c_str());
    }
    deadlines.answers(peer);
  }
};

Server::Server(ServerOptions options, Handler handler)
    : state_(std::make_unique<State>(std::move(options), std::move(handler))) {
  httplib::Server& server = state_->server;
  server.set_payload_max_length(largest_body);
  server.set_read_timeout(5);
  server.set_write_timeout(30);
  // A connection that waits has a thread. Browsers keep six, and leave them when they are done;
  // more than that are somebody's who wants to keep the owner out.
  server.new_task_queue = [most = state_->options.connections] { return new Connections(most); };
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
        response.set_header("Content-Security-Policy", policy("'self'"));
        for (const auto& [name, value] : protection) response.set_header(name, value);
        if (state_->is_ours(request)) return httplib::Server::HandlerResponse::Unhandled;
        response.status = 403;
        response.set_content(fmt::format("403: this address is not {}\n", state_->options.page),
                             "text/plain");
        return httplib::Server::HandlerResponse::Handled;
      });
  const auto answer = [this](const httplib::Request& request, httplib::Response& response) {
    state_->answer(request, response);
  };
  server.set_logger([this](const httplib::Request& request, const httplib::Response&) {
    state_->deadlines.done({request.remote_addr, request.remote_port});
  });
  server.Get("/.*", answer);
  server.Post("/.*", answer);

  const auto& [host, port, token, page, refusal, connections] = state_->options;
  const int got = port != 0 ? (server.bind_to_port(host.c_str(), port) ? port : -1)
                            : server.bind_to_any_port(host.c_str());
  if (got < 0) throw Error(ErrorCode::output, refusal, std::to_string(port));
  // httplib asks for 5. Of more at once, while nothing is accepted, Linux refuses some whose
  // request comes in two parts (SYN cookies, which only the first segment passes).
  ::listen(state_->listener, max_waiting);
  state_->take(got);
}

Server::~Server() = default;

const std::string& Server::address() const { return state_->address; }

std::string Server::root() const { return state_->root; }

int Server::descriptor() const { return state_->listener; }

void Server::run(const io::StopSignal& stop) {
  std::atomic<bool> has_ended{false};
  std::thread watcher([&] {
    while (!stop.wait(1)) state_->deadlines.enforce(state_->port);
    // A signal may come before the server does.
    while (!state_->server.is_running()) std::this_thread::yield();
    state_->server.stop();
    while (!has_ended.load()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      state_->deadlines.enforce(state_->port, true);
    }
  });
  state_->server.listen_after_bind();
  has_ended.store(true);
  watcher.join();
}

}  // namespace cuesta::cli::web
