// Planted faults: a strategy with one constant mutated must be caught by the very checks that pass
// the real ones.
#pragma once

#include <gtest/gtest.h>

#include "verify/verify.hpp"

namespace cuesta::verify {

/// Runs `planted` as a strategy of the operation at the quick level, until it fails.
template <class Args>
StrategyReport report_of(const Strategy<Args>& planted) {
  return verify_strategies<Args>({&planted}, reference_of<Args>(), Args::cases(Level::quick),
                                 {.stops_at_failure = true})
      .front();
}

/// Runs `faulty` as a strategy of the operation at the quick level and expects it to be found out.
template <class Args>
void expect_caught(void (*faulty)(const Args&, Call&), const char* what) {
  const Strategy<Args> planted{.name = "planted", .idea = "wrong on purpose", .run = faulty};
  const StrategyReport report = report_of(planted);
  EXPECT_GT(report.failed, 0) << Args::operation << ": the checks let through " << what;
}

}  // namespace cuesta::verify
