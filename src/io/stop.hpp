// The wish that reading ends, from any thread or a signal handler.
#pragma once

#include <atomic>
#include <memory>

namespace cuesta::io {

/// Whoever waits for input watches it, and then reads as at the stream's end.
class StopSignal {
 public:
  /// Throws std::system_error where the process has no descriptor left.
  StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  ~StopSignal();

  /// Async-signal-safe; stays so once requested.
  void request() noexcept;
  bool requested() const noexcept { return requested_.load(); }
  /// Waits so many seconds, or until requested(), which it returns.
  bool wait(double seconds) const noexcept;
  /// Readable once requested, for poll().
  int descriptor() const noexcept { return descriptor_; }

 private:
  std::atomic<bool> requested_{false};
  int descriptor_;
};

}  // namespace cuesta::io
