// The one argument of every clean strategy. The public entries have checked all of it.
#pragma once

#include "core/strategy.hpp"
#include "cuesta/clean.hpp"

namespace cuesta {

struct CleanArgs {
  static constexpr std::string_view operation = "clean";
  static constexpr std::string_view summary = "masks without small components or holes";
  static std::span<const Strategy<CleanArgs>> strategies();                // strategies.cpp
  static std::vector<verify::Case<CleanArgs>> cases(verify::Level level);  // cases.cpp

  ConstAnyView mask{};  // u8 or bits
  AnyView dst{};        // u8 or bits of its size
  /// Fill holes, components of the background that do not reach the rim; else remove components.
  bool fills = false;
  int connectivity = 8;  // of the components that are filled or removed
  /// Components of at most this area change.
  int64_t max_area = 0;

  Space space() const { return mask.space; }
  PixelType type() const { return mask.type; }
};

}  // namespace cuesta
