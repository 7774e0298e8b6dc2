// What is between the production gradient and suppression and hysteresis, and these two for other
// rows.
#pragma once

#include <functional>

#include "cuesta/batch.hpp"
#include "ops/canny/cuda.hpp"
#include "ops/canny/cuda/device.cuh"
#include "ops/shared/bit_masks.hpp"

namespace cuesta::canny_cuda {

using hysteresis::Masks;

/// Warps of a block of the gradient and suppression.
inline constexpr int nms_warps = 4;
/// What it writes: masks as bytes of 8 pixels, or bins; those of each picture after those
/// of the one before.
struct NmsOutput {
  uint8_t *candidates, *strong;
  uint32_t* bins;
  int32_t bins_per_picture;
};

/// 4 bits as 4 bytes of 0 or 255.
__device__ inline uint32_t spread_bits(uint32_t bits) {
  return ((bits & 15) * 0x00204081u & 0x01010101u) * 255u;
}

/// What the production gradient reads: the first picture of a batch, smoothed where it was to be,
/// and the distances from row to row, from picture to picture and, where three channels were
/// smoothed, from one's plane to the next in bytes; else channels are side by side.
struct Source {
  const void* data;
  ptrdiff_t stride, step, plane = 0;
};
/// What with_masks() and find_strengths() do for Front::tiles: a block takes a tile. The limits are
/// `found` on the device, or null and the thresholds in args.result.
void find_masks_in_tiles(const CannyArgs& args, const Source& src, const Masks& masks,
                         const FoundLimits* found, Call& call);
void find_strengths_in_tiles(const CannyArgs& args, const Source& src, Call& call);
/// Counts the magnitudes of any request into `bins`: bins_of() for each picture, cleared.
void count_in_columns(const CannyArgs& args, const Source& src, uint32_t* bins, Call& call);

/// The production gradient and suppression: enqueues smoothing, gradient, suppression and
/// thresholds, and calls use(masks), which enqueues the readers of the masks. Then it waits for
/// thresholds that the device found, and sets args.result of every picture. The masks live in the
/// call's scratch memory.
void with_masks(const CannyArgs& args, Front front, Call& call,
                const std::function<void(const Masks&)>& use);
/// The masks by the first front that takes the request, with thresholds settled.
Masks find_masks(const CannyArgs& args, Call& call);
/// Smoothing, gradient and suppression to the strengths of args.dst, of every picture.
void find_strengths(const CannyArgs& args, Call& call);
/// Adds the magnitudes of a picture to bins_of() bins on the device.
void count_magnitudes(const CannyArgs& args, Front front, uint32_t* bins, Call& call);
/// Pictures of a batch that go through the kernels together.
int32_t pictures_per_chunk(const CannyArgs& args, Front front);

}  // namespace cuesta::canny_cuda
