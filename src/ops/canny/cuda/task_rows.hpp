// How the columns of pictures are shared among warps that count magnitudes (count.cu). Host and
// device.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cuesta/border.hpp"

namespace cuesta::canny_cuda {

/// Parts of a length, where the last may be shorter: strips across a picture, tasks down it.
CUESTA_HOST_DEVICE constexpr int32_t parts_of(int32_t length, int32_t part) {
  return length / part + (length % part != 0);
}

/// Rows of a task where `warps` take one after the other, `before` rows of work precede a task's
/// own, and it has `fewest` of these unless the picture has less: those with which the last warp
/// ends first.
constexpr int32_t task_rows(int32_t strips, int32_t height, int32_t warps, int32_t fewest,
                            int32_t before) {
  const int32_t most = std::max(1, std::min(height / fewest, 2 * (warps / strips) + 8));
  int32_t best = height;
  int64_t least = INT64_MAX;
  for (int32_t chunks = 1; chunks <= most; ++chunks) {
    const int32_t rows = parts_of(height, chunks);
    const int64_t tasks = int64_t(strips) * parts_of(height, rows);
    const int64_t time = (tasks + warps - 1) / warps * (int64_t(rows) + before);
    if (time < least) least = time, best = rows;
  }
  return best;
}

}  // namespace cuesta::canny_cuda
