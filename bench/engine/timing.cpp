#include "bench/engine/timing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace cuesta::bench {
namespace {

double time_runs(const std::function<void()>& body, int64_t runs) {
  const auto begin = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < runs; ++i) body();
  const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - begin;
  return passed.count() / double(runs);
}

double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * double(sorted.size() - 1);
  const auto below = size_t(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - double(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Timing summary_of(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return {quantile(times, 0.5), quantile(times, 0.75) - quantile(times, 0.25)};
}

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / double(values.size());
}

double time_once(const std::function<void()>& body) { return time_runs(body, 1); }

std::vector<Timing> time_in_turns(std::span<const std::function<void()>> bodies, int batches,
                                  double batch_ms) {
  std::vector<int64_t> runs;
  for (const auto& body : bodies) {
    const double first = time_runs(body, 1);  // pages, caches, threads
    const double once = std::min(first, time_runs(body, 1));
    runs.push_back(std::max<int64_t>(1, std::llround(batch_ms / std::max(once, 1e-4))));
  }
  std::vector<std::vector<double>> times(bodies.size());
  for (int batch = 0; batch < batches; ++batch) {
    for (size_t i = 0; i < bodies.size(); ++i) times[i].push_back(time_runs(bodies[i], runs[i]));
  }
  std::vector<Timing> out;
  for (auto& t : times) out.push_back(summary_of(std::move(t)));
  return out;
}

}  // namespace cuesta::bench
