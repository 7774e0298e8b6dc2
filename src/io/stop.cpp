#include "io/stop.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <system_error>

namespace cuesta::io {

StopSignal::StopSignal() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

StopSignal::~StopSignal() { close(descriptor_); }

void StopSignal::request() noexcept {
  const int kept = errno;
  requested_.store(true);
  const uint64_t one = 1;
  (void)!write(descriptor_, &one, sizeof one);
  errno = kept;
}

bool StopSignal::wait(double seconds) const noexcept {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(std::clamp(seconds, 0.0, 1e6)));
  while (!requested()) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) break;
    pollfd watched{descriptor_, POLLIN, 0};
    poll(&watched, 1, int(std::min<int64_t>(left, 60'000)));
  }
  return requested();
}

}  // namespace cuesta::io
