// The one argument of every strategy of regions. The public entry has checked all of it.
#pragma once

#include "core/strategy.hpp"
#include "cuesta/regions.hpp"

namespace cuesta {

struct RegionsArgs {
  static constexpr std::string_view operation = "regions";
  static constexpr std::string_view summary = "closed contours, and the regions inside them";
  static std::span<const Strategy<RegionsArgs>> strategies();                // strategies.cpp
  static std::vector<verify::Case<RegionsArgs>> cases(verify::Level level);  // cases.cpp

  ConstAnyView src{};  // u8 or u16, one channel, at most max_pixels
  AnyView dst{};       // of src's size. s32: labels; u8: contours; u16: strengths of contours
  RegionOptions options{};

  /// Pixels have indices of 31 bits.
  static constexpr int64_t max_pixels = int64_t(1) << 31;

  Space space() const { return src.space; }
  PixelType type() const { return src.type; }
};

}  // namespace cuesta
