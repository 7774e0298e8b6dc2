// What another GPU library offers for comparison: a module like the peers of peer.hpp.
#pragma once

#include <span>

#include "cuesta/image.hpp"

namespace cuesta::bench {

/// Pictures are device memory of the caller's, one channel. Calls enqueue on `stream`; scratch and
/// taps stay from call to call. Borders are reflect101 where the library has it, else replicate.
/// A call that the library refuses throws std::runtime_error with its reason.
class DevicePeer {
 public:
  virtual ~DevicePeer() = default;
  virtual const char* name() const = 0;
  virtual const char* version() const = 0;

  /// Correlation with n × n taps; u8 or f32.
  virtual void correlate(ConstAnyView src, AnyView dst, std::span<const float> taps, int n,
                         void* stream) = 0;
  /// Both passes of a Gaussian with these taps across and down, which sum to 1; u8 or f32.
  virtual void gaussian(ConstAnyView src, AnyView dst, std::span<const float> taps,
                        void* stream) = 0;
  /// min(|gx| + |gy|, 255) of aperture 3; u8.
  virtual void sobel_magnitude(ConstAnyView src, AnyView dst, void* stream) = 0;
  /// Canny with L1 and aperture 3, after a Gaussian of these taps where there are any; u8.
  virtual void canny(ConstAnyView src, AnyView dst, std::span<const float> taps, double low,
                     double high, void* stream) = 0;
  /// 8-way labels of a u8 mask in s32, numbered as the library does.
  virtual void label(ConstAnyView mask, AnyView labels, void* stream) = 0;
};

/// What a module exports under the name below: a new peer for the GPU `device`, or null where it
/// was built against another version of this header.
inline constexpr int device_peer_interface = 1;
using MakeDevicePeer = DevicePeer* (*)(int interface, int device);
inline constexpr const char* make_device_peer_symbol = "cuesta_make_device_peer";

}  // namespace cuesta::bench
