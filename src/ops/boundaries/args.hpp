// The one argument of every strategy of boundaries. The public entry has checked all of it.
#pragma once

#include "core/strategy.hpp"
#include "cuesta/boundaries.hpp"

namespace cuesta {

struct BoundariesArgs {
  static constexpr std::string_view operation = "boundaries";
  static constexpr std::string_view summary = "boundaries of things, texture left out";
  static std::span<const Strategy<BoundariesArgs>> strategies();                // strategies.cpp
  static std::vector<verify::Case<BoundariesArgs>> cases(verify::Level level);  // cases.cpp

  ConstAnyView src{};  // u8 or u16, 1 or 3 channels
  AnyView dst{};       // of src's size. u8: boundaries. u16: strengths
  BoundaryOptions options{};

  bool makes_strengths() const { return dst.type == PixelType::u16; }
  Space space() const { return src.space; }
  PixelType type() const { return src.type; }
};

}  // namespace cuesta
