// The memory and the time of a sandboxed child, which its parent watches.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>

#include "cli/fence_results.hpp"

namespace cuesta::cli {

/// What a run may take under --sandbox: the samples that --max-memory allows, a result as large,
/// and 1 GiB for the rest.
int64_t memory_limit(int64_t max_memory);

/// Bytes of a process that no file backs: in memory, shared and swapped out. Page cache is not
/// counted.
class MemoryOf {
 public:
  explicit MemoryOf(pid_t process);
  /// Nothing once the process has ended.
  std::optional<int64_t> bytes() const;

 private:
  Descriptor status_;
};

/// When to look at the child next, and when to end it.
class Watch {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds period{100};

  Watch(pid_t child, int64_t limit) : memory_(child), limit_(limit) {}
  /// Milliseconds until look() should run.
  int patience() const;
  /// Its time is over at `end`, whatever it does until then.
  void end_at(Clock::time_point end) { end_ = end; }
  /// Whether the child is to be ended now.
  bool look();
  bool is_over_memory() const { return is_over_memory_; }

 private:
  MemoryOf memory_;
  int64_t limit_;
  Clock::time_point next_ = Clock::now() + period;
  std::optional<Clock::time_point> end_{};
  bool is_over_memory_ = false;
};

}  // namespace cuesta::cli
