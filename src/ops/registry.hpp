// The operations of this build, in the order users meet them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cuesta/exec.hpp"

namespace cuesta {

struct OperationEntry {
  std::string_view name;
  std::string_view summary;  ///< one line for `cuesta list operations`
  void (*describe)(std::vector<StrategyDescription>&);
};

std::span<const OperationEntry> operation_entries();

}  // namespace cuesta
