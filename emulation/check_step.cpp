// cuesta_check_step OPERATION STRATEGY: one strategy of the emulated device against the reference.
// scripts/exercise links it with the reader's kernel.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "verify/verify.hpp"

int main(int count, char** words) {
  if (count != 3) return 2;
  const auto& all = cuesta::verify::operations();
  const auto found =
      std::ranges::find_if(all, [&](const auto& one) { return one.name == words[1]; });
  if (found == all.end()) return 2;
  for (const auto& row : found->run({.strategy = words[2], .space = cuesta::Space::device})) {
    if (row.passed()) continue;
    for (const std::string& failure : row.failures) fmt::print("{}\n", failure);
    if (row.run == 0) fmt::print("does not run here: {}\n", fmt::join(row.refusals, "; "));
    return 1;
  }
}
