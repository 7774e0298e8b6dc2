// What paper 001 prints: total times and frames a second of its GPU (Quadro P5000) and of 16 cores.
#pragma once

#include <cstdint>
#include <iterator>

namespace cuesta::bench::paper_001 {

inline constexpr int32_t sides[] = {64, 128, 256, 512, 1024};
inline constexpr double gpu_ms[] = {0.1758, 0.274, 0.731, 2.241, 7.1329};
inline constexpr double gpu_fps[] = {5688, 3649, 1367, 446, 140};
/// Rows over threads, 16 cores.
inline constexpr double cpu_fps[] = {4807, 1683, 705, 173, 41};
/// What they set out to reach at 1024 x 1024.
inline constexpr double goal_fps = 60;

/// A figure at its size; 0 at a size that the paper does not have.
constexpr double at(const double (&figures)[5], int32_t side) {
  for (size_t i = 0; i < std::size(sides); ++i) {
    if (sides[i] == side) return figures[i];
  }
  return 0;
}

}  // namespace cuesta::bench::paper_001
