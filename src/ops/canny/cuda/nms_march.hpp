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
// a row is in the picture's middle the phases run without a branch (plain_step), three rows at a
// time, so that the rows in registers change their names instead of moving.
#pragma once

#include "ops/canny/cuda/nms_lane.hpp"
#include "ops/canny/cuda/tiles.hpp"

namespace cuesta::canny_nms {

inline constexpr int warp_pixels = (lanes - 2) * lane_pixels;

/// Strips of 240 columns that cover the masks.
constexpr int32_t strips(int32_t width) { return (mask_bytes(width) + lanes - 3) / (lanes - 2); }
/// Rows of a warp, for `pictures` equal pictures of `strips` strips, when `resident` warps fit the
/// GPU at once: one wave that ends together. At least `fewest` rows, since half + K + 1 rows of
/// warm-up precede the first output. If whole strips exceed one wave, the split whose waves end
/// first; a wave takes its rows and 8 more.
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

/// A warp whose lane 0 begins at column `base` marches down rows [first, end). `Warp` holds the
/// lanes:
///   each(f): f(lane) for every lane;
///   exchange(): from_left and from_right become the neighbours' to_right and to_left, or anything
///     in the first and the last lane;
///   broadcast(i, f): f(lane i).
/// magnitudes(y, lane) is called with every row of [first, end) in its rows[2], maxima(y, lane)
/// once find_maxima() speaks of row y.
template <class LaneType, int Half, class Warp>
struct March {
  static constexpr int r = LaneType::r;
  static constexpr BorderMode mode = Half > 0 ? BorderMode::reflect101 : BorderMode::replicate;
  Warp& warp;
  const Job& job;
  int32_t base, first, end;
  bool at_left, at_right;  // some of the warp's columns are beside the picture
  int32_t y;               // of the smoothed row; rows outside repeat the first or the last
  int32_t made;            // the last smoothed row that was made

  CUESTA_HOST_DEVICE const uint8_t* row_at(int32_t row) const {
    return job.src + ptrdiff_t(row) * job.src_stride;
  }
  CUESTA_HOST_DEVICE void read(int32_t source_row) {
    const uint8_t* row = row_at(map_index<mode>(source_row, job.height));
    warp.each([&](LaneType& lane) { lane.template read<mode>(row, job.width, lane.next); });
  }
  CUESTA_HOST_DEVICE void push() {
    warp.each([](LaneType& lane) { lane.push_raw(); });
  }
  /// The source rows that the first smoothed row needs.
  CUESTA_HOST_DEVICE void begin() {
    y = first - 1 - r;
    made = map_index<BorderMode::replicate>(y, job.height) - 1;
    for (int i = 1 - Half; i < 1 + Half; ++i) {
      read(made + i);
      push();
    }
    read(made + 1 + Half);
  }

  CUESTA_HOST_DEVICE void smooth() {
    if constexpr (Half > 0) {
      warp.each([&](LaneType& lane) { lane.sum(job); });
      warp.exchange();
      warp.each([&](LaneType& lane) { lane.smooth_across(job); });
    }
  }
  /// Gradients replicate the smoothed picture; what was smoothed outside is no part of it.
  CUESTA_HOST_DEVICE void replicate() {
    if (at_left) {
      const uint32_t v =
          warp.broadcast(1, [](LaneType& lane) { return lane.bytes[0] & 255; }) * 0x01010101u;
      warp.each([&](LaneType& lane) { lane.replicate_left(v); });
    }
    if (at_right) {
      const int32_t last = job.width - 1 - base;
      const uint32_t v = warp.broadcast(last / lane_pixels, [&](LaneType& lane) {
        const int at = last % lane_pixels;
        return (at < 4 ? lane.bytes[0] : lane.bytes[1]) >> (8 * (at % 4)) & 255;
      }) * 0x01010101u;
      warp.each([&](LaneType& lane) { lane.replicate_right(v, job.width); });
    }
  }
  CUESTA_HOST_DEVICE void take_smooth() {
    warp.each([](LaneType& lane) { lane.offer_bytes(); });
    warp.exchange();
    warp.each([](LaneType& lane) { lane.push_smooth(); });
  }
  /// Phase 1: the next smoothed row, if the picture has one more; below it the last is repeated.
  CUESTA_HOST_DEVICE void advance_smoothed() {
    if (made < map_index<BorderMode::replicate>(y, job.height)) {
      ++made;
      push();
      read(made + 1 + Half);  // ahead; the last one is not used
      smooth();
      if constexpr (Half > 0) replicate();
    }
    take_smooth();
  }

