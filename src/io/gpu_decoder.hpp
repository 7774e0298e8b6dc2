// Decoding by a GPU's own decoder (NVDEC, VA-API, Quick Sync), through libav's hardware frames.
#pragma once

#include <memory>
#include <string>

#include "cuesta/io/frames.hpp"
#include "io/av.hpp"

namespace cuesta::io {

/// Why video of this codec is not given to a GPU, as the end of a sentence; empty where it may be.
/// Given are those whose standard says what a decoder's samples are, to the bit (H.264, HEVC, VP8,
/// VP9), so that every decoder's are the same.
std::string why_not_on_gpu(AVCodecID codec);

/// A GPU's decoder, for one AVCodecContext.
class GpuDecoder {
 public:
  /// Opens the device. Throws Error{device}: there is no such GPU, or no driver; std::bad_alloc.
  explicit GpuDecoder(const GpuDecoding& asked);

  /// libav's decoder of a codec, which attach() takes; null where this build has none.
  const AVCodec* codec(AVCodecID id) const;
  /// Has `decoder`, which is not open yet, decode on the GPU what that takes; else frames are
  /// libav's own, in host memory. `at_once` frames are kept at once at most. Throws std::bad_alloc.
  void attach(AVCodecContext& decoder, int at_once) const;

  /// Whether decoded frames stay in the memory that the library's kernels read.
  bool keeps_frames() const { return asked_.by == GpuDecoders::cuda; }
  /// Waits until the samples of all frames that this decoder made are there. Throws Error{device}.
  void wait() const;
  std::string name() const { return name_of(asked_); }

  /// Whether a decoded frame is on a GPU.
  static bool made(const AVFrame& frame);
  /// Another owner of the same samples. Throws std::bad_alloc.
  static av::FramePtr ref(const AVFrame& frame);
  /// The luma of such a frame, in place: u8, or u16 with the bits highest. Holds as long as it.
  static ConstAnyView luma(const AVFrame& frame);
  /// Replaces such a frame by its copy in host memory. Throws std::bad_alloc, Error{device}.
  static void download(av::FramePtr& frame);

 private:
  struct Unref {
    void operator()(AVBufferRef* p) const;
  };
  void open_cuda();

  GpuDecoding asked_;
  std::unique_ptr<AVBufferRef, Unref> gpu_{};
  void* stream_ = nullptr;  // its memory is libav's, as frames live on without this
};

}  // namespace cuesta::io
