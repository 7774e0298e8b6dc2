#include "ops/motion/half_widths.hpp"

#include <bit>
#include <cstdlib>

namespace cuesta::motion_cuda {

std::optional<HalfWidths> half_widths_of(const StructuringElement& element) {
  const int width = element.width(), height = element.height();
  const int reach_x = element.anchor_x(), reach_y = element.anchor_y();
  if (width != 2 * reach_x + 1 || height != 2 * reach_y + 1) return {};
  if (reach_x > max_half || reach_y > max_half) return {};
  HalfWidths found;
  for (int8_t& half : found.of) half = -1;
  for (int dy = 0; dy <= reach_y; ++dy) {
    int half = -1;
    while (half < reach_x && element.contains(reach_x + half + 1, reach_y + dy)) ++half;
    found.of[dy] = int8_t(half);
  }
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const bool expected = std::abs(x - reach_x) <= found.of[std::abs(y - reach_y)];
      if (element.contains(x, y) != expected) return {};
    }
  }
  return found;
}

int32_t slots_of(const HalfWidths& element) {
  uint32_t widths = 0;
  for (const int8_t half : element.of)
    if (half >= 0) widths |= 1u << half;
  return std::popcount(widths);
}

}  // namespace cuesta::motion_cuda
