// The one argument of every label strategy. The public entries have checked all of it.
#pragma once

#include "core/strategy.hpp"
#include "cuesta/device_components.hpp"

namespace cuesta {

/// Labels of the pixels of a mask's first and last row: what a picture that is worked on in bands
/// continues from (bands.hpp). Each has room for the mask's width.
struct LabelEnds {
  int32_t *first = nullptr, *last = nullptr;
};

struct LabelArgs {
  static constexpr std::string_view operation = "label";
  static constexpr std::string_view summary = "connected components: boxes, areas, centroids";
  static std::span<const Strategy<LabelArgs>> strategies();                // strategies.cpp
  static std::vector<verify::Case<LabelArgs>> cases(verify::Level level);  // cases.cpp

  ConstAnyView mask{};                           // u8 or bits, one channel, at most max_pixels
  AnyView labels{};                              // s32 of the mask's size, or none
  std::vector<Component>* components = nullptr;  // may be null
  DeviceComponents list{};                       // in its place where list.count is given
  LabelOptions options{};
  int32_t* count = nullptr;  // the number of components; null where list.count is given
  LabelEnds ends{};          // host strategies alone: in the place of `labels`

  /// Components can be half as many as pixels; 2^30 labels leave room for marks in an int32_t.
  static constexpr int64_t max_pixels = int64_t(1) << 31;

  Space space() const { return mask.space; }
  PixelType type() const { return mask.type; }
};

}  // namespace cuesta
