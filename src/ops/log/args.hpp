// The one argument of every Laplacian-of-Gaussian strategy. The public entry has checked all of it.
#pragma once

#include "core/strategy.hpp"
#include "cuesta/edges.hpp"

namespace cuesta {

struct LogArgs {
  static constexpr std::string_view operation = "log";
  static constexpr std::string_view summary = "Laplacian of Gaussian: threshold or zero crossings";
  static std::span<const Strategy<LogArgs>> strategies();                // strategies.cpp
  static std::vector<verify::Case<LogArgs>> cases(verify::Level level);  // cases.cpp

  ConstAnyView src{};  // u8 or u16, one channel
  AnyView dst{};       // of src's size; u8: edges, s32: the undivided response
  LogOptions options{};

  Space space() const { return src.space; }
  PixelType type() const { return src.type; }
};

}  // namespace cuesta
