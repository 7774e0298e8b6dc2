// From what a decoder delivers to upright 8-bit planes. Luma is never scaled, filtered or dithered.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cuesta/image.hpp"
#include "io/av.hpp"
#include "io/chroma.hpp"
#include "io/frames.hpp"

namespace cuesta::io {

/// How stored samples become upright: output (x, y) reads stored (x, y), or (y, x) where
/// `transposed`, counted from the far end of the stored axis where flipped.
struct Orientation {
  bool transposed = false, flip_x = false, flip_y = false;
  bool upright() const { return !transposed && !flip_x && !flip_y; }
  /// Degrees clockwise and whether mirrored first, for messages.
  int degrees() const;
};
/// Of a container's 3 × 3 display matrix (16.16 fixed point); nothing where it turns by other
/// angles than multiples of 90 degrees.
std::optional<Orientation> orientation_of(const int32_t* matrix);

/// Writes `src` turned upright.
void orient(ImageView<const uint8_t> src, ImageView<uint8_t> dst, Orientation how);

class VideoPlanes {
 public:
  /// The sampling that keeps the color of `format` (an upright stream's, or a turned one's); c444
  /// where there is no exact one.
  static Chroma chroma_for(AVPixelFormat format, bool transposed);
  /// Whether `format` has no luma plane, so that luma is the gray of the library's to_gray(), full
  /// range.
  static bool is_rgb(AVPixelFormat format);

  /// Points the planes of `out` at the samples of `frame`, or at upright 8-bit copies. More than 8
  /// bits are rounded (to_8_bits). Valid while `frame` is and until the
  /// next call. Throws Error{input} for a format that nothing here or in swscale reads.
  void convert(const AVFrame& frame, Chroma chroma, Orientation how, const std::string& name,
               Frame& out);

 private:
  ImageView<const uint8_t> component(const AVFrame& frame, const AVPixFmtDescriptor& format,
                                     int index, Image<uint8_t>& buffer);
  void from_rgb(const AVFrame& frame, const std::string& name);
  ConstAnyView finished(ImageView<const uint8_t> plane, Orientation how, Image<uint8_t>& buffer);

  std::array<Image<uint8_t>, 3> samples_, sampled_, turned_;
  Image<uint8_t> rgb_;
  std::vector<uint16_t> line_;
  av::SwsPtr to_rgb_;
  std::array<int, 3> to_rgb_for_{};
};

}  // namespace cuesta::io
