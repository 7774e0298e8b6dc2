// What the strategies under the profiler are asked.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/engine/session.hpp"

namespace cuesta::bench {

/// The pictures of requests that bring none, profile_rungs.cpp.
struct Pictures;

/// What a strategy is asked. `prepare` makes what the call needs and returns the call; requests of
/// a Work bring their own pictures and get none.
struct Asked {
  std::string operation, name, text;
  int32_t width, height;
  std::function<std::function<void()>(Pictures*, const Exec&)> prepare;
  std::string parameters{}, type{};  // of the bench's row that it is, where it is one
  /// Whether a strategy is asked; empty: all are.
  std::function<bool(const StrategyDescription&)> takes{};
  std::vector<Parameter> settings{};  // of the strategies
};

/// A work's call on the GPU; its name begins with `kind`. The work stays the caller's.
Asked asked_of(const Work& work, std::string_view kind);

/// Those of `bench climb`, at 2048 x 2048.
const std::vector<Asked>& climb_asked();

/// Those of `bench production` but the detector's, each of the strategy that automatic choice takes
/// for it; where there is no GPU to choose for, of every production strategy. Pictures of 8192 x
/// 8192.
const std::vector<Asked>& production_asked(const std::vector<std::string_view>& operations);

}  // namespace cuesta::bench
