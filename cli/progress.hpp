// A progress bar on stderr, where that is a terminal and -q was not given.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>

namespace cuesta::cli {

class Progress {
 public:
  /// `unit` is what is counted: "pictures", "frames". Without a total there is a count and a rate.
  /// Where `has_stdout` says that data go to standard output, and that is a terminal too, there is
  /// no bar: they would share its lines.
  Progress(std::string_view unit, std::optional<int64_t> total, bool has_stdout = false);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Takes the bar off the terminal.
  ~Progress();

  /// One more is done, on any thread.
  void step();
  /// This many of `total` are done.
  void set(int64_t done, int64_t total);
  int64_t done() const;

 private:
  using Clock = std::chrono::steady_clock;
  void show();
  void draw(Clock::time_point now);

  std::string_view unit_;
  mutable std::mutex mutex_;
  std::optional<int64_t> total_;
  int64_t done_ = 0;
  bool visible_;
  bool drawn_ = false;
  Clock::time_point begin_, last_;
};

}  // namespace cuesta::cli
