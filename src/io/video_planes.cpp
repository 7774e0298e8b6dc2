#ifdef CUESTA_HAS_VIDEO
#include "io/video_planes.hpp"
#include "cuesta/fill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "cuesta/io/colors.hpp"
#include "io/errors.hpp"

namespace cuesta::io {
namespace {

bool is_yuv(const AVPixFmtDescriptor& d, AVPixelFormat format) {
  constexpr uint64_t other = AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BAYER |
                             AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_FLOAT |
                             AV_PIX_FMT_FLAG_BITSTREAM;
  return !(d.flags & other) && d.comp[0].depth >= 8 && format != AV_PIX_FMT_XYZ12LE &&
         format != AV_PIX_FMT_XYZ12BE;
}

template <class T>
void reuse(Image<T>& image, int32_t width, int32_t height, int32_t channels = 1) {
  const auto v = image.view();
  if (v.width != width || v.height != height || v.channels != channels)
    image = Image<T>(width, height, channels);
}

/// Whether a component's samples can be read as bytes, the low one first.
bool is_native(const AVPixFmtDescriptor& format, const AVComponentDescriptor& c) {
  return std::endian::native == std::endian::little && !(format.flags & AV_PIX_FMT_FLAG_BE) &&
         c.shift + c.depth <= 16;
}

/// One sample of more than 8 bits of such a component.
uint32_t sample_at(const uint8_t* at, const AVComponentDescriptor& c) {
  return ((at[0] | uint32_t(at[1]) << 8) >> c.shift) & ((1u << c.depth) - 1);
}

}  // namespace

int Orientation::degrees() const {
  if (!transposed) return flip_y ? 180 : 0;
  return flip_y ? 90 : 270;
}

std::optional<Orientation> orientation_of(const int32_t* matrix) {
  // x' = a x + c y, y' = b x + d y, with rows (a b u), (c d v), (x y w).
  const int64_t a = matrix[0], b = matrix[1], c = matrix[3], d = matrix[4];
  const auto none = [](int64_t v, int64_t of) { return std::abs(v) * 1000 < std::abs(of); };
  if (a != 0 && d != 0 && none(b, a) && none(c, d)) return Orientation{false, a < 0, d < 0};
  // Output x runs along stored y and the other way round: stored x = ±y', stored y = ±x'.
  if (b != 0 && c != 0 && none(a, b) && none(d, c)) return Orientation{true, b < 0, c < 0};
  return std::nullopt;
}

template <class T>
void orient(ImageView<const T> src, ImageView<T> dst, Orientation how) {
  const int32_t last_x = src.width - 1, last_y = src.height - 1;
  if (!how.transposed) {
    for (int32_t y = 0; y < dst.height; ++y) {
      const T* from = src.row(how.flip_y ? last_y - y : y);
      if (how.flip_x)
        std::reverse_copy(from, from + src.width, dst.row(y));
      else
        std::copy_n(from, src.width, dst.row(y));
    }
    return;
  }
  constexpr int32_t block = 32;  // 32 rows of a cache line each stay in L1
  for (int32_t y0 = 0; y0 < dst.height; y0 += block) {
    for (int32_t x0 = 0; x0 < dst.width; x0 += block) {
      const int32_t y1 = std::min(dst.height, y0 + block), x1 = std::min(dst.width, x0 + block);
      for (int32_t y = y0; y < y1; ++y) {
        const int32_t column = how.flip_x ? last_x - y : y;
        T* to = dst.row(y);
        for (int32_t x = x0; x < x1; ++x) to[x] = src.row(how.flip_y ? last_y - x : x)[column];
      }
    }
  }
}

template void orient(ImageView<const uint8_t>, ImageView<uint8_t>, Orientation);
template void orient(ImageView<const uint16_t>, ImageView<uint16_t>, Orientation);

Chroma VideoPlanes::chroma_for(AVPixelFormat format, bool transposed) {
  const AVPixFmtDescriptor* d = av_pix_fmt_desc_get(format);
  if (!d || !is_yuv(*d, format)) return Chroma::c444;
  if (d->nb_components < 3) return Chroma::none;
  const ChromaShift shift{d->log2_chroma_w, d->log2_chroma_h};
  if (shift == shift_of(Chroma::c420)) return Chroma::c420;
  if (shift == shift_of(Chroma::c422) && !transposed) return Chroma::c422;
  return Chroma::c444;
}

bool VideoPlanes::is_rgb(AVPixelFormat format) {
  const AVPixFmtDescriptor* d = av_pix_fmt_desc_get(format);
  return !d || !is_yuv(*d, format);
}

// One component of a YUV or gray frame as 8-bit samples: in place, or in `buffer`.
ImageView<const uint8_t> VideoPlanes::component(const AVFrame& frame,
                                                const AVPixFmtDescriptor& format, int index,
                                                Image<uint8_t>& buffer) {
  const AVComponentDescriptor& c = format.comp[index];
  const int32_t width = index ? shifted(frame.width, format.log2_chroma_w) : frame.width;
  const int32_t height = index ? shifted(frame.height, format.log2_chroma_h) : frame.height;
  const ptrdiff_t stride = frame.linesize[c.plane];
  const uint8_t* first = frame.data[c.plane] + c.offset;
  const bool bytes = c.depth == 8 && c.shift == 0;
  if (bytes && c.step == 1 && stride >= width) return {first, width, height, 1, stride};

  reuse(buffer, width, height);
  const auto out = buffer.view();
  const bool native = is_native(format, c);
  for (int32_t y = 0; y < height; ++y) {
    const uint8_t* row = first + y * stride;
    uint8_t* to = out.row(y);
    if (bytes) {
      for (int32_t x = 0; x < width; ++x) to[x] = row[ptrdiff_t(x) * c.step];
    } else if (native && c.depth > 8) {
      for (int32_t x = 0; x < width; ++x)
        to[x] = to_8_bits(sample_at(row + ptrdiff_t(x) * c.step, c), c.depth);
    } else {
      line_.resize(size_t(width));
      av_read_image_line2(line_.data(), const_cast<const uint8_t**>(frame.data), frame.linesize,
                          &format, 0, y, index, width, 0, sizeof line_[0]);
      for (int32_t x = 0; x < width; ++x) to[x] = to_8_bits(line_[size_t(x)], c.depth);
    }
  }
  return out;
}

// Luma with its bits highest.
ImageView<const uint16_t> VideoPlanes::deep_luma(const AVFrame& frame,
                                                 const AVPixFmtDescriptor& format,
                                                 Image<uint16_t>& buffer) {
  const AVComponentDescriptor& c = format.comp[0];
  const int up = 16 - c.depth;
  reuse(buffer, frame.width, frame.height);
  const bool native = is_native(format, c);
  for (int32_t y = 0; y < frame.height; ++y) {
    const uint8_t* row = frame.data[c.plane] + c.offset + ptrdiff_t(y) * frame.linesize[c.plane];
    uint16_t* to = buffer.row(y);
    if (native) {
      for (int32_t x = 0; x < frame.width; ++x)
        to[x] = uint16_t(sample_at(row + ptrdiff_t(x) * c.step, c) << up);
    } else {
      av_read_image_line2(to, const_cast<const uint8_t**>(frame.data), frame.linesize, &format, 0,
                          y, 0, frame.width, 0, sizeof *to);
      for (int32_t x = 0; x < frame.width; ++x) to[x] = uint16_t(to[x] << up);
    }
  }
  return buffer.view();
}

void VideoPlanes::from_rgb(const AVFrame& frame, const std::string& name,
                           std::array<Image<uint8_t>, 3>& samples) {
  const std::array<int, 3> request{frame.width, frame.height, frame.format};
  if (!to_rgb_ || request != to_rgb_for_) {
    to_rgb_.reset(sws_getContext(frame.width, frame.height, AVPixelFormat(frame.format),
                                 frame.width, frame.height, AV_PIX_FMT_RGB24,
                                 SWS_POINT | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, nullptr,
                                 nullptr, nullptr));
    to_rgb_for_ = request;
  }
  if (!to_rgb_) {
    const char* format = av_get_pix_fmt_name(AVPixelFormat(frame.format));
    throw_input(name, fmt::format("pixel format {} is not supported", format ? format : "?"));
  }
  reuse(rgb_, frame.width, frame.height, 3);
  const auto rgb = rgb_.view();
  uint8_t* planes[4] = {rgb.data};
  const int strides[4] = {int(rgb.stride_bytes)};
  sws_scale(to_rgb_.get(), frame.data, frame.linesize, 0, frame.height, planes, strides);

  for (auto& plane : samples) reuse(plane, frame.width, frame.height);
  make_planes(rgb, samples[0], samples[1], samples[2]);
}

template <class T>
ConstAnyView VideoPlanes::finished(ImageView<const T> plane, Orientation how, Image<T>& buffer) {
  if (how.upright()) return plane;
  reuse(buffer, how.transposed ? plane.height : plane.width,
        how.transposed ? plane.width : plane.height);
  orient<T>(plane, buffer.view(), how);
  return ImageView<const T>(buffer.view());
}

void VideoPlanes::convert(FramePlanes& from, Chroma chroma, Orientation how, bool keep_depth,
                          const std::string& name, Frame& out) {
  const AVFrame& frame = *from.decoded;
  auto& samples = from.samples;
  auto& sampled = from.sampled;
  auto& turned = from.turned;
  const auto format = AVPixelFormat(frame.format);
  const AVPixFmtDescriptor* d = av_pix_fmt_desc_get(format);
  const bool rgb = is_rgb(format);
  if (rgb) from_rgb(frame, name, samples);

  const ImageView<const uint8_t> luma =
      rgb ? samples[0].view() : component(frame, *d, 0, samples[0]);
  out.luma = finished<uint8_t>(luma, how, turned[0]);
  out.deep_luma = {};
  if (keep_depth && !rgb && d->comp[0].depth > 8)
    out.deep_luma = finished<uint16_t>(deep_luma(frame, *d, from.deep), how, from.deep_turned);
  const ChromaShift stored = rgb ? ChromaShift{} : ChromaShift{d->log2_chroma_w, d->log2_chroma_h};
  const ChromaShift wanted = shift_of(chroma);  // a turned stream is never c422
  for (int i = 1; i <= 2; ++i) {
    ConstAnyView& plane = i == 1 ? out.cb : out.cr;
    plane = {};
    if (chroma == Chroma::none) continue;
    ImageView<const uint8_t> view;
    const auto n = size_t(i);
    if (rgb) {
      view = samples[n].view();
    } else if (d->nb_components >= 3) {
      view = component(frame, *d, i, samples[n]);
    } else {  // a gray frame in a stream that began with color
      reuse(samples[n], shifted(frame.width, stored.x), shifted(frame.height, stored.y));
      fill(samples[n].view(), 128);
      view = samples[n].view();
    }
    if (stored != wanted) {
      reuse(sampled[n], shifted(frame.width, wanted.x), shifted(frame.height, wanted.y));
      resample_chroma(view, stored, sampled[n].view(), wanted);
      view = sampled[n].view();
    }
    plane = finished<uint8_t>(view, how, turned[n]);
  }
}

}  // namespace cuesta::io
#endif
