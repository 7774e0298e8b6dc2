// From what a decoder delivers to upright 8-bit planes. Luma is never scaled, filtered or dithered.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "cuesta/image.hpp"
#include "cuesta/io/frames.hpp"
#include "io/av.hpp"
#include "io/chroma.hpp"

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

/// Writes `src` turned upright. T: uint8_t, uint16_t.
template <class T>
void orient(ImageView<const T> src, ImageView<T> dst, Orientation how);

/// A decoded frame, and what of its planes is not in place.
struct FramePlanes {
  av::FramePtr decoded{av_frame_alloc()};
  av::FramePtr on_gpu{};  ///< the same where a GPU decoded it
  std::array<Image<uint8_t>, 3> samples{}, sampled{}, turned{};
  Image<uint16_t> deep{}, deep_turned{};

  void clear() {
    if (decoded) av_frame_unref(decoded.get());
    on_gpu.reset();
  }
};

class VideoPlanes {
 public:
  /// The sampling that keeps the color of `format` (an upright stream's, or a turned one's); c444
  /// where there is no exact one.
  static Chroma chroma_for(AVPixelFormat format, bool transposed);
  /// Whether `format` has no luma plane, so that luma is the gray of the library's to_gray(), full
  /// range.
  static bool is_rgb(AVPixelFormat format);

  /// Points the planes of `out` at the samples of `from.decoded`, or at upright 8-bit copies in
  /// `from`. More than 8 bits are rounded (to_8_bits), and kept beside that where `keep_depth` says
  /// so. Throws Error{input} for a format that
  /// nothing here or in swscale reads.
  void convert(FramePlanes& from, Chroma chroma, Orientation how, bool keep_depth,
               const std::string& name, Frame& out);

 private:
  ImageView<const uint8_t> component(const AVFrame& frame, const AVPixFmtDescriptor& format,
                                     int index, Image<uint8_t>& buffer);
  void from_rgb(const AVFrame& frame, const std::string& name,
                std::array<Image<uint8_t>, 3>& samples);
  template <class T>
  static ConstAnyView finished(ImageView<const T> plane, Orientation how, Image<T>& buffer);
  ImageView<const uint16_t> deep_luma(const AVFrame& frame, const AVPixFmtDescriptor& format,
                                      Image<uint16_t>& buffer);

  Image<uint8_t> rgb_;
  std::vector<uint16_t> line_;
  av::SwsPtr to_rgb_;
  std::array<int, 3> to_rgb_for_{};
};

}  // namespace cuesta::io
