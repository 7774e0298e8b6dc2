// NPP as a peer, called as its documentation suggests: the application's stream context, pitched
// device pictures, scratch kept.
#include <cuda_runtime_api.h>
#include <npp.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/peers/device_peer.hpp"

namespace cuesta::bench {
namespace {

void check(cudaError_t status, const char* doing) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(doing) + ": " + cudaGetErrorString(status));
}

void check(NppStatus status, const char* doing) {
  // Positive values are warnings.
  if (status < NPP_SUCCESS)
    throw std::runtime_error(std::string(doing) + ": NPP status " + std::to_string(int(status)));
}

// Device memory that grows.
class Scratch {
 public:
  ~Scratch() { cudaFree(memory_); }
  template <class T>
  T* take(size_t count) {
    const size_t bytes = count * sizeof(T);
    if (bytes > bytes_) {
      cudaFree(memory_);
      memory_ = nullptr;
      bytes_ = 0;
      check(cudaMalloc(&memory_, bytes), "scratch");
      bytes_ = bytes;
    }
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_ = nullptr;
  size_t bytes_ = 0;
};

// Taps on the device, uploaded when they change.
class Taps {
 public:
  const float* on_device(std::vector<float> taps) {
    if (taps != held_) {
      // Calls in flight still read the old ones.
      check(cudaDeviceSynchronize(), "waiting for the GPU");
      float* there = memory_.take<float>(taps.size());
      check(cudaMemcpy(there, taps.data(), taps.size() * sizeof(float), cudaMemcpyHostToDevice),
            "uploading taps");
      held_ = std::move(taps);
      device_ = there;
    }
    return device_;
  }

