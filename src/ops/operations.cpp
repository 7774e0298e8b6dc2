#include "ops/operations.hpp"

namespace cuesta {

std::vector<StrategyDescription> list_strategies() {
  std::vector<StrategyDescription> out;
  for_each_operation([&]<class Args>(std::type_identity<Args>) {
    for (const auto& s : Args::strategies()) {
      out.push_back({Args::operation, s.name, s.space, s.tier, s.idea, s.paper, s.exactness,
                     s.parameters, s.allocates, s.host_sync, s.built()});
    }
  });
  return out;
}

std::vector<OperationDescription> list_operations() {
  std::vector<OperationDescription> out;
  for_each_operation([&]<class Args>(std::type_identity<Args>) {
    out.push_back({Args::operation, Args::summary});
  });
  return out;
}

}  // namespace cuesta
