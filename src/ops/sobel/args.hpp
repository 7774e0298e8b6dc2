// The one argument of every Sobel strategy. The public entry has checked all of it.
#pragma once

#include "core/strategy.hpp"
#include "cuesta/edges.hpp"

namespace cuesta {

struct SobelArgs {
  static constexpr std::string_view operation = "sobel";
  static constexpr std::string_view summary = "gradients, magnitude and direction";
  static std::span<const Strategy<SobelArgs>> strategies();                // strategies.cpp
  static std::vector<verify::Case<SobelArgs>> cases(verify::Level level);  // cases.cpp

  ConstAnyView src{};  // u8, u16 or f32, one channel
  SobelOutputs out{};  // of src's size; at least one is wanted; of an f32 source all are f32
  SobelOptions options{};

  Space space() const { return src.space; }
  PixelType type() const { return src.type; }
};

}  // namespace cuesta
