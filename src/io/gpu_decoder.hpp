// Decoding by a GPU's own decoder (NVDEC), through libav's hardware frames.
#pragma once

#include <string>

#include "io/av.hpp"
#include "io/frames.hpp"

namespace cuesta::io {

/// Why video of this codec is not given to a GPU, as the end of a sentence; empty where it may be.
/// Given are those whose standard says what a decoder's samples are, to the bit (H.264, HEVC, VP8,
/// VP9), so that every decoder's are the same.
std::string why_not_on_gpu(AVCodecID codec);

/// A GPU's decoder, for one AVCodecContext.
class GpuDecoder {
 public:
  /// Has `decoder`, which is not open yet, decode on GPU `device` what that GPU takes; else frames
  /// are libav's own, in host memory. `at_once` frames are kept at once at most. Throws
  /// Error{device}: there is no such GPU, or no driver; std::bad_alloc.
  GpuDecoder(AVCodecContext& decoder, int device, int at_once);

  /// Waits until the samples of all frames that this decoder made are there. Throws Error{device}.
  void wait() const;
  int device() const { return device_; }

  /// Whether a decoded frame is on a GPU.
  static bool made(const AVFrame& frame) { return frame.format == AV_PIX_FMT_CUDA; }
  /// Another owner of the same samples. Throws std::bad_alloc.
  static av::FramePtr ref(const AVFrame& frame);
  /// The luma of such a frame, in place: u8, or u16 with the bits highest. Holds as long as it.
  static ConstAnyView luma(const AVFrame& frame);
  /// Replaces such a frame by its copy in host memory. Throws std::bad_alloc, Error{device}.
  static void download(av::FramePtr& frame);

 private:
  int device_;
  void* stream_ = nullptr;  // its memory is libav's, as frames live on without this
};

}  // namespace cuesta::io
