#ifdef CUESTA_HAS_VIDEO
#include "io/video_format.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cuesta::io {
namespace {

/// Whether samples fill 0..255. Unsaid, RGB, JPEG's formats and plain gray files do; coded video
/// does not.
bool is_full_range(const AVFrame& frame, AVPixelFormat format, AVCodecID codec) {
  if (VideoPlanes::is_rgb(format)) return true;
  if (frame.color_range == AVCOL_RANGE_JPEG) return true;
  if (frame.color_range == AVCOL_RANGE_MPEG) return false;
  switch (format) {
    case AV_PIX_FMT_YUVJ411P:
    case AV_PIX_FMT_YUVJ420P:
    case AV_PIX_FMT_YUVJ422P:
    case AV_PIX_FMT_YUVJ440P:
    case AV_PIX_FMT_YUVJ444P: return true;
    default: break;
  }
  const AVPixFmtDescriptor* d = av_pix_fmt_desc_get(format);
  const bool plain = codec == AV_CODEC_ID_RAWVIDEO || codec == AV_CODEC_ID_FFV1 ||
                     codec == AV_CODEC_ID_HUFFYUV || codec == AV_CODEC_ID_FFVHUFF ||
                     codec == AV_CODEC_ID_PNG;
  return d->nb_components < 3 && plain;
}

/// One of H.273's numbers, or 2, "unspecified".
template <class Enum>
uint8_t known_or_unsaid(const Enum* stored, int end) {
  static_assert(sizeof(Enum) == sizeof(int));
  int value = 0;
  std::memcpy(&value, stored, sizeof value);
  return value >= 0 && value < end ? uint8_t(value) : 2;
}

}  // namespace

VideoFormat describe(const VideoPackets& packets, const VideoDecoder& decoder, const AVFrame& f) {
  AVStream& stream = packets.stream();
  VideoFormat found;
  StreamFormat& format = found.stream;
  const int32_t* matrix = av::display_matrix(stream);
  if (!matrix) {
    const AVFrameSideData* data = av_frame_get_side_data(&f, AV_FRAME_DATA_DISPLAYMATRIX);
    if (data && data->size >= 36) matrix = reinterpret_cast<const int32_t*>(data->data);
  }
  if (matrix) found.orientation = orientation_of(matrix).value_or(Orientation{});
  const AVPixelFormat stored = decoder.stored_format(f);
  found.samples = av_get_pix_fmt_name(stored);
  const bool turned = found.orientation.transposed;
  format.width = turned ? f.height : f.width;
  format.height = turned ? f.width : f.height;
  format.chroma = VideoPlanes::chroma_for(stored, turned);
  format.full_range = is_full_range(f, stored, decoder.codec());
  if (const AVPixFmtDescriptor* sample = av_pix_fmt_desc_get(stored))
    format.bits = std::max(8, sample->comp[0].depth);
  const AVRational rate =
      av::positive_or(av_guess_frame_rate(&packets.context(), &stream, nullptr), {25, 1});
  format.rate_num = rate.num;
  format.rate_den = rate.den;
  format.time_base_num = stream.time_base.num;
  format.time_base_den = stream.time_base.den;
  AVRational aspect = av::positive_or(
      av_guess_sample_aspect_ratio(&packets.context(), &stream, const_cast<AVFrame*>(&f)), {1, 1});
  if (turned) std::swap(aspect.num, aspect.den);
  format.aspect_num = aspect.num;
  format.aspect_den = aspect.den;
  if (VideoPlanes::is_rgb(stored)) {
    format.matrix = AVCOL_SPC_SMPTE170M;  // as VideoPlanes makes YUV of RGB
  } else {
    // Damaged files bring numbers that are none of libav's: read as what they are stored in.
    format.primaries = known_or_unsaid(&f.color_primaries, AVCOL_PRI_NB);
    format.transfer = known_or_unsaid(&f.color_trc, AVCOL_TRC_NB);
    format.matrix = known_or_unsaid(&f.colorspace, AVCOL_SPC_NB);
  }
  format.start = double(packets.input().start()) / AV_TIME_BASE;
  return found;
}

}  // namespace cuesta::io
#endif
