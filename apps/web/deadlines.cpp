#include "apps/web/deadlines.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>

namespace cuesta::cli::web {
namespace {

// One end of a TCP connection, as the HTTP library names it; port 0 where the descriptor is none.
template <class Ask>
Deadlines::Peer end_of(Ask ask, int descriptor) {
  sockaddr_storage place{};
  socklen_t size = sizeof place;
  auto* const address = reinterpret_cast<sockaddr*>(&place);
  if (ask(descriptor, address, &size) != 0 ||
      (place.ss_family != AF_INET && place.ss_family != AF_INET6))
    return {};
  char host[NI_MAXHOST], port[NI_MAXSERV];
  if (getnameinfo(address, size, host, sizeof host, port, sizeof port,
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return {};
  return {host, std::atoi(port)};
}

bool is_tcp(int descriptor) {
  int type = 0;
  socklen_t size = sizeof type;
  return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

// One past the highest descriptor that is looked at: the library waits by select().
constexpr int end_of_descriptors = 1024;

}  // namespace

void Deadlines::set(const Peer& peer, Stage stage) {
  const std::lock_guard lock(mutex_);
  connections_[peer] = {.stage = stage};
}

void Deadlines::enforce(int listening, bool all) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  for (auto& [peer, connection] : connections_) connection.is_there = false;
  for (int descriptor = 3; descriptor < end_of_descriptors; ++descriptor) {
    if (!is_tcp(descriptor) || end_of(getsockname, descriptor).second != listening) continue;
    const Peer peer = end_of(getpeername, descriptor);
    if (peer.second == 0) continue;  // the one that listens
    Connection& connection = connections_[peer];
    connection.is_there = true;
    const auto late = connection.stage == Stage::asks      ? asking
                      : connection.stage == Stage::answers ? taking
                                                           : Seconds::max();
    if (all || Seconds(now - connection.since) > late) shutdown(descriptor, SHUT_RDWR);
  }
  std::erase_if(connections_, [](const auto& one) { return !one.second.is_there; });
}

}  // namespace cuesta::cli::web
