#ifdef CUESTA_HAS_VIDEO
#include "io/gpu_decoder.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "core/on_device.hpp"
#include "cuesta/device.hpp"

// Of <cuda.h>, which builds without a toolkit have not, libav's header needs the names of two
// handles.
#define CUDA_VERSION 1
using CUcontext = struct CUctx_st*;
using CUstream = struct CUstream_st*;
extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/hwcontext_cuda.h>
}

namespace cuesta::io {
namespace {

[[noreturn]] void throw_device(const GpuDecoding& asked, std::string_view why) {
  throw Error(ErrorCode::device, fmt::format("decoding on {}: {}", name_of(asked), why),
              name_of(asked));
}

[[noreturn]] void throw_device(int device, std::string_view why) {
  throw_device(GpuDecoding{.device = device}, why);
}

void check_there(int device) {
  std::string why;
  const auto gpus = list_devices(&why);
  const auto is_it = [&](const DeviceInfo& one) { return one.index == device; };
  if (std::none_of(gpus.begin(), gpus.end(), is_it))
    throw_device(device, gpus.empty() ? why : "there is no such GPU");
}

/// The context that the CUDA runtime, and with it all of the library, uses on the calling thread's
/// GPU: what is decoded in it can be worked on in place. The runtime has no function for it.
CUcontext context_of_runtime(int device) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);  // stays loaded
  if (!driver) throw_device(device, "there is no NVIDIA driver (libcuda.so.1)");
  const auto current = reinterpret_cast<int (*)(CUcontext*)>(dlsym(driver, "cuCtxGetCurrent"));
  CUcontext context = nullptr;
  if (!current || current(&context) != 0 || !context)
    throw_device(device, "the driver gives no context for it");
  return context;
}

struct Offer {
  GpuDecoders by;
  AVHWDeviceType device;
  AVPixelFormat frames;
};
constexpr Offer offers[] = {
    {GpuDecoders::cuda, AV_HWDEVICE_TYPE_CUDA, AV_PIX_FMT_CUDA},
    {GpuDecoders::vaapi, AV_HWDEVICE_TYPE_VAAPI, AV_PIX_FMT_VAAPI},
    {GpuDecoders::qsv, AV_HWDEVICE_TYPE_QSV, AV_PIX_FMT_QSV},
};
const Offer& offer_of(GpuDecoders by) { return *std::ranges::find(offers, by, &Offer::by); }

/// The GPU's decoder where libav offers it for samples that have a luma plane, else libav's own.
AVPixelFormat choose_format(AVCodecContext* decoder, const AVPixelFormat* offered) {
  const auto* device = reinterpret_cast<const AVHWDeviceContext*>(decoder->hw_device_ctx->data);
  const AVPixelFormat wanted = std::ranges::find(offers, device->type, &Offer::device)->frames;
  AVPixelFormat own = AV_PIX_FMT_NONE, gpu = AV_PIX_FMT_NONE;
  for (; *offered != AV_PIX_FMT_NONE; ++offered) {
    const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(*offered);
    if (*offered == wanted)
      gpu = *offered;
    else if (own == AV_PIX_FMT_NONE && format && !(format->flags & AV_PIX_FMT_FLAG_HWACCEL))
      own = *offered;
  }
  // Quick Sync offers samples of its own, all with a luma plane, or none besides.
  const AVPixFmtDescriptor* samples = av_pix_fmt_desc_get(own);
  const bool has_luma =
      samples ? !(samples->flags & AV_PIX_FMT_FLAG_RGB) : device->type == AV_HWDEVICE_TYPE_QSV;
  return has_luma && gpu != AV_PIX_FMT_NONE ? gpu : own;
}

AVPixelFormat stored_format(const AVFrame& frame) {
  return reinterpret_cast<const AVHWFramesContext*>(frame.hw_frames_ctx->data)->sw_format;
}

}  // namespace

