// How many rows a thread marches down.
#pragma once

#include <cstdint>

#include "cuda/launch.cuh"
#include "cuda/limits.hpp"

namespace cuesta::cuda {

/// Rows a thread marches, so that the waves of blocks of `columns_per_block` end first when
/// `resident` of them fit a multiprocessor: a wave takes its rows and those that a thread reads
/// before it writes. From `least` to 64. H200, 2026-11-30, Sobel of 4096²: 32 rows, one wave, took
/// 25.8 µs (u16, magnitude) and 53.3 µs (u8, angles); 16, two waves, 26.8 and 57.7; 512² with
/// angles 4 rows 7.0, 8 10.2, 16 17.5.
inline int32_t rows_in_waves(ConstAnyView picture, int32_t columns_per_block, int32_t resident,
                             int32_t least) {
  constexpr int32_t most = 64, before = 6;
  const int64_t at_once = int64_t(resident) * multiprocessors();
  int32_t best = least;
  int64_t shortest = INT64_MAX;
  for (int32_t rows = least; rows <= most; ++rows) {
    const dim3 grid = tiles(picture, columns_per_block, rows);
    const int64_t waves = (int64_t(grid.x) * grid.y + at_once - 1) / at_once;
    if (waves * (rows + before) < shortest) shortest = waves * (rows + before), best = rows;
  }
  return best;
}

}  // namespace cuesta::cuda
