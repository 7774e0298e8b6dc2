// Rungs `texture` (paper 002) and `texture-constant` (its future work): the image is read through a
// texture object, the taps from global memory or the constant bank. Texture hardware computes the
// address and caches in two dimensions. A texture wants its base and pitch aligned: whole pictures
// are, a region rarely is, and is copied into aligned scratch first, one read and one write a
// sample more. Wastes: the host waits before the texture object is destroyed (`host_sync`).
// Measured (H200, 2026-11-21), 4096 x 4096 f32, block 32: `texture` 0.216 and 0.496 ms at 3 x 3
// and 5 x 5, `texture-constant` 0.195 and 0.454 ms: a fetch returns one sample, and the texture
// units are the bound.
#include "ops/convolve/cuda/kernels.cuh"
#include "ops/convolve/ladder/ladder.hpp"

namespace cuesta::convolve_ladder {
namespace {

using namespace convolve_cuda;

template <class T>
__device__ T fetch(cudaTextureObject_t image, const Request<T>& q, int x, int y) {
  const int32_t sx = map_index(q.mode, x, q.src.width), sy = map_index(q.mode, y, q.src.height);
  return sx < 0 || sy < 0 ? q.outside : tex2D<T>(image, float(sx), float(sy));
}

template <int K, class T, class Taps>
__device__ void pixel(cudaTextureObject_t image, const Request<T>& q, const Taps& taps) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!q.inside(x, y)) return;
  const int left = x - q.anchor_x, top = y - q.anchor_y;
  if (q.window_inside(x, y)) {
    q.store(x, y, window_sum<K>(q, taps, [&](int i, int j) {
              return tex2D<T>(image, float(left + i), float(top + j));
            }));
  } else {
    q.store(x, y, window_sum<0>(q, taps, [&](int i, int j) {
              return fetch(image, q, left + i, top + j);
            }));
  }
}

template <class T, int K>
__global__ void __launch_bounds__(cuda::any_block)
    kernel_global_taps(cudaTextureObject_t image, Request<T> q, const Tap<T>* taps) {
  pixel<K>(image, q, taps);
}
template <class T, int K>
__global__ void __launch_bounds__(cuda::any_block)
    kernel_constant_taps(cudaTextureObject_t image, Request<T> q,
                         const __grid_constant__ ConstantTaps<T> taps) {
  pixel<K>(image, q, taps.values);
}

// A texture over a picture, or over an aligned copy of it; waits for the stream before it goes.
template <class T>
class Texture {
 public:
  Texture(ImageView<const T, Space::device> src, Call& call) : stream_(cuda::stream_of(call)) {
    // At least every device's textureAlignment, and its texturePitchAlignment.
    constexpr size_t alignment = 512, pitch_alignment = 64;
    void* base = const_cast<T*>(src.data);
    size_t pitch = size_t(src.stride_bytes);
    if (reinterpret_cast<uintptr_t>(base) % alignment != 0 || pitch % pitch_alignment != 0) {
      pitch = (size_t(src.width) * sizeof(T) + alignment - 1) / alignment * alignment;
      auto* memory = call.scratch().take<char>(pitch * size_t(src.height) + alignment);
      base = memory + (alignment - reinterpret_cast<uintptr_t>(memory) % alignment) % alignment;
      cuda::check(cudaMemcpy2DAsync(base, pitch, src.data, size_t(src.stride_bytes),
                                    size_t(src.width) * sizeof(T), size_t(src.height),
                                    cudaMemcpyDeviceToDevice, stream_),
                  "convolve: copying into a texture");
    }
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D = {base, cudaCreateChannelDesc<T>(), size_t(src.width), size_t(src.height),
                            pitch};
    cudaTextureDesc how{};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModePoint;
    how.readMode = cudaReadModeElementType;
    cuda::check(cudaCreateTextureObject(&object_, &resource, &how, nullptr),
                "convolve: making a texture");
  }
  Texture(const Texture&) = delete;
  Texture& operator=(const Texture&) = delete;
  ~Texture() {
    cudaStreamSynchronize(stream_);
    cudaDestroyTextureObject(object_);
  }
  cudaTextureObject_t get() const { return object_; }

 private:
  cudaStream_t stream_;
  cudaTextureObject_t object_ = 0;
};

template <bool Constant>
void run(const ConvolveArgs& args, Call& call) {
  const int b = call.parameters().integer("block");
  for_window(args, [&](auto sample, auto k) {
    using T = decltype(sample);
    const auto q = request_of<T>(args);
    const auto window = window_of<T>(args);
    const Texture<T> image(q.src, call);
    if constexpr (Constant) {
      cuda::launch("convolve", kernel_constant_taps<T, k()>, cuda::tiles(args.dst, b, b),
                   dim3(b, b), 0, cuda::stream_of(call), image.get(), q, constant_taps<T>(window));
    } else {
      cuda::launch("convolve", kernel_global_taps<T, k()>, cuda::tiles(args.dst, b, b), dim3(b, b),
                   0, cuda::stream_of(call), image.get(), q, upload_taps<T>(window, call));
    }
  });
}

}  // namespace

void texture(const ConvolveArgs& args, Call& call) { run<false>(args, call); }
void texture_constant(const ConvolveArgs& args, Call& call) { run<true>(args, call); }

}  // namespace cuesta::convolve_ladder
