// What the device's strategies of pixel share: the source's type, and the way of a histogram's
// bins.
#pragma once

#include <algorithm>

#include "cuda/in_flight.cuh"
#include "ops/pixel/args.hpp"

namespace cuesta::pixel_cuda {

/// Calls body(T{}) for the source type.
template <class Body>
void for_integers(const PixelArgs& args, Body&& body) {
  args.a.type == PixelType::u8 ? body(uint8_t()) : body(uint16_t());
}
template <class Body>
void for_samples(const PixelArgs& args, Body&& body) {
  args.a.type == PixelType::f32 ? body(float()) : for_integers(args, body);
}
/// Calls body(From{}, To{}) for the types of source and result.
template <class Body>
void for_both_samples(const PixelArgs& args, Body&& body) {
  for_samples(args, [&](auto from) {
    switch (args.dst.type) {
      case PixelType::u8: return body(from, uint8_t());
      case PixelType::u16: return body(from, uint16_t());
      default: return body(from, float());
    }
  });
}

/// Clears bins of type Count in scratch memory, calls add(bins), which adds to them on the call's
/// stream, and waits until args.bins has what they hold.
template <class Count, class Add>
void fill_bins(const PixelArgs& args, Call& call, Add&& add) {
  const size_t n = args.bins.size();
  auto* bins = call.scratch().take<Count>(n);
  cuda::check(cudaMemsetAsync(bins, 0, n * sizeof(Count), cuda::stream_of(call)),
              "pixel: clearing the histogram");
  add(bins);
  Scratch host(call.nested(), Space::host);
  cuda::InFlight<Count> counted(bins, n, call, "pixel: reading the histogram");
  std::ranges::copy(counted.await(host), args.bins.begin());
}

}  // namespace cuesta::pixel_cuda
