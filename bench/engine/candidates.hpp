// Who answers a request: the rows of its operation's table, in every variant to be tried.
#pragma once

#include <string>
#include <vector>

#include "bench/engine/session.hpp"

namespace cuesta::bench {

/// A row of the table with one setting of its parameters.
struct Candidate {
  StrategyDescription row{};
  Exec exec{};
  std::string variant{};  ///< all its parameters, the defaults too
};

/// The rows that `work` takes in `space`, each with every combination of the swept values that it
/// declares. Of two sweeps of one parameter the later counts. `exec` is pinned to each.
std::vector<Candidate> candidates_of(const Work& work, Space space,
                                     const std::vector<Sweep>& sweeps, const Exec& exec);

}  // namespace cuesta::bench
