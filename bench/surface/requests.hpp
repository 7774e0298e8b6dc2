// The requests of experiment `surface`: every operation, type, number of channels and output, and
// every option by its description.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/peers/peer.hpp"
#include "cuesta/cuesta.hpp"

namespace cuesta::bench {

/// A class of requests, and what one of them may take on a GPU at 4096² and 8192².
struct Ceiling {
  std::string group{};  ///< "gaussian u8, to 31 taps"
  double copies = 0;    ///< times a device copy of the source; 0: none is set
};

struct SurfaceRequest {
  std::string operation{}, text{};  ///< "convolve", "gaussian, sigma 3, 3 channels"
  PixelType type{};                 ///< of the source
  int32_t channels = 1;
  PixelType result{};  ///< none: the result is no picture
  int32_t result_channels = 1;
  Ceiling ceiling{};
  std::function<void(ConstAnyView src, AnyView dst, const Exec& exec)> call{};
  /// The same by OpenCV on the host; empty: it has no such function.
  std::function<void(Peer& opencv, ConstAnyView src, AnyView dst)> opencv{};
};

/// Returns all requests, those of one source type and number of channels together.
std::vector<SurfaceRequest> surface_requests();

}  // namespace cuesta::bench
