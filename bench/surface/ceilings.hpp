// What a request of each class may take on an H100, times a device copy of its source, at 4096² and
// 8192². Classes without a figure have 0.
#pragma once

#include "bench/surface/requests.hpp"

namespace cuesta::bench {

/// The same class of pictures with several interleaved channels: 1.2 times the multiple.
Ceiling of_channels(Ceiling ceiling, int32_t channels);

Ceiling gaussian_ceiling(int taps, PixelType type);
Ceiling box_ceiling(int n);
Ceiling sharpen_ceiling(int n, PixelType type);
/// Of n × n taps of full rank.
Ceiling taps_ceiling(int n, bool floats, PixelType type);
Ceiling median_ceiling(int ksize, PixelType type);
/// For work bound by memory: 1.3 times the bytes that have to move.
Ceiling moved_ceiling(const char* group, PixelType from, int32_t channels, PixelType to,
                      int32_t result_channels);
Ceiling log_ceiling(const LogOptions& options, PixelType to);
Ceiling canny_ceiling(const CannyOptions& options, PixelType type, int32_t channels);
Ceiling boundaries_ceiling(const BoundaryOptions& options, int32_t channels);
Ceiling histogram_ceiling(PixelType type);
Ceiling morphology_ceiling(int n, bool two_steps, PixelType type);
Ceiling components_ceiling(bool labels, PixelType type);

}  // namespace cuesta::bench
