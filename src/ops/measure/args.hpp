// The one argument of every measure strategy. The public entries have checked all of it.
#pragma once

#include <span>

#include "core/strategy.hpp"
#include "cuesta/measure.hpp"
#include "ops/measure/sums.hpp"

namespace cuesta {

struct MeasureArgs {
  static constexpr std::string_view operation = "measure";
  static constexpr std::string_view summary = "shapes and intensities of labelled components";
  static std::span<const Strategy<MeasureArgs>> strategies();                // strategies.cpp
  static std::vector<verify::Case<MeasureArgs>> cases(verify::Level level);  // cases.cpp

  ConstAnyView labels{};     // s32
  ConstAnyView intensity{};  // u8, u16 or f32 of the labels' size, or no view
  /// Rows [first, end) are measured; those around them are looked at.
  int32_t first = 0, end = 0;
  /// The picture's row that row 0 of `labels` is.
  int64_t top = 0;
  /// On the host, added to: of labels 1 to sums.size().
  std::span<measuring::Sums> sums{};

  Space space() const { return labels.space; }
  PixelType type() const { return intensity ? intensity.type : PixelType::s32; }
};

}  // namespace cuesta
