// Gradient and suppression of canny on CUDA, from source to candidates and strong pixels, without
// the warp: the order in which a warp's lanes do what nms_lane.hpp has. Host and device: the tests
// run 32 lanes in turn.
//
// A warp makes 240 columns of a strip of rows. Lane i holds 8 pixels of every row; lanes 1 to 30
// are the 240, lanes 0 and 31 the apron. It marches down: every row of the source is read once, and
// all that follows lives in registers, two pixels a register.
//
//      lane 0 |  lane 1 |  lane 2 | ...  | lane 30 | lane 31          one row, y going down
//     --------+---------+---------+------+---------+--------
//   1 smooth     the last 5 source rows, down then across   -> smoothed row y       (Half > 0)
//   2 differ     the last K smoothed rows                   -> gradients, magnitudes of row y - r
//   3 suppress   the last 3 rows of magnitudes              -> maxima of row y - r - 1
//
// r = K / 2. Each phase needs a neighbour's word on either side, and so exchanges once a row. Where
// a row lies in the picture's middle the phases run without a branch (plain_step), three rows at a
// time, so that the rows in registers change their names instead of moving.
#pragma once

#include "ops/canny/cuda/nms_lane.hpp"
#include "ops/canny/cuda/tiles.hpp"

namespace cuesta::canny_nms {

inline constexpr int warp_pixels = (lanes - 2) * lane_pixels;

/// Strips of 240 columns that cover the masks.
constexpr int32_t strips(int32_t width) { return (mask_bytes(width) + lanes - 3) / (lanes - 2); }
/// Rows that a warp makes of `pictures` equal ones of `strips` when `resident` warps fit the GPU at
/// once: one wave that ends together. Not fewer than `fewest`: half + K + 1 rows and more are begun
/// before the first comes out. Where even whole strips are more than a wave, the cut whose waves
/// end first, each as long as its rows and 8 more.
constexpr int32_t rows_per_warp(int32_t strips, int32_t height, int32_t pictures, int resident,
                                int32_t fewest = 8) {
  const auto rows_of = [&](int32_t chunks) {
    const int32_t rows = height / chunks + (height % chunks != 0);
    return rows < fewest ? fewest : rows;
  };
  const int64_t columns = int64_t(strips) * pictures;
  if (columns <= resident) return rows_of(int32_t(resident / columns));
  int32_t best = 0;
  int64_t least = INT64_MAX;
  for (int32_t chunks = 1; chunks <= 8; ++chunks) {
    const int32_t rows = rows_of(chunks);
    const int64_t warps = columns * ((int64_t(height) + rows - 1) / rows);
    const int64_t time = (warps + resident - 1) / resident * (rows + 8);
    if (time < least) least = time, best = rows;
  }
  return best;
}

/// Walks a warp whose lane 0 begins at column `base` down rows [first, end). `Warp` holds the
/// lanes:
///   each(f): f(lane) for every lane;
///   exchange(): from_left and from_right become the neighbours' to_right and to_left, or anything
///     in the first and the last lane;
///   broadcast(i, f): f(lane i).
/// magnitudes(y, lane) is called with every row of [first, end) in its rows[2], maxima(y, lane)
/// once find_maxima() speaks of row y.
template <class LaneType, int Half, class Warp, class WithMagnitudes, class WithMaxima>
CUESTA_HOST_DEVICE void march(Warp& warp, const Job& job, int32_t base, int32_t first, int32_t end,
                              WithMagnitudes&& magnitudes, WithMaxima&& maxima) {
  constexpr int r = LaneType::r;
  constexpr BorderMode mode = Half > 0 ? BorderMode::reflect101 : BorderMode::replicate;
  const int32_t width = job.width, height = job.height;
  const bool at_left = base < 0;
  const bool at_right = base + lanes * lane_pixels > width;
  const auto row_at = [&](int32_t y) { return job.src + ptrdiff_t(y) * job.src_stride; };
  const auto read = [&](int32_t y) {
    const uint8_t* row = row_at(map_index<mode>(y, height));
    warp.each([&](LaneType& lane) { lane.template read<mode>(row, width, lane.next); });
  };
  const auto push = [&] { warp.each([](LaneType& lane) { lane.push_raw(); }); };
  const auto smooth = [&] {
    if constexpr (Half > 0) {
      warp.each([&](LaneType& lane) { lane.sum(job); });
      warp.exchange();
      warp.each([&](LaneType& lane) { lane.smooth_across(job); });
    }
  };
  // Gradients replicate the smoothed picture; what was smoothed outside is no part of it.
  const auto replicate = [&] {
    if (at_left) {
      const uint32_t v =
          warp.broadcast(1, [](LaneType& lane) { return lane.bytes[0] & 255; }) * 0x01010101u;
      warp.each([&](LaneType& lane) { lane.replicate_left(v); });
    }
    if (at_right) {
      const int32_t last = width - 1 - base;
      const uint32_t v = warp.broadcast(last / lane_pixels, [&](LaneType& lane) {
        const int at = last % lane_pixels;
        return (at < 4 ? lane.bytes[0] : lane.bytes[1]) >> (8 * (at % 4)) & 255;
      }) * 0x01010101u;
      warp.each([&](LaneType& lane) { lane.replicate_right(v, width); });
    }
  };
  const auto take_smooth = [&] {
    warp.each([](LaneType& lane) { lane.offer_bytes(); });
    warp.exchange();
    warp.each([](LaneType& lane) { lane.push_smooth(); });
  };

  int32_t y = first - 1 - r;  // of the smoothed row; rows outside repeat the first or the last
  int32_t made = map_index<BorderMode::replicate>(y, height) - 1;
  for (int i = 1 - Half; i < 1 + Half; ++i) {
    read(made + i);
    push();
  }
  read(made + 1 + Half);

  // Phase 1: the next smoothed row, if the picture has one more; below it the last one is repeated.
  const auto advance_smoothed = [&] {
    if (made < map_index<BorderMode::replicate>(y, height)) {
      ++made;
      push();
      read(made + 1 + Half);  // ahead; the last one is not used
      smooth();
      if constexpr (Half > 0) replicate();
    }
    take_smooth();
  };
  // Phase 2: gradients and magnitudes of `row`; outside the picture there are none.
  const auto differentiate = [&](int32_t row) {
    warp.each([](LaneType& lane) { lane.push_rows(); });
    if (row < 0 || row >= height) {
      warp.each([](LaneType& lane) { lane.clear_row(); });
      return;
    }
    const uint8_t* mask = job.mask ? job.mask + ptrdiff_t(row) * job.mask_stride : nullptr;
    warp.each([&](LaneType& lane) {
      lane.differentiate();
      lane.measure();
      lane.find_valid(mask, width);
      lane.clear_invalid();
      lane.offer_magnitudes();
    });
    warp.exchange();
    warp.each([](LaneType& lane) { lane.take_neighbours(); });
  };
  // Phase 3: the maxima of the row above `row`, whose neighbours are all there now.
  const auto suppress = [&](int32_t row) {
    if (row >= first && row < end) warp.each([&](LaneType& lane) { magnitudes(row, lane); });
    if (row > first) warp.each([&](LaneType& lane) { maxima(row - 1, lane); });
    // Directions of this row are wanted when the next one is there.
    if (row >= 0 && row < height) warp.each([](LaneType& lane) { lane.find_directions(); });
  };
  // Any row.
  const auto step = [&] {
    advance_smoothed();
    const int32_t row = y - r;  // of the magnitudes
    if (row < first - 1) return;
    differentiate(row);
    suppress(row);
  };
  // The same where nothing special can happen: row y and what is read ahead lie inside the picture,
  // all columns do, there is no mask, and row y − r − 1 is one that the warp makes. Without a
  // branch the rows in registers need not move: three steps turn their names by themselves.
  const auto plain_step = [&] {
    ++made;
    push();
    const uint8_t* ahead = row_at(made + 1 + Half);
    warp.each([&](LaneType& lane) { lane.read_inside(ahead, lane.next); });
    smooth();
    take_smooth();
    warp.each([](LaneType& lane) {
      lane.push_rows();
      lane.differentiate();
      lane.measure();
      lane.all_valid();
      lane.offer_magnitudes();
    });
    warp.exchange();
    warp.each([&](LaneType& lane) {
      lane.take_neighbours();
      magnitudes(y - r, lane);
      maxima(y - r - 1, lane);
      lane.find_directions();
    });
    ++y;
  };
  constexpr int unrolled = 3;
  const bool interior = base >= 3 && base + lanes * lane_pixels + 4 <= width && !job.mask;
  const int32_t plain_first = first + r + 1;
  const int32_t below = height - 1 - Half;
  const int32_t plain_end = !interior ? 0 : end + r < below ? end + r : below;
  for (; y <= end + r; ++y) {
    if (y >= plain_first) {
      while (y + unrolled <= plain_end) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
        for (int i = 0; i < unrolled; ++i) plain_step();
      }
    }
    step();
  }
}

}  // namespace cuesta::canny_nms
