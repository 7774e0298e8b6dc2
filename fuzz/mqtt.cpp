// What a broker answers, over the loopback: Cuesta's client takes it or ends the connection, and
// finish() returns. The first byte says how many messages wait, the next how the answers are cut.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>

#include "apps/watch/broker.hpp"
#include "cli/common.hpp"

namespace {

class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET, at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    if (bind(socket_, reinterpret_cast<const sockaddr*>(&at), size) != 0 ||
        listen(socket_, 8) != 0 ||
        getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &size) != 0)
      std::abort();
    port_ = ntohs(at.sin_port);
  }
  int port() const { return port_; }

  // Says these bytes to one client, in two parts, and hangs up.
  void serve(const uint8_t* data, size_t size, size_t cut) const {
    const int client = accept(socket_, nullptr, nullptr);
    if (client < 0) std::abort();
    char asked[512];
    pollfd waits{client, POLLIN, 0};
    poll(&waits, 1, 1000);  // its CONNECT
    (void)!read(client, asked, sizeof asked);
    cut = std::min(cut, size);
    (void)!::send(client, data, cut, MSG_NOSIGNAL);
    if (cut < size) {
      poll(&waits, 1, 2);
      (void)!::send(client, data + cut, size - cut, MSG_NOSIGNAL);
    }
    shutdown(client, SHUT_WR);
    while (poll(&waits, 1, 1000) > 0 && read(client, asked, sizeof asked) > 0) {
    }
    close(client);
  }

 private:
  int socket_, port_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cuesta::cli;
  if (size < 2) return 0;
  set_verbosity(-1);
  static const Listener listener;
  const MqttAddress address{
      .host = "127.0.0.1", .port = listener.port(), .topic = "fuzz", .shown = "fuzz"};
  Broker broker(address, data[0] % 3);
  std::thread other([&] { listener.serve(data + 2, size - 2, data[1]); });
  for (int n = data[0] / 3 % 8; n > 0; --n)
    broker.publish(n % 2 ? "events" : "objects", "{\"a\": 1}");
  other.join();
  return 0;
}
