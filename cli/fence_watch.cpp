#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include "cli/fence_watch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace cuesta::cli {

int64_t memory_limit(int64_t max_memory) {
  constexpr int64_t other = int64_t(1) << 30, most = std::numeric_limits<int64_t>::max();
  return max_memory > (most - other) / 2 ? most : 2 * max_memory + other;
}

MemoryOf::MemoryOf(pid_t process)
    : status_(open(fmt::format("/proc/{}/status", process).c_str(), O_RDONLY | O_CLOEXEC)) {}

std::optional<int64_t> MemoryOf::bytes() const {
  char text[8192] = {};
  const ssize_t size = pread(status_.get(), text, sizeof text - 1, 0);
  if (size <= 0) return std::nullopt;
  const std::string_view lines(text, size_t(size));
  int64_t kilobytes = 0;
  for (const std::string_view name : {"\nRssAnon:", "\nRssShmem:", "\nVmSwap:"}) {
    const size_t at = lines.find(name);
    if (at != lines.npos) kilobytes += std::strtoll(lines.data() + at + name.size(), nullptr, 10);
  }
  return kilobytes << 10;
}

int Watch::patience() const {
  const auto soon = end_ ? std::min(*end_, next_) : next_;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(soon - Clock::now()).count();
  return int(std::clamp<int64_t>(left, 0, period.count()));
}

bool Watch::look() {
  const auto now = Clock::now();
  if (end_ && now >= *end_) return true;
  if (now < next_) return false;
  next_ = now + period;
  const auto bytes = memory_.bytes();
  if (bytes && *bytes > limit_) is_over_memory_ = true;
  return is_over_memory_;
}

}  // namespace cuesta::cli
#endif
