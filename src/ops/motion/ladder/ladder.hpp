// Paper 004's versions, as the table of motion names them. Each is one file.
#pragma once

#include "ops/motion/args.hpp"

namespace cuesta::motion_ladder {

/// Launch shapes of the grid search; the first values are what it found best on an H200
/// (2026-11-21, 596 x 336). Some pairs are no block; `supports` says so.
inline constexpr std::string_view block_x_values[] = {"16", "32", "8", "64"};
inline constexpr std::string_view block_y_values[] = {"32", "16", "8", "4"};
inline constexpr ParameterInfo launch_shape[] = {
    {"block_x", "threads along a row of a block", block_x_values},
    {"block_y", "rows of threads of a block", block_y_values}};

/// What v1.2 and v1.3 take as arguments of kernels, and the shared memory of a block.
inline constexpr int max_blur = 15, max_cells = 256;
inline constexpr int max_shared_bytes = 48 * 1024;

/// Bytes of the tile that a block of wide x high threads reads under a window.
constexpr int tile_bytes(int wide, int high, int window_width, int window_height) {
  return (wide + window_width - 1) * (high + window_height - 1);
}

void v1_0(const MotionArgs& args, Call& call);
void v1_1(const MotionArgs& args, Call& call);
void v1_2(const MotionArgs& args, Call& call);
void v1_3(const MotionArgs& args, Call& call);

}  // namespace cuesta::motion_ladder
