// How long the stages of a strategy take: an observer for Exec::observer.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/engine/device_timing.hpp"
#include "cuesta/exec.hpp"

namespace cuesta::bench {

/// Times a call between begin() and end(), any number of times. A stage lasts until the next one
/// begins; one that begins again within a call adds up. Host: the wall clock; device: events on the
/// stream the strategy names. Marks between stages keep the GPU from overlapping them, so stages
/// may add up to more than the call takes alone.
class StageTimer final : public StageObserver {
 public:
  /// The stage a call is in before it names one, where that takes time.
  static constexpr std::string_view before = "before the first stage";
  /// What a strategy does for its observer alone, and so is no stage of the work.
  static constexpr std::string_view counting = "counting";

  explicit StageTimer(Space space);
  ~StageTimer() override;

  void begin(void* stream = nullptr);
  void end(void* stream = nullptr);
  void stage(std::string_view name, void* stream) override;
  void statistic(std::string_view name, double value) override;

  /// What stands for the calls: their median, or their mean where they differ in work.
  enum class Middle : uint8_t { median, mean };
  /// Over the calls, in the order the stages first came. A call without a stage counts as 0 for it.
  /// Empty where no stage was named.
  std::vector<std::pair<std::string, double>> stages(Middle middle = Middle::median) const;
  /// Over the calls that gave the figure.
  std::vector<std::pair<std::string, double>> statistics(Middle middle = Middle::median) const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Series {
    std::string name;
    std::vector<double> values;  // a call each
  };
  struct Open {
    size_t series;
    size_t mark;
    Clock::time_point time;
  };
  static Series& find(std::vector<Series>& all, std::string_view name);
  void open(std::string_view name, void* stream);

  std::unique_ptr<DeviceMarks> marks_;  // device only
  std::vector<Series> stages_, statistics_;
  std::vector<Open> opened_;  // in this call
  size_t calls_ = 0;
};

}  // namespace cuesta::bench
