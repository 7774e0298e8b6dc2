// Timing several bodies against each other on a machine that is not ours alone.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace cuesta::bench {

struct Timing {
  double ms = 0;      ///< median over batches, of one run
  double spread = 0;  ///< distance between their quartiles, ms
};

/// Median and spread of times of one run each.
Timing summary_of(std::vector<double> times);
/// 0 of none.
double mean_of(std::span<const double> values);

/// Milliseconds of one run.
double time_once(const std::function<void()>& body);

/// Runs the bodies in turns, so that a change of the machine's pace meets all of them: `batches`
/// rounds, each body for about `batch_ms` a round (at least once). Each runs at least once before.
std::vector<Timing> time_in_turns(std::span<const std::function<void()>> bodies, int batches,
                                  double batch_ms);

}  // namespace cuesta::bench
