// Pictures whose edges are known to be hard on hysteresis.
#pragma once

#include <cmath>

#include "cuesta/image.hpp"

namespace cuesta {

/// A spiral of weak contrast (20), strong (150) only around its centre: with thresholds between the
/// two all of it is an edge with the strong part, and nothing is without.
inline Image<uint8_t> drawn_spiral(int32_t side, bool strong) {
  constexpr double period = 20, turn = 6.283185307179586;
  Image<uint8_t> picture(side, side);
  for (int32_t y = 0; y < side; ++y) {
    for (int32_t x = 0; x < side; ++x) {
      const double dx = x - side / 2.0, dy = y - side / 2.0, r = std::hypot(dx, dy);
      const double arm = r / period - std::atan2(dy, dx) / turn;
      const bool lit = r > 5 && r < side / 2.0 - 5 && arm - std::floor(arm) < 0.5;
      picture.at(x, y) = uint8_t(100 + lit * (strong && r < 25 ? 150 : 20));
    }
  }
  return picture;
}

}  // namespace cuesta
