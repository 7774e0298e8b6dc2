// What another library offers for comparison. Each lives in a module of its own that the product
// never links: cuesta_peer_NAME.so beside the binary, or where CUESTA_PEERS says.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cuesta/exec.hpp"
#include "cuesta/image.hpp"

namespace cuesta::bench {

/// Pictures are host memory of the caller's; sizes and types have been checked. Every member keeps
/// its intermediates from call to call, as a careful user of the library would.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual const char* name() const = 0;
  virtual const char* version() const = 0;
  virtual void set_threads(int threads) = 0;

  /// Gaussian of `ksize` (0: none) and sigma, then Canny with L1 and aperture 3; u8.
  virtual void canny(ConstAnyView src, AnyView dst, int ksize, double sigma, double low,
                     double high) = 0;
  /// Gaussian 5 × 5 of sigma, then the 3 × 3 Laplacian into s16; no threshold.
  virtual void log(ConstAnyView src, double sigma) = 0;
  virtual void gaussian(ConstAnyView src, AnyView dst, int ksize, double sigma) = 0;
  /// Windows of ksize x ksize, border replicate; u8, u16 or f32.
  virtual void median(ConstAnyView src, AnyView dst, int ksize) = 0;
  /// Of aperture 3 and a u8 picture: min(|gx| + |gy|, 255) to u8, the root of gx² + gy² to f32.
  virtual void sobel_magnitude(ConstAnyView src, AnyView dst) = 0;
  /// Windows of n x n, reflect101; u8, u16 or f32 with any channels.
  virtual void box(ConstAnyView src, AnyView dst, int n) = 0;
  /// Dilation, or opening, by an n × n element; u8 or u16.
  virtual void morphology(ConstAnyView src, AnyView dst, bool open, std::span<const uint8_t> cells,
                          int n) = 0;
  /// 255 where src > limit; u8.
  virtual void threshold(ConstAnyView src, AnyView dst, double limit) = 0;
  /// Of u8 or u16; its counts stay with the peer.
  virtual void histogram(ConstAnyView src) = 0;
  /// gx and gy of aperture 3 in one pass; s16.
  virtual void gradients(ConstAnyView src, AnyView gx, AnyView gy) = 0;
  /// Correlation with n × n taps, reflect101; u8 or f32.
  virtual void correlate(ConstAnyView src, AnyView dst, std::span<const float> taps, int n) = 0;
  /// Closing, then opening, with an n × n ellipse; u8 mask.
  virtual void close_open(ConstAnyView src, AnyView dst, int n) = 0;
  /// 8-way components of a u8 mask: their areas, in any order.
  virtual void components(ConstAnyView mask, std::vector<int64_t>& areas) = 0;
  /// Gray or RGB frame, Gaussian 15, |frame − first|, > threshold, close and open with an n × n
  /// ellipse, components: their boxes, in any order. An empty plane forgets the first frame.
  /// Reported to `observer`, if any: the steps by the names of paper 004's tables.
  virtual void motion(ConstAnyView frame, double threshold, int n, std::vector<Rect>& boxes,
                      StageObserver* observer) = 0;
  /// Reads a video to its end; with a threshold above 0 finds the foreground in its gray frames as
  /// motion() does; draws the boxes and writes the frames as MPEG-4 where `out` names a file. How
  /// many frames there were; −1 where it cannot be read or written.
  virtual int64_t video(const char* file, double threshold, int n, const char* out) = 0;
};

/// What a peer module exports under the name below: a new Peer, or null where it was built against
/// another version of this header.
inline constexpr int peer_interface = 6;
using MakePeer = Peer* (*)(int interface);
inline constexpr const char* make_peer_symbol = "cuesta_make_peer";

}  // namespace cuesta::bench
