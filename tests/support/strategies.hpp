// The names of an operation's strategies, from its table: tests that walk them see a new one by
// themselves.
#pragma once

#include <string>
#include <vector>

#include "core/strategy.hpp"

namespace cuesta::test {

/// Of the host, in the table's order.
template <OperationArgs Args>
std::vector<std::string> host_strategies() {
  std::vector<std::string> names;
  for (const auto& s : Args::strategies())
    if (s.space == Space::host) names.emplace_back(s.name);
  return names;
}

/// The same without the reference, which the others are held against.
template <OperationArgs Args>
std::vector<std::string> held_strategies() {
  std::vector<std::string> names;
  for (const auto& s : Args::strategies())
    if (s.space == Space::host && s.tier != Tier::reference) names.emplace_back(s.name);
  return names;
}

}  // namespace cuesta::test
