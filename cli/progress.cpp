#include "cli/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "cli/common.hpp"

namespace cuesta::cli {

using namespace std::chrono_literals;

Progress::Progress(std::string_view unit, std::optional<int64_t> total, bool has_stdout)
    : unit_(unit),
      total_(total && *total > 0 ? total : std::nullopt),
      visible_(stderr_is_terminal() && verbosity() >= 0 &&
               !(has_stdout && isatty(STDOUT_FILENO) == 1)),
      begin_(Clock::now()),
      last_(begin_) {}

Progress::~Progress() {
  if (drawn_) print_raw("\r\033[K");
}

int64_t Progress::done() const {
  const std::lock_guard lock(mutex_);
  return done_;
}

void Progress::step() {
  const std::lock_guard lock(mutex_);
  ++done_;
  show();
}

void Progress::set(int64_t done, int64_t total) {
  const std::lock_guard lock(mutex_);
  done_ = done;
  total_ = total;
  show();
}

void Progress::show() {
  if (!visible_) return;
  const auto now = Clock::now();
  // The first bar comes late, so that short work shows none; then ten a second.
  if (now - last_ < (drawn_ ? 100ms : 500ms)) return;
  last_ = now;
  draw(now);
}

void Progress::draw(Clock::time_point now) {
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const double rate = double(done_) / seconds;
  std::string line;
  if (total_) {
    constexpr int width = 30;
    const double part = std::min(1.0, double(done_) / double(*total_));
    const int filled = int(part * width);
    const int64_t left = std::llround(double(std::max<int64_t>(0, *total_ - done_)) / rate);
    line = fmt::format("[{}{}] {}/{} {}, {:.1f}/s, {}:{:02} left", std::string(filled, '#'),
                       std::string(width - filled, '.'), done_, *total_, unit_, rate, left / 60,
                       left % 60);
  } else {
    line = fmt::format("{} {}, {:.1f}/s", done_, unit_, rate);
  }
  print_raw("\r\033[K" + line);
  drawn_ = true;
}

}  // namespace cuesta::cli
