// Who answers a request: the strategies of its operation, in every variant to be tried.
#pragma once

#include <string>
#include <vector>

#include "bench/engine/session.hpp"

namespace cuesta::bench {

/// A strategy with one setting of its parameters.
struct Candidate {
  StrategyDescription strategy{};
  Exec exec{};
  std::string variant{};  ///< all its parameters, the defaults too
};

/// The strategies that `work` takes in `space`, each with every combination of the swept values
/// that it declares. Of two sweeps of one parameter the later counts. `exec` is pinned to each.
/// `built`: without those that this build only lists.
std::vector<Candidate> candidates_of(const Work& work, Space space,
                                     const std::vector<Sweep>& sweeps, const Exec& exec,
                                     bool built = true);

/// Another library in a strategy's place.
Candidate peer_of(const char* name, Space space);

}  // namespace cuesta::bench