 private:
  Scratch memory_;
  std::vector<float> held_;
  const float* device_ = nullptr;
};

NppiSize size_of(ConstAnyView picture) { return {picture.width, picture.height}; }
int step_of(ConstAnyView picture) { return int(picture.stride_bytes); }
template <class T>
const T* from(ConstAnyView picture) {
  return static_cast<const T*>(picture.data);
}
template <class T>
T* to(AnyView picture) {
  return static_cast<T*>(picture.data);
}

constexpr NppiBorderType borders[] = {NPP_BORDER_MIRROR, NPP_BORDER_REPLICATE};

// With the first border that the function takes.
template <class Call>
void with_border(const char* doing, Call call) {
  NppStatus status = NPP_SUCCESS;
  for (const NppiBorderType border : borders) {
    status = call(border);
    if (status >= NPP_SUCCESS) return;
  }
  check(status, doing);
}

class Npp final : public DevicePeer {
 public:
  explicit Npp(int device) {
    check(cudaSetDevice(device), "choosing the GPU");
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, device), "asking the GPU");
    context_.nCudaDeviceId = device;
    context_.nMultiProcessorCount = properties.multiProcessorCount;
    context_.nMaxThreadsPerMultiProcessor = properties.maxThreadsPerMultiProcessor;
    context_.nMaxThreadsPerBlock = properties.maxThreadsPerBlock;
    context_.nSharedMemPerBlock = properties.sharedMemPerBlock;
    context_.nCudaDevAttrComputeCapabilityMajor = properties.major;
    context_.nCudaDevAttrComputeCapabilityMinor = properties.minor;
    const NppLibraryVersion* version = nppGetLibVersion();
    version_ = std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
               std::to_string(version->build);
  }
  const char* name() const override { return "npp"; }
  const char* version() const override { return version_.c_str(); }

  void correlate(ConstAnyView src, AnyView dst, std::span<const float> taps, int n,
                 void* stream) override {
    const auto context = on(stream);
    // NPP convolves: its taps stand in reverse order.
    const float* device = window_.on_device({taps.rbegin(), taps.rend()});
    const NppiSize window = {n, n};
    const NppiPoint anchor = {n / 2, n / 2};
    with_border("filter", [&](NppiBorderType border) {
      if (src.type == PixelType::u16) {
        return nppiFilterBorder32f_16u_C1R_Ctx(from<Npp16u>(src), step_of(src), size_of(src),
                                               {0, 0}, to<Npp16u>(dst), step_of(dst), size_of(src),
                                               device, window, anchor, border, context);
      }
      return src.type == PixelType::u8
                 ? nppiFilterBorder32f_8u_C1R_Ctx(
                       from<Npp8u>(src), step_of(src), size_of(src), {0, 0}, to<Npp8u>(dst),
                       step_of(dst), size_of(src), device, window, anchor, border, context)
                 : nppiFilterBorder_32f_C1R_Ctx(from<Npp32f>(src), step_of(src), size_of(src),
                                                {0, 0}, to<Npp32f>(dst), step_of(dst), size_of(src),
                                                device, window, anchor, border, context);
    });
  }

  void gaussian(ConstAnyView src, AnyView dst, std::span<const float> taps, void* stream) override {
    const auto context = on(stream);
    const float* device = line_.on_device({taps.begin(), taps.end()});
    const int count = int(taps.size());
    with_border("gaussian", [&](NppiBorderType border) {
      return src.type == PixelType::u8
                 ? nppiFilterGaussAdvancedBorder_8u_C1R_Ctx(
                       from<Npp8u>(src), step_of(src), size_of(src), {0, 0}, to<Npp8u>(dst),
                       step_of(dst), size_of(src), count, device, border, context)
                 : nppiFilterGaussAdvancedBorder_32f_C1R_Ctx(
                       from<Npp32f>(src), step_of(src), size_of(src), {0, 0}, to<Npp32f>(dst),
                       step_of(dst), size_of(src), count, device, border, context);
    });
  }

  void sobel_magnitude(ConstAnyView src, AnyView dst, void* stream) override {
    const auto context = on(stream);
    const int stride = (src.width + 31) / 32 * 32;
    auto* wide = gradient_.take<Npp16s>(size_t(stride) * size_t(src.height));
    with_border("sobel", [&](NppiBorderType border) {
      return nppiGradientVectorSobelBorder_8u16s_C1R_Ctx(
          from<Npp8u>(src), step_of(src), size_of(src), {0, 0}, nullptr, 0, nullptr, 0, wide,
          stride * int(sizeof(Npp16s)), nullptr, 0, size_of(src), NPP_MASK_SIZE_3_X_3, nppiNormL1,
          border, context);
    });
    check(nppiConvert_16s8u_C1R_Ctx(wide, stride * int(sizeof(Npp16s)), to<Npp8u>(dst),
                                    step_of(dst), size_of(src), context),
          "to u8");
  }

  void canny(ConstAnyView src, AnyView dst, std::span<const float> taps, double low, double high,
             void* stream) override {
    const auto context = on(stream);
    ConstAnyView in = src;
    if (!taps.empty()) {
      const int stride = (src.width + 63) / 64 * 64;
      const AnyView smooth(smooth_.take<Npp8u>(size_t(stride) * size_t(src.height)), src.width,
                           src.height, 1, stride, PixelType::u8, Space::device);
      gaussian(src, smooth, taps, stream);
      in = smooth;
    }
    int bytes = 0;
    check(nppiFilterCannyBorderGetBufferSize(size_of(src), &bytes), "canny: scratch");
    auto* scratch = scratch_.take<Npp8u>(size_t(bytes));
    with_border("canny", [&](NppiBorderType border) {
      return nppiFilterCannyBorder_8u_C1R_Ctx(
          from<Npp8u>(in), step_of(in), size_of(in), {0, 0}, to<Npp8u>(dst), step_of(dst),
          size_of(in), NPP_FILTER_SOBEL, NPP_MASK_SIZE_3_X_3, Npp16s(std::min(low, 32767.0)),
          Npp16s(std::min(high, 32767.0)), nppiNormL1, border, scratch, context);
    });
  }

  void label(ConstAnyView mask, AnyView labels, void* stream) override {
    const auto context = on(stream);
    int bytes = 0;
    check(nppiLabelMarkersUFGetBufferSize_32u_C1R(size_of(mask), &bytes), "labels: scratch");
    auto* scratch = scratch_.take<Npp8u>(size_t(bytes));
    check(nppiLabelMarkersUF_8u32u_C1R_Ctx(const_cast<Npp8u*>(from<Npp8u>(mask)), step_of(mask),
                                           to<Npp32u>(labels), step_of(labels), size_of(mask),
                                           nppiNormInf, scratch, context),
          "labels");
  }

 private:
  NppStreamContext on(void* stream) const {
    NppStreamContext context = context_;
    context.hStream = static_cast<cudaStream_t>(stream);
    check(cudaStreamGetFlags(context.hStream, &context.nStreamFlags), "the stream");
    return context;
  }

  NppStreamContext context_{};
  std::string version_;
  Taps window_, line_;
  Scratch gradient_, smooth_, scratch_;
};

}  // namespace
}  // namespace cuesta::bench

extern "C" cuesta::bench::DevicePeer* cuesta_make_device_peer(int interface, int device) {
  if (interface != cuesta::bench::device_peer_interface) return nullptr;
  return new cuesta::bench::Npp(device);
}
