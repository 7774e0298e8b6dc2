// What the automatic rules take from a histogram, found where it was counted (summary.cu).
#pragma once

#include "core/strategy.hpp"
#include "ops/canny/thresholds.hpp"

namespace cuesta::canny_cuda {

/// Histograms of more bins are summarised on the device; fewer are copied sooner.
inline constexpr int32_t few_bins = 8192;

struct DeviceSummary {
  MagnitudeSummary known;
  /// Bins that may be Otsu's. 1: known.otsu is; otherwise the host decides.
  uint32_t otsu_candidates;
};

/// Summarises one picture's histogram of n bins to `summary`, all in device memory. Waits for
/// nothing. `room` is summary_room(n) bytes.
size_t summary_room(int32_t n);
void summarise(const CannyOptions& options, PixelType type, const uint32_t* bins, int32_t n,
               DeviceSummary* summary, void* room, Call& call);

}  // namespace cuesta::canny_cuda
