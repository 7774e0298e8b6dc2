// The strategies of canny on CUDA, those of ladder/ aside. No CUDA type: the table reads it.
#pragma once

#include "ops/canny/args.hpp"

namespace cuesta::canny_cuda {

/// Strategy `plain`, on the device; it takes every picture. Pixels are numbered in 64 bits where 32
/// do not suffice, or on request: so the checks reach that without a picture of 2^31 pixels.
void plain(const CannyArgs& args, Call& call);
inline constexpr std::string_view plain_numbers[] = {"auto", "64"};
inline constexpr ParameterInfo plain_parameters[] = {
    {"numbers", "bits that number a pixel in hysteresis; auto: 32 up to 2^31 pixels",
     plain_numbers}};

/// The production kernels for the gradient and suppression, in the order in which the table has
/// them: the first that takes a request runs it. Those of u8 count for automatic thresholds, too,
/// others mark what cuda/count.cu has counted.
enum class Front {
  march_fp16,   // a warp marches down a strip, u8 in pairs of fp16 (cuda/half_lane.cuh)
  march_fp32,   // the same in floats, of u16 (cuda/wide_lane.cuh)
  march_int16,  // the same in pairs of 16-bit integers, which can smooth (cuda/nms_march.hpp)
  tiles,        // a block takes a tile in shared memory (cuda/tile_front.cu)
};
inline constexpr Front fronts[] = {Front::march_fp16, Front::march_fp32, Front::march_int16,
                                   Front::tiles};
/// Why `front` does not take the request, or nothing.
std::string_view refusal_of(Front front, const CannyArgs& args);
/// The production strategies: `front` to one-bit masks, then hysteresis in tiles.
template <Front>
void production(const CannyArgs& args, Call& call);

}  // namespace cuesta::canny_cuda
