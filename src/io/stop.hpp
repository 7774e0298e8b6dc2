// The wish that reading ends, from any thread or a signal handler.
#pragma once

#include <atomic>
#include <memory>

namespace cuesta::io {

/// Whoever waits for input watches it, and then reads as at the stream's end.
class StopSignal {
 public:
  /// One that is requested with `all`, too, which may be null: of one source among several that end
  /// together. Throws std::system_error where the process has no descriptor left.
  explicit StopSignal(std::shared_ptr<const StopSignal> all = nullptr);
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  ~StopSignal();

  /// Async-signal-safe; stays so once requested. `all` is not.
  void request() noexcept;
  bool requested() const noexcept { return requested_.load() || (all_ && all_->requested()); }
  /// Waits this many seconds, or until requested(), which it returns.
  bool wait(double seconds) const noexcept;
  /// Readable once requested, for poll().
  int descriptor() const noexcept { return either_ < 0 ? own_ : either_; }

 private:
  std::shared_ptr<const StopSignal> all_;
  std::atomic<bool> requested_{false};
  int own_, either_ = -1;  // an eventfd; an epoll over it and that of `all`
};

}  // namespace cuesta::io
