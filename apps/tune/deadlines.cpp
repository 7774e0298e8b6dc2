#include "apps/tune/deadlines.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace cuesta::cli::tune {
namespace {

// The port at one end of a connection; 0 where the descriptor is none.
template <class Ask>
int port_of(Ask ask, int descriptor) {
  sockaddr_in place{};
  socklen_t size = sizeof place;
  if (ask(descriptor, reinterpret_cast<sockaddr*>(&place), &size) != 0 ||
      place.sin_family != AF_INET)
    return 0;
  return ntohs(place.sin_port);
}

// One past the highest descriptor that is looked at: the library waits by select().
constexpr int end_of_descriptors = 1024;

}  // namespace

void Deadlines::set(int port, Stage stage) {
  const std::lock_guard lock(mutex_);
  connections_[port] = {.stage = stage};
}

void Deadlines::enforce(int listening) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  for (auto& [port, connection] : connections_) connection.is_there = false;
  for (int descriptor = 3; descriptor < end_of_descriptors; ++descriptor) {
    if (port_of(getsockname, descriptor) != listening) continue;
    const int port = port_of(getpeername, descriptor);
    if (port == 0) continue;  // the one that listens
    Connection& connection = connections_[port];
    connection.is_there = true;
    const auto late = connection.stage == Stage::asks      ? asking
                      : connection.stage == Stage::answers ? taking
                                                           : Seconds::max();
    if (Seconds(now - connection.since) > late) shutdown(descriptor, SHUT_RDWR);
  }
  std::erase_if(connections_, [](const auto& one) { return !one.second.is_there; });
}

}  // namespace cuesta::cli::tune
