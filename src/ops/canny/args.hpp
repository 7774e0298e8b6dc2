// The one argument of every Canny strategy. The public entry has checked all of it.
#pragma once

#include "core/strategy.hpp"
#include "cuesta/edges.hpp"

namespace cuesta {

struct CannyArgs {
  static constexpr std::string_view operation = "canny";

  ConstPlane src;                 // u8 or u16, one channel
  Plane dst;                      // u8 of src's size
  CannyOptions options;           // ksize resolved: odd, or anything where sigma is 0
  CannyResult* result = nullptr;  // the thresholds used; never null

  Space space() const { return src.space; }
};

template <>
std::span<const StrategyInfo<CannyArgs>> strategies<CannyArgs>(Space space);

}  // namespace cuesta
