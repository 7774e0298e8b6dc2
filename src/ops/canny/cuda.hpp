// The strategies of canny on CUDA, those of ladder/ aside. No CUDA type: the table reads it.
#pragma once

#include "ops/canny/args.hpp"

namespace cuesta::canny_cuda {

/// Strategy `plain`, on the device; it takes every picture. Pixels are numbered in 64 bits where 32
/// do not suffice, or when told to: so the checks reach that without a picture of 2^31 pixels.
void plain(const CannyArgs& args, Call& call);
inline constexpr std::string_view plain_numbers[] = {"auto", "64"};
inline constexpr ParameterInfo plain_parameters[] = {
    {"numbers", "bits that number a pixel in hysteresis; auto: 32 up to 2^31 pixels",
     plain_numbers}};
/// One kernel to one-bit masks; hysteresis by sets of runs.
void fused(const CannyArgs& args, Call& call);

}  // namespace cuesta::canny_cuda
