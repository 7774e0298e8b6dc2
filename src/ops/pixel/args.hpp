// The one argument of every strategy of the point operations. The public entries have checked all
// of it.
#pragma once

#include "core/strategy.hpp"
#include "cuesta/objects.hpp"

namespace cuesta {

/// Which point operation; the comment names the members of PixelArgs it reads and writes.
enum class PixelOp : uint8_t {
  gray,               // a (u8, u16, f32), order → dst of a's type
  absdiff,            // a, b (u8, u16, f32) → dst of their type
  threshold,          // a (u8, u16, f32), limit → dst u8 or bits
  absdiff_threshold,  // a, b (u8, u16), limit → dst u8 or bits
  histogram,          // a (u8, u16) → bins, 256 or 65,536 of them
  pack,               // a (u8) → dst bits
  unpack,             // a (bits) → dst u8
  scale,              // a (u8, u16, f32), factor → dst u8, u16 or f32
  keep_channels,      // a (u8, u16, f32) → dst of its type, with as many channels or fewer
};
std::string_view name_of(PixelOp op);

struct PixelArgs {
  static constexpr std::string_view operation = "pixel";
  static constexpr std::string_view summary =
      "gray, scale, channels, difference, threshold, histogram, packed masks";
  static std::span<const Strategy<PixelArgs>> strategies();                // strategies.cpp
  static std::vector<verify::Case<PixelArgs>> cases(verify::Level level);  // cases.cpp

  PixelOp op = PixelOp::gray;
  ConstAnyView a{}, b{};
  AnyView dst{};
  ColorOrder order = ColorOrder::rgb;
  double limit = 0;   // not NaN
  double factor = 1;  // finite
  std::span<uint64_t> bins{};

  Space space() const { return a.space; }
  PixelType type() const { return a.type; }
};

}  // namespace cuesta
