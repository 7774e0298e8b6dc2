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

struct Unref {
  void operator()(AVBufferRef* p) const { av_buffer_unref(&p); }
};
using BufferPtr = std::unique_ptr<AVBufferRef, Unref>;

[[noreturn]] void throw_device(int device, std::string_view why) {
  throw Error(ErrorCode::device, fmt::format("decoding on cuda:{}: {}", device, why),
              fmt::format("cuda:{}", device));
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

/// The GPU's decoder where libav offers it for samples that have a luma plane, else libav's own.
AVPixelFormat choose_format(AVCodecContext*, const AVPixelFormat* offered) {
  AVPixelFormat own = AV_PIX_FMT_NONE, gpu = AV_PIX_FMT_NONE;
  for (; *offered != AV_PIX_FMT_NONE; ++offered) {
    const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(*offered);
    if (*offered == AV_PIX_FMT_CUDA)
      gpu = *offered;
    else if (own == AV_PIX_FMT_NONE && format && !(format->flags & AV_PIX_FMT_FLAG_HWACCEL))
      own = *offered;
  }
  const AVPixFmtDescriptor* samples = av_pix_fmt_desc_get(own);
  const bool has_luma = samples && !(samples->flags & AV_PIX_FMT_FLAG_RGB);
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

GpuDecoder::GpuDecoder(AVCodecContext& decoder, int device, int at_once) : device_(device) {
  check_there(device);
  const OnDevice scope(device);
  auto stream = std::make_unique<Stream>();  // makes the runtime's context, too
  BufferPtr gpu(av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_CUDA));
  if (!gpu) throw_device(device, "FFmpeg's libav was built here without it");
  auto& general = *reinterpret_cast<AVHWDeviceContext*>(gpu->data);
  auto& cuda = *static_cast<AVCUDADeviceContext*>(general.hwctx);
  cuda.cuda_ctx = context_of_runtime(device);
  cuda.stream = static_cast<CUstream>(stream->get());
  stream_ = stream->get();
  general.user_opaque = stream.release();
  general.free = [](AVHWDeviceContext* ends) { delete static_cast<Stream*>(ends->user_opaque); };
  const int error = av_hwdevice_ctx_init(gpu.get());
  av::check_resources(error);
  if (error < 0) throw_device(device, av::words(error));
  decoder.hw_device_ctx = gpu.release();
  decoder.get_format = choose_format;
  decoder.extra_hw_frames = at_once;
}

void GpuDecoder::wait() const {
  const OnDevice scope(device_);
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
