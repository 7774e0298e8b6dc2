// A request that reading ends, from any thread or a signal handler.
#pragma once

#include <atomic>
#include <memory>

namespace cuesta::io {

/// A request to stop. Readers that wait for input watch it, and then end as at the stream's end.
class StopSignal {
 public:
  /// Makes a signal that is also requested with `all`, if that is not null.
  /// It is for one source among several that end together. Throws std::system_error if the process
  /// has no descriptor left.
  explicit StopSignal(std::shared_ptr<const StopSignal> all = nullptr);
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  ~StopSignal();

  /// Requests the stop, for good; not of `all`. Async-signal-safe.
  void request() noexcept;
  /// Returns whether the stop is requested.
  bool requested() const noexcept { return requested_.load() || (all_ && all_->requested()); }
  /// Waits this many seconds, or until requested(), which it returns.
  bool wait(double seconds) const noexcept;
  /// Returns a descriptor that is readable once the stop is requested, for poll().
  int descriptor() const noexcept { return either_ < 0 ? own_ : either_; }

 private:
  std::shared_ptr<const StopSignal> all_;
  std::atomic<bool> requested_{false};
  int own_, either_ = -1;  // an eventfd; an epoll over it and that of `all`
};

}  // namespace cuesta::io
