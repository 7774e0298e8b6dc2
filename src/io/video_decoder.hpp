// A video stream's decoder: libav's on the CPU, or a GPU's.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "io/av.hpp"
#include "io/gpu_decoder.hpp"
#include "io/video_packets.hpp"

namespace cuesta::io {

/// The pictures of an H.264 or MPEG-2 stream that were sent and have not come. Its decoder drops,
/// without a word, what it takes for no picture.
class PicturesDue {
 public:
  void sent(const AVPacket& packet, const AVCodecParameters& codec);
  void came(const AVFrame& frame);
  void clear() { due_.clear(); }
  /// Their times, in the stream's time base, in the order in which they were sent. All are lost
  /// when the decoder has ended.
  const std::deque<int64_t>& due() const { return due_; }

 private:
  std::deque<int64_t> due_;
  std::optional<int64_t>
      first_;                   // time of the first that came: what is shown before may be skipped
  bool is_interlaced_ = false;  // a field alone is no frame
};

class VideoDecoder {
 public:
  /// Opens the decoder of `packets`' stream, of a GPU where `limits` ask for one and it takes the
  /// codec. Keeps references to both. Throws Error{input} naming the file: this build has no such
  /// decoder; Error{unsupported}: the GPU is required and does not take it; std::bad_alloc.
  VideoDecoder(const VideoPackets& packets, const StreamLimits& limits);

  AVCodecID codec() const { return context_->codec_id; }
  const std::optional<GpuDecoder>& gpu() const { return gpu_; }
  /// Why the CPU decodes though a GPU was asked for; empty otherwise.
  const std::string& why_not_gpu() const { return why_not_gpu_; }
  /// How the stream's samples are stored, whoever decodes them.
  AVPixelFormat stored_format(const AVFrame& frame) const;

  /// Sends a packet, or null: there are no more. Returns libav's error; throws std::bad_alloc.
  int send(const AVPacket* packet);
  /// Receives a frame. Returns libav's error; throws std::bad_alloc.
  int receive(AVFrame& frame);
  /// What it dropped since the last call, in libav's words; empty where nothing was. Ask after
  /// receive().
  std::string take_complaint();
  /// Which pictures did not come, in words; empty where all did. Ask when receive() has ended.
  std::string lost_pictures() const;
  /// Forgets the frames that are in flight.
  void flush() {
    avcodec_flush_buffers(context_.get());
    pictures_.clear();
  }

  /// Whether the first frame, null where there is none, shows that the GPU decodes this stream;
  /// else why_not_gpu() says why not. Throws Error{unsupported} where the GPU is required.
  bool stays_on_gpu(const AVFrame* first);
  /// Starts again on the CPU.
  void reopen_on_cpu();

 private:
  void open(bool asks_gpu);
  const AVCodec* open_gpu();
  void refuse_gpu(std::string why);

  const VideoPackets& packets_;
  const StreamLimits& limits_;
  av::Complaints complaints_;  // before the context, whose threads end with it
  av::CodecPtr context_;
  PicturesDue pictures_;
  std::optional<GpuDecoder> gpu_;
  std::string why_not_gpu_;
};

}  // namespace cuesta::io
