// Timing strategies against each other, a copy, and peers: what `cuesta bench` runs.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cuesta/image.hpp"

namespace cuesta::bench {

struct Settings {
  std::vector<int32_t> sizes = {1024, 4096};  ///< squares, pixels a side
  int threads = 0;                            ///< 0: all
  bool quick = false;                         ///< shorter batches
  std::vector<std::string> only;              ///< names of experiments; empty: all
  /// Receives the tables as they are made.
  std::function<void(std::string_view)> print = [](std::string_view) {};
};

/// One line of a table. Times are medians over batches; the spread is the distance between their
/// quartiles.
struct Row {
  std::string experiment, operation, strategy, space, parameters, type;
  int32_t width = 0, height = 0;
  int threads = 0;
  double ms = 0, ms_spread = 0;
  double copy_ms = 0;  ///< memcpy of the source picture with the same threads
  double gflops = 0;   ///< by the definition's multiplications and additions; 0: no such count
  double bytes_per_pixel = 0;  ///< that must be read and written: source and result
  std::string paper;
  double times_copy() const { return copy_ms > 0 ? ms / copy_ms : 0; }
};

struct Machine {
  std::string cpu, simd, system, compiler;
  int threads = 0;
  std::vector<std::string> peers;  ///< "opencv 4.6.0"
};

struct Result {
  Machine machine;
  std::string commit;
  std::vector<Row> rows;
  /// Where a peer's answer differs although the contract says equal; what it names was not timed.
  std::vector<std::string> differences;
};

struct ExperimentInfo {
  std::string_view name, summary;
};
std::vector<ExperimentInfo> list_experiments();

/// Runs the experiments of the CPU, one after the other. Throws Error{invalid_argument} for a name
/// that no experiment has.
Result run_cpu(const Settings& settings);

}  // namespace cuesta::bench
