// The one argument of every label strategy. The public entries have checked all of it.
#pragma once

#include <variant>

#include "core/strategy.hpp"
#include "cuesta/device_components.hpp"

namespace cuesta {

/// Labels of the pixels of a mask's first and last row: what a picture that is worked on in bands
/// continues from (bands.hpp). Each has room for the mask's width.
struct LabelEnds {
  int32_t *first = nullptr, *last = nullptr;
};

/// Components and their number as objects of the host.
struct HostComponents {
  std::vector<Component>* list = nullptr;  // may be null
  int32_t* count = nullptr;                // never null in a call
};

struct LabelArgs {
  static constexpr std::string_view operation = "label";
  static constexpr std::string_view summary = "connected components: boxes, areas, centroids";
  static std::span<const Strategy<LabelArgs>> strategies();                // strategies.cpp
  static std::vector<verify::Case<LabelArgs>> cases(verify::Level level);  // cases.cpp

  ConstAnyView mask{};  // u8 or bits, one channel, at most max_pixels
  // A picture of labels, s32 of the mask's size, or no view; host strategies: two of its rows.
  std::variant<AnyView, LabelEnds> wanted{};
  std::variant<HostComponents, DeviceComponents> results{};
  LabelOptions options{};

  /// Components can be half as many as pixels; 2^30 labels leave room for marks in an int32_t.
  static constexpr int64_t max_pixels = int64_t(1) << 31;

  /// No view, and null pointers, where the other of the two is wanted.
  AnyView labels() const {
    const auto* picture = std::get_if<AnyView>(&wanted);
    return picture ? *picture : AnyView();
  }
  LabelEnds ends() const {
    const auto* rows = std::get_if<LabelEnds>(&wanted);
    return rows ? *rows : LabelEnds();
  }
  /// Null where results are on the GPU, and the reverse.
  std::vector<Component>* components() const {
    const auto* host = std::get_if<HostComponents>(&results);
    return host ? host->list : nullptr;
  }
  const DeviceComponents* device_list() const { return std::get_if<DeviceComponents>(&results); }
  void set_count(int32_t count) const { *std::get<HostComponents>(results).count = count; }

  Space space() const { return mask.space; }
  PixelType type() const { return mask.type; }
};

}  // namespace cuesta
