// What a video stream's first frame and its container say of its format.
#pragma once

#include "cuesta/io/frames.hpp"
#include "io/video_decoder.hpp"
#include "io/video_packets.hpp"
#include "io/video_planes.hpp"

namespace cuesta::io {

struct VideoFormat {
  StreamFormat stream;
  Orientation orientation;
  const char* samples = nullptr;  // how they are stored, as libav names it
};

/// Describes the stream whose first frame is `first`.
VideoFormat describe(const VideoPackets& packets, const VideoDecoder& decoder,
                     const AVFrame& first);

}  // namespace cuesta::io
