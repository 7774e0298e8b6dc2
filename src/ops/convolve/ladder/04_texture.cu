// Rungs `texture` (paper 002) and `texture-constant` (its future work): the image is read through a
// texture object, the taps from global memory or the constant bank. Texture hardware computes the
// address and caches in two dimensions. A texture wants its base and pitch aligned: whole pictures
// are, a region rarely is, and is copied into aligned scratch first, one read and one write a
// sample more. The caller's workspace keeps the object of each picture; without a workspace it is
// made and released in the call, which waits for the GPU then. Bound: a fetch returns one sample,
// K² fetches a pixel. Wastes: neighbours fetch K(K − 1) common samples each.
#include "ops/convolve/cuda/kernels.cuh"
#include "ops/convolve/ladder/ladder.hpp"

namespace cuesta::convolve_ladder {
namespace {

using namespace convolve_cuda;

template <int K, class T, class Taps>
__device__ void pixel(cudaTextureObject_t image, const ConvolveRequest<T>& q, const Taps& taps) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!q.makes(x, y)) return;
  const int left = x - q.anchor_x, top = y - q.anchor_y;
  q.store(x, y, window_sum<K>(q, taps, [&](int i, int j) {
            return tex2D<T>(image, float(left + i), float(top + j));
          }));
}

template <class T, int K>
__global__ void __launch_bounds__(cuda::any_block)
    kernel_global_taps(cudaTextureObject_t image, ConvolveRequest<T> q, const Tap<T>* taps) {
  pixel<K>(image, q, taps);
}
template <class T, int K>
__global__ void __launch_bounds__(cuda::any_block)
    kernel_constant_taps(cudaTextureObject_t image, ConvolveRequest<T> q,
                         const __grid_constant__ ConstantTaps<T> taps) {
  pixel<K>(image, q, taps.values);
}

// At least every device's textureAlignment, and its texturePitchAlignment.
constexpr size_t alignment = 512, pitch_alignment = 64;

// The samples of a picture where a texture may be over them.
struct Samples {
  void* base;
  size_t pitch;
  int32_t width, height;
};

template <class T>
struct Copy {
  ImageView<const T, Space::device> from;
  ImageView<T, Space::device> to;
  __device__ void operator()(int32_t x, int32_t y) const { to.at(x, y) = from.at(x, y); }
};

template <class T>
Samples aligned_samples(ImageView<const T, Space::device> src, Call& call) {
  const size_t row = size_t(src.width) * sizeof(T);
  const bool aligned = reinterpret_cast<uintptr_t>(src.data) % alignment == 0 &&
                       src.stride_bytes % ptrdiff_t(pitch_alignment) == 0;
  // A picture of one row may have any stride, and rows may be upwards.
  if (aligned && src.stride_bytes >= ptrdiff_t(row))
    return {const_cast<T*>(src.data), size_t(src.stride_bytes), src.width, src.height};
  const size_t pitch = (row + alignment - 1) / alignment * alignment;
  auto* memory = call.scratch().take<char>(pitch * size_t(src.height) + alignment);
  memory += (alignment - reinterpret_cast<uintptr_t>(memory) % alignment) % alignment;
  const ImageView<T, Space::device> to(reinterpret_cast<T*>(memory), src.width, src.height, 1,
                                       ptrdiff_t(pitch));
  cuda::for_each_pixel("convolve", src.width, src.height, Copy<T>{src, to}, call);
  return {memory, pitch, src.width, src.height};
}

// Waits for the GPU before it goes: a kernel may still read through it.
class Texture {
 public:
  // All pictures of a bench that goes round as many as exceed the second-level cache.
  static constexpr size_t max_kept = 1024;
  Texture(const Samples& samples, const cudaChannelFormatDesc& format) {
    cuda::check(cudaGetDevice(&device_), "asking which GPU is in use");
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D = {samples.base, format, size_t(samples.width), size_t(samples.height),
                            samples.pitch};
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
    int device = 0;
    cudaGetDevice(&device);
    cudaSetDevice(device_);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(object_);
    cudaSetDevice(device);
  }
  cudaTextureObject_t get() const { return object_; }

 private:
  int device_ = 0;
  cudaTextureObject_t object_ = 0;
};

// A texture is made on the host at once, so any stream may use it.
template <class T>
cudaTextureObject_t texture_of(ImageView<const T, Space::device> src, Call& call) {
  const Samples at = aligned_samples(src, call);
  const cuda::Key key =
      cuda::Key().add_device().add(at.base).add(at.pitch).add(at.width).add(at.height).add(
          sizeof(T));
  return call.scratch()
      .kept<Texture>(key.bytes(), [&] { return Texture(at, cudaCreateChannelDesc<T>()); })
      .get();
}

template <bool Constant>
void run(const ConvolveArgs& args, Call& call) {
  const int b = call.parameters().integer("block");
  for_window(args, call, [&](auto sample, auto k) {
    using T = decltype(sample);
    const auto q = request_of<T>(args);
    const auto window = window_of<T>(args);
    const cudaTextureObject_t image = texture_of(q.src, call);
    if constexpr (Constant) {
      cuda::launch("convolve", kernel_constant_taps<T, k()>, cuda::tiles(args.dst, b, b),
                   dim3(b, b), 0, cuda::stream_of(call), image, q, constant_taps<T>(window));
    } else {
      cuda::launch("convolve", kernel_global_taps<T, k()>, cuda::tiles(args.dst, b, b), dim3(b, b),
                   0, cuda::stream_of(call), image, q, global_taps<T>(window, call));
    }
  });
  frame(args, Order::window, call);
}

}  // namespace

void texture(const ConvolveArgs& args, Call& call) { run<false>(args, call); }
void texture_constant(const ConvolveArgs& args, Call& call) { run<true>(args, call); }

}  // namespace cuesta::convolve_ladder
