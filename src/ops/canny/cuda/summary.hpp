// What the automatic rules take from a histogram, found where it was counted (summary.cu).
#pragma once

#include "cuda/in_flight.cuh"
#include "ops/canny/threshold_rules.hpp"

namespace cuesta::canny_cuda {

struct DeviceSummary {
  MagnitudeSummary known;
  FoundLimits limits;  // by the device's arithmetic
};

/// Where summaries of pictures are written, from a picture on: to the host, and their limits to
/// device memory.
struct SummariesTo {
  cuda::PostTo<DeviceSummary> host;
  FoundLimits* limits;

  CUESTA_HOST_DEVICE SummariesTo operator+(int32_t picture) const {
    return {host + picture, limits + picture};
  }
};

/// Memory that summarise() takes, in bytes.
size_t summary_room();
/// Summarises the histograms of `pictures` pictures, whose bins are `bins` apart, all in device
/// memory. Waits for nothing.
void summarise(const ThresholdRule& rule, const uint32_t* histograms, int32_t bins,
               int32_t pictures, const SummariesTo& to, void* room, Call& call);

}  // namespace cuesta::canny_cuda