std::string why_not_on_gpu(AVCodecID codec) {
  switch (codec) {
    case AV_CODEC_ID_H264:
    case AV_CODEC_ID_HEVC:
    case AV_CODEC_ID_VP8:
    case AV_CODEC_ID_VP9: return {};
    default:
      return fmt::format("GPUs are given H.264, HEVC, VP8 and VP9, not {}",
                         avcodec_get_name(codec));
  }
}

void GpuDecoder::Unref::operator()(AVBufferRef* p) const { av_buffer_unref(&p); }

bool GpuDecoder::made(const AVFrame& frame) {
  return std::ranges::find(offers, AVPixelFormat(frame.format), &Offer::frames) != std::end(offers);
}

GpuDecoder::GpuDecoder(const GpuDecoding& asked) : asked_(asked) {
  if (asked.by == GpuDecoders::cuda) {
    open_cuda();
    return;
  }
  AVBufferRef* gpu = nullptr;
  const int error = av_hwdevice_ctx_create(&gpu, offer_of(asked.by).device, nullptr, nullptr, 0);
  gpu_.reset(gpu);
  av::check_resources(error);
  if (error < 0)
    throw_device(asked, has_render_node() ? fmt::format("no device opens: {}", av::words(error))
                                          : "this machine has no /dev/dri/renderD*");
}

void GpuDecoder::open_cuda() {
  const int device = asked_.device;
  check_there(device);
  const OnDevice scope(device);
  auto stream = std::make_unique<Stream>();  // makes the runtime's context, too
  gpu_.reset(av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_CUDA));
  if (!gpu_) throw_device(device, "FFmpeg's libav was built here without it");
  auto& general = *reinterpret_cast<AVHWDeviceContext*>(gpu_->data);
  auto& cuda = *static_cast<AVCUDADeviceContext*>(general.hwctx);
  cuda.cuda_ctx = context_of_runtime(device);
  cuda.stream = static_cast<CUstream>(stream->get());
  stream_ = stream->get();
  general.user_opaque = stream.release();
  general.free = [](AVHWDeviceContext* ends) { delete static_cast<Stream*>(ends->user_opaque); };
  const int error = av_hwdevice_ctx_init(gpu_.get());
  av::check_resources(error);
  if (error < 0) throw_device(device, av::words(error));
}

const AVCodec* GpuDecoder::codec(AVCodecID id) const {
  if (asked_.by != GpuDecoders::qsv) return avcodec_find_decoder(id);
  return avcodec_find_decoder_by_name(fmt::format("{}_qsv", avcodec_get_name(id)).c_str());
}

void GpuDecoder::attach(AVCodecContext& decoder, int at_once) const {
  decoder.hw_device_ctx = av_buffer_ref(gpu_.get());
  if (!decoder.hw_device_ctx) throw std::bad_alloc();
  decoder.get_format = choose_format;
  decoder.extra_hw_frames = at_once;
}

void GpuDecoder::wait() const {
  if (!keeps_frames()) return;
  const OnDevice scope(asked_.device);
  cuesta::wait(stream_);
}

av::FramePtr GpuDecoder::ref(const AVFrame& frame) {
  av::FramePtr other(av_frame_clone(&frame));
  if (!other) throw std::bad_alloc();
  return other;
}

ConstAnyView GpuDecoder::luma(const AVFrame& frame) {
  const AVPixFmtDescriptor& format = *av_pix_fmt_desc_get(stored_format(frame));
  const PixelType type = format.comp[0].depth > 8 ? PixelType::u16 : PixelType::u8;
  return ConstAnyView(frame.data[0], frame.width, frame.height, 1, frame.linesize[0], type,
                      Space::device);
}

void GpuDecoder::download(av::FramePtr& frame) {
  av::FramePtr here(av_frame_alloc());
  if (!here) throw std::bad_alloc();
  int error = av_hwframe_transfer_data(here.get(), frame.get(), 0);
  if (error >= 0) error = av_frame_copy_props(here.get(), frame.get());
  av::check_resources(error);
  if (error < 0)
    throw Error(ErrorCode::device,
                fmt::format("a decoded frame stays on the GPU: {}", av::words(error)));
  frame = std::move(here);
}

}  // namespace cuesta::io
#endif
