#include "bench/engine/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cuesta::bench {
namespace {

std::string text_of(const std::vector<Parameter>& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

// Every combination of the swept values that the strategy declares; what it does not declare is
// left to the strategies that do.
std::vector<std::vector<Parameter>> variants_of(const StrategyDescription& strategy,
                                                const std::vector<Sweep>& sweeps) {
  std::vector<std::vector<Parameter>> variants = {{}};
  for (const ParameterInfo& info : strategy.parameters) {
    const auto sweep = std::find_if(sweeps.rbegin(), sweeps.rend(),
                                    [&](const Sweep& s) { return s.first == info.name; });
    if (sweep == sweeps.rend()) continue;
    std::vector<std::vector<Parameter>> more;
    for (const auto& variant : variants) {
      for (const std::string& value : sweep->second) {
        if (!info.takes(value)) continue;
        more.push_back(variant);
        more.back().emplace_back(info.name, value);
      }
    }
    if (!more.empty()) variants = std::move(more);
  }
  return variants;
}

}  // namespace

std::vector<Candidate> candidates_of(const Work& work, Space space,
                                     const std::vector<Sweep>& sweeps, const Exec& exec,
                                     bool built) {
  std::vector<Candidate> out;
  for (const StrategyDescription& strategy : list_strategies()) {
    if (strategy.operation != work.operation || strategy.space != space) continue;
    if (built && !strategy.built) continue;
    if (work.takes && !work.takes(strategy)) continue;
    for (auto& parameters : variants_of(strategy, sweeps)) {
      Candidate candidate{strategy, exec, {}};
      candidate.exec.strategy = strategy.name;
      candidate.exec.parameters = parameters;
      for (const ParameterInfo& info : strategy.parameters) {
        if (std::none_of(parameters.begin(), parameters.end(),
                         [&](const Parameter& p) { return p.first == info.name; }))
          parameters.emplace_back(info.name, info.values.front());
      }
      candidate.variant = text_of(parameters);
      out.push_back(std::move(candidate));
    }
  }
  return out;
}

Candidate peer_of(const char* name, Space space) {
  Candidate peer{};
  peer.strategy.name = name;
  peer.strategy.space = space;
  return peer;
}

}  // namespace cuesta::bench