  /// Phase 2: gradients and magnitudes of `row`; outside the picture there are none.
  CUESTA_HOST_DEVICE void differentiate(int32_t row) {
    warp.each([](LaneType& lane) { lane.push_rows(); });
    if (row < 0 || row >= job.height) {
      warp.each([](LaneType& lane) { lane.clear_row(); });
      return;
    }
    const uint8_t* mask = job.mask ? job.mask + ptrdiff_t(row) * job.mask_stride : nullptr;
    warp.each([&](LaneType& lane) {
      lane.differentiate();
      lane.measure();
      lane.find_valid(mask, job.width);
      lane.clear_invalid();
      lane.offer_magnitudes();
    });
    warp.exchange();
    warp.each([](LaneType& lane) { lane.take_neighbours(); });
  }
  /// Phase 3: the maxima of the row above `row`, whose neighbours are all there now.
  template <class WithMagnitudes, class WithMaxima>
  CUESTA_HOST_DEVICE void suppress(int32_t row, WithMagnitudes& magnitudes, WithMaxima& maxima) {
    if (row >= first && row < end) warp.each([&](LaneType& lane) { magnitudes(row, lane); });
    if (row > first) warp.each([&](LaneType& lane) { maxima(row - 1, lane); });
    // Directions of this row are wanted when the next one is there.
    if (row >= 0 && row < job.height) warp.each([](LaneType& lane) { lane.find_directions(); });
  }

  /// Any row.
  template <class WithMagnitudes, class WithMaxima>
  CUESTA_HOST_DEVICE void step(WithMagnitudes& magnitudes, WithMaxima& maxima) {
    advance_smoothed();
    const int32_t row = y - r;  // of the magnitudes
    if (row < first - 1) return;
    differentiate(row);
    suppress(row, magnitudes, maxima);
  }
  /// The same where nothing special can happen: row y and what is read ahead are inside the
  /// picture, all columns do, there is no mask, and row y − r − 1 is one that the warp makes.
  /// Without a branch the rows in registers need not move: three steps turn their names by
  /// themselves.
  template <class WithMagnitudes, class WithMaxima>
  CUESTA_HOST_DEVICE void plain_step(WithMagnitudes& magnitudes, WithMaxima& maxima) {
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
  }

  template <class WithMagnitudes, class WithMaxima>
  CUESTA_HOST_DEVICE void run(WithMagnitudes& magnitudes, WithMaxima& maxima) {
    begin();
    constexpr int unrolled = 3;
    const bool interior = base >= 3 && base + lanes * lane_pixels + 4 <= job.width && !job.mask;
    const int32_t plain_first = first + r + 1;
    const int32_t below = job.height - 1 - Half;
    const int32_t plain_end = !interior ? 0 : end + r < below ? end + r : below;
    for (; y <= end + r; ++y) {
      if (y >= plain_first) {
        while (y + unrolled <= plain_end) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
          for (int i = 0; i < unrolled; ++i) plain_step(magnitudes, maxima);
        }
      }
      step(magnitudes, maxima);
    }
  }
};
template <class LaneType, int Half, class Warp, class WithMagnitudes, class WithMaxima>
CUESTA_HOST_DEVICE void march(Warp& warp, const Job& job, int32_t base, int32_t first, int32_t end,
                              WithMagnitudes&& magnitudes, WithMaxima&& maxima) {
  const bool at_left = base<0, at_right = base + lanes * lane_pixels> job.width;
  March<LaneType, Half, Warp>{warp, job, base, first, end, at_left, at_right, 0, 0}.run(magnitudes,
                                                                                        maxima);
}

}  // namespace cuesta::canny_nms
