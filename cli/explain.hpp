// --explain: which strategies ran and why, on what, with how much memory, and how long each stage
// took.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cuesta/strategies.hpp"

namespace cuesta::cli {

/// Watches calls on one thread and sums them up by operation and strategy. On the GPU it waits for
/// the stream at every stage, so that each stage's time is its own; the calls together take longer
/// then.
class Explainer : public StageObserver {
 public:
  /// Its workspace, and itself as observer, given to `exec`; nothing where `wanted` is false.
  void watch(Exec& exec, bool wanted);
  /// The call that was begun last has ended.
  void end();
  /// What was seen, a paragraph an operation; empty where nothing was watched.
  std::string text() const;

  void chosen(const Choice& choice) override;
  void stage(std::string_view name, void* stream) override;
  void statistic(std::string_view name, double value) override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Stage {
    std::string name;
    double seconds = 0;
  };
  struct Seen {
    Choice choice;
    int64_t calls = 0;
    std::vector<Stage> stages;
    std::map<std::string, double> statistics;  // the last value of each
  };
  void close_stage();
  void wait_for_device() const;

  Workspace workspace_;
  std::vector<Seen> seen_;
  size_t current_ = 0, current_stage_ = 0;
  bool in_stage_ = false, on_device_ = false;
  void* stream_ = nullptr;
  Clock::time_point began_;
};

}  // namespace cuesta::cli
