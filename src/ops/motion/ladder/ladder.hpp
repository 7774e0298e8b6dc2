// Paper 004's versions, as the table of motion names them. Each is one file.
#pragma once

#include <algorithm>

#include "cuesta/border.hpp"
#include "ops/motion/args.hpp"

namespace cuesta::motion_ladder {

/// The paper brings a picture of labels to the host and fills boxes there; ours can.
inline constexpr std::string_view boxes_values[] = {"gpu", "host"};
inline constexpr ParameterInfo boxes_only[] = {
    {"boxes", "who gathers the objects: the GPU, or the host from labels that come down",
     boxes_values}};

/// The windows of v1.0 to v1.3. A mask is of the element's box, which each thread tests cell by
/// cell; the blur's taps and sums are floats with it.
inline constexpr std::string_view windows_values[] = {"cells", "mask"};
inline constexpr std::string_view windows_meaning =
    "integer taps and a list of an element's cells; or float taps and a mask, as paper 004";
inline constexpr ParameterInfo boxes_and_windows[] = {boxes_only[0],
                                                      {"windows", windows_meaning, windows_values}};

/// Launch shapes of the grid search; the first values are what it found best on an H200
/// (2026-11-21, 596 x 336). Some pairs are no block; `supports` says so.
inline constexpr std::string_view block_x_values[] = {"16", "32", "8", "64"};
inline constexpr std::string_view block_y_values[] = {"32", "16", "8", "4"};
inline constexpr ParameterInfo launch_shape[] = {
    boxes_only[0],
    {"block_x", "threads along a row of a block", block_x_values},
    {"block_y", "rows of threads of a block", block_y_values}};

inline constexpr ParameterInfo searched_shape[] = {boxes_only[0], boxes_and_windows[1],
                                                   launch_shape[1], launch_shape[2]};

/// Of v1.5, whose blocks march: wide ones, whose rows are several chunks, and not many threads.
inline constexpr std::string_view marching_x_values[] = {"32", "16", "64"};
inline constexpr std::string_view marching_y_values[] = {"8", "16", "4"};
inline constexpr std::string_view tiles_values[] = {"4"};
inline constexpr std::string_view copy_values[] = {"async", "bulk"};
inline constexpr ParameterInfo marching_shape[] = {
    boxes_only[0],
    {"block_x", "threads along a row of a block", marching_x_values},
    {"block_y", "rows of threads of a block", marching_y_values},
    {"tiles", "tiles that a block marches down", tiles_values, 1, 64},
    {"copy", "how a tile comes: 16 bytes by each thread, or a row of it by the copy engine",
     copy_values}};

/// What v1.2 and its followers take as arguments of kernels, and the shared memory of a block.
inline constexpr int max_blur = 15, max_cells = 256, max_mask = 1024;
inline constexpr int max_shared_bytes = 48 * 1024;

/// Bytes of the tile that a block of wide x high threads reads under a window.
constexpr int tile_bytes(int wide, int high, int window_width, int window_height) {
  return (wide + window_width - 1) * (high + window_height - 1);
}

/// Bytes from row to row of a tile of v1.4 and v1.5: 64 threads, a window of 15, and 15 more before
/// the first chunk's used bytes, in whole chunks.
inline constexpr int tile_pitch = 96;
/// Bytes that are copied at once, from and to a multiple of as many.
inline constexpr int chunk = 16;

/// The columns of a tile of v1.5: whole chunks of the picture's rows; those that reach
/// past the picture are loaded sample by sample.
struct TileColumns {
  int32_t first;   ///< of the first chunk: a multiple of 16, -16 where it is left of the picture
  int32_t shift;   ///< of the tile's own first column in it
  int32_t chunks;  ///< of a row
  int32_t whole, whole_end;  ///< chunks that are inside the picture

  /// A tile of `wide` columns from `column` on, which is at most 15 left of a picture of `width`.
  CUESTA_HOST_DEVICE constexpr TileColumns(int32_t column, int32_t wide, int32_t width)
      : first(column & -chunk),
        shift(column - first),
        chunks((shift + wide + chunk - 1) / chunk),
        whole(first < 0 ? 1 : 0),
        whole_end(std::min(chunks, (width - first) / chunk)) {}

  CUESTA_HOST_DEVICE constexpr bool is_whole(int32_t c) const {
    return c >= whole && c < whole_end;
  }
};

/// Whether this build's kernels and the GPU in use copy in bulk. Throws Error{device} where there
/// is none.
bool has_bulk_copies();

void v1_0(const MotionArgs& args, Call& call);
void v1_1(const MotionArgs& args, Call& call);
void v1_2(const MotionArgs& args, Call& call);
void v1_3(const MotionArgs& args, Call& call);
void v1_4(const MotionArgs& args, Call& call);
void v1_5(const MotionArgs& args, Call& call);

}  // namespace cuesta::motion_ladder
