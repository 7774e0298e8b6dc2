// The oracle, by stages and rows, so that `rows` can spread them over threads.
#pragma once

#include "ops/canny/args.hpp"
#include "ops/canny/thresholds.hpp"

namespace cuesta {

/// The whole pictures between the stages. What has a ring is 2 wider and higher than the source;
/// pixel (x, y) lies at (x + 1, y + 1), and the ring is 0.
struct CannyStages {
  enum : uint8_t { none, candidate, strong };

  ConstAnyView smoothed;         // the source where sigma is 0
  ImageView<int32_t> gx, gy;     // divided by 16 for aperture 7
  ImageView<int64_t> magnitude;  // with a ring
  ImageView<uint8_t> marks;      // with a ring
};

/// Memory for the stages, rings cleared.
CannyStages canny_stages(const CannyArgs& args, Scratch& scratch);
/// Smoothing and gradient, by the strategy `name` of the public gaussian() and sobel(), with
/// threads; announces both.
void canny_gradients(const CannyArgs& args, CannyStages& stages, Call& call, std::string_view name,
                     int threads);
/// Rows [first, end) of the magnitude: gradients scaled, norm, mask.
void canny_magnitude_rows(const CannyArgs& args, const CannyStages& stages, int32_t first,
                          int32_t end);
/// Adds rows [first, end) to `bins` (canny_bins of them).
void canny_histogram_rows(const CannyArgs& args, const CannyStages& stages, int32_t first,
                          int32_t end, std::span<uint64_t> bins);
/// Non-maximum suppression: rows [first, end) of the marks become `candidate` at every maximum,
/// else `none`.
void canny_suppress_rows(const CannyStages& stages, int32_t first, int32_t end);
/// The two thresholds: of the maxima in rows [first, end), those up to low become `none`, those
/// above high `strong`.
void canny_threshold_rows(const CannyStages& stages, const CannyLimits& limits, int32_t first,
                          int32_t end);

/// Strategy `serial`.
void canny_serial(const CannyArgs& args, Call& call);
/// Strategy `rows`.
void canny_rows(const CannyArgs& args, Call& call);
/// Strategy `simd`, and what it takes.
void canny_simd(const CannyArgs& args, Call& call);
std::string_view canny_simd_supports(const CannyArgs& args, const Parameters&);
/// Strategy `plain`, on the device; it takes every picture. Pixels are numbered in 64 bits where 32
/// do not suffice, or when told to: so the checks reach that without a picture of 2^31 pixels.
void canny_plain(const CannyArgs& args, Call& call);
inline constexpr std::string_view canny_plain_numbers[] = {"auto", "64"};
inline constexpr ParameterInfo canny_plain_parameters[] = {
    {"numbers", "bits that number a pixel in hysteresis; auto: 32 up to 2^31 pixels",
     canny_plain_numbers}};

}  // namespace cuesta
