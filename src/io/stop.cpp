#include "cuesta/io/stop.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <system_error>
#include <utility>

namespace cuesta::io {

StopSignal::StopSignal(std::shared_ptr<const StopSignal> all)
    : all_(std::move(all)), own_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  const auto is_added = [&](int descriptor) {
    epoll_event event{};
    event.events = EPOLLIN;
    return epoll_ctl(either_, EPOLL_CTL_ADD, descriptor, &event) == 0;
  };
  if (own_ >= 0 && all_) either_ = epoll_create1(EPOLL_CLOEXEC);
  if (own_ >= 0 && (!all_ || (either_ >= 0 && is_added(own_) && is_added(all_->descriptor()))))
    return;
  const int cause = errno;
  if (either_ >= 0) close(either_);
  if (own_ >= 0) close(own_);
  throw std::system_error(cause, std::generic_category(), "a descriptor to stop by");
}

StopSignal::~StopSignal() {
  if (either_ >= 0) close(either_);
  close(own_);
}

void StopSignal::request() noexcept {
  const int kept = errno;
  requested_.store(true);
  const uint64_t one = 1;
  (void)!write(own_, &one, sizeof one);
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
    pollfd watched{descriptor(), POLLIN, 0};
    poll(&watched, 1, int(std::min<int64_t>(left, 60'000)));
  }
  return requested();
}

}  // namespace cuesta::io
