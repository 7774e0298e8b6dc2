// A thread for work whose latest request alone counts.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace cuesta::cli::tune {

/// Runs one piece of work after the other; of those that wait, the latest alone. Scratch memory
/// that the library keeps for a thread is so kept once, whoever asks.
class Lane {
 public:
  Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane();

  /// Returns when `work` has run, and throws what it threw; false where newer work took its place
  /// before it began.
  bool run(const std::function<void()>& work);
  /// Reported to long work: newer work waits, so that it may end early.
  bool newer_waits() const { return newer_.load(); }

 private:
  struct Task {
    const std::function<void()>* work;
    enum { waits, runs, done, replaced } state = waits;
    std::exception_ptr error{};
  };
  void serve();

  std::mutex mutex_;
  std::condition_variable changed_;
  Task* next_ = nullptr;
  bool ends_ = false;
  std::atomic<bool> newer_{false};
  std::thread thread_;
};

}  // namespace cuesta::cli::tune
