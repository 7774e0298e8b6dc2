// Bytes that a connection sends to the server of pages, over the loopback. TOKEN and HOST in them
// stand for this server's. Nothing reaches the handler without both, and every answer is HTTP.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include "apps/web/server.hpp"

namespace {

using namespace cuesta::cli::web;

struct Running {
  Running() : thread([this] { server.run(stop); }) {
    const std::string& address = server.address();  // http://127.0.0.1:PORT/TOKEN/
    const size_t slash = address.find('/', 7);
    host = address.substr(7, slash - 7);
    token = address.substr(slash + 1, address.size() - slash - 2);
    port = uint16_t(std::stoi(host.substr(host.find(':') + 1)));
  }
  ~Running() {
    stop.request();
    thread.join();
  }
  std::atomic<int> handled{0};
  Server server{{}, [this](const HttpRequest& request) -> Reply {
                  ++handled;
                  if (request.body.size() > Server::largest_body) std::abort();
                  return {.body = request.body.substr(0, 100)};
                }};
  cuesta::io::StopSignal stop;
  std::string host, token;
  uint16_t port = 0;
  std::thread thread;
};

std::string put(std::string text, std::string_view name, const std::string& value) {
  size_t at = 0;
  while ((at = text.find(name, at)) != text.npos) {
    text.replace(at, name.size(), value);
    at += value.size();
  }
  return text;
}

std::string answer(uint16_t port, const std::string& sent) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET, to.sin_port = htons(port), to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const linger at_once{1, 0};  // no port is kept waiting
  setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  if (connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) std::abort();
  (void)!::send(socket, sent.data(), sent.size(), MSG_NOSIGNAL);
  shutdown(socket, SHUT_WR);
  std::string got(1 << 16, '\0');
  size_t size = 0;
  for (ssize_t n; size < got.size() && (n = read(socket, &got[size], got.size() - size)) > 0;)
    size += size_t(n);
  close(socket);
  got.resize(size);
  return got;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Running running;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const bool may_pass = text.find("TOKEN") != text.npos && text.find("HOST") != text.npos;
  const int before = running.handled;
  const std::string got =
      answer(running.port, put(put(text, "TOKEN", running.token), "HOST", running.host));
  if (!got.empty() && !got.starts_with("HTTP/1.")) std::abort();
  if (running.handled != before && !may_pass) std::abort();
  return 0;
}
