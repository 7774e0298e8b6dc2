// The one argument of every median strategy. The public entry has checked all of it.
#pragma once

#include "core/strategy.hpp"
#include "cuesta/filter.hpp"

namespace cuesta {

struct MedianArgs {
  static constexpr std::string_view operation = "median";
  static constexpr std::string_view summary =
      "the middle of a window's samples; the majority of a mask's";
  static std::span<const Strategy<MedianArgs>> strategies();                // strategies.cpp
  static std::vector<verify::Case<MedianArgs>> cases(verify::Level level);  // cases.cpp

  ConstAnyView src{};  // u8, u16 or f32 of 1 to 4 channels, or bits
  AnyView dst{};       // of src's size, type and channels; shares no memory with it
  MedianOptions options{};

  Space space() const { return src.space; }
  PixelType type() const { return src.type; }
  int radius() const { return options.ksize / 2; }
  /// Samples of a window that are below its median, or as many of the set bits as are no majority.
  int half() const { return options.ksize * options.ksize / 2; }
};

}  // namespace cuesta
