// Strategy `fused`: one pass over memory. A thread makes `pixels_per_thread` neighbours of one row
// from a window in registers; gradients, magnitude and direction leave it together.
#include "cuda/launch.cuh"
#include "ops/sobel/args.hpp"
#include "ops/sobel/gradient.hpp"

namespace cuesta {
namespace {

constexpr int pixels_per_thread = 4;
constexpr int block_x = 32, block_y = 8;

// The largest |gx|: 163,200 on u8 and 42 million on u16, so squares of u16 gradients need 64 bits.
template <class T>
struct Sum;
template <>
struct Sum<uint8_t> {
  using type = int32_t;
};
template <>
struct Sum<uint16_t> {
  using type = int64_t;
};

__device__ void store_gradient(const Plane& out, int x, int y, int32_t g) {
  if (out.type == PixelType::s16)
    out.as<int16_t, Space::device>().at(x, y) = int16_t(min(max(g, -32768), 32767));
  if (out.type == PixelType::s32) out.as<int32_t, Space::device>().at(x, y) = g;
}

template <class S>
__device__ void store_magnitude(const Plane& out, Norm norm, int x, int y, int32_t gx, int32_t gy) {
  const int64_t squares = int64_t(gx) * gx + int64_t(gy) * gy;
  int64_t m;
  if (norm == Norm::l1) {
    m = int64_t(abs(gx)) + abs(gy);
  } else {
    // The double root is off by one at most; the integers put it right.
    m = int64_t(sqrt(double(squares)));
    m -= m * m > squares;
    m += (m + 1) * (m + 1) <= squares;
  }
  if (out.type == PixelType::u8)
    out.as<uint8_t, Space::device>().at(x, y) = uint8_t(m < 255 ? m : 255);
  if (out.type == PixelType::u16)
    out.as<uint16_t, Space::device>().at(x, y) = uint16_t(m < 65535 ? m : 65535);
  if (out.type == PixelType::f32) {
    out.as<float, Space::device>().at(x, y) =
        norm == Norm::l1 ? float(m) : float(sqrt(double(squares)));
  }
}

template <class T, int K>
__global__ void sobel_fused(ConstPlane source, SobelOutputs out, Norm norm, BorderMode mode,
                            int32_t outside) {
  using S = typename Sum<T>::type;
  constexpr int r = K / 2;
  constexpr auto taps = gradient::taps(K);
  const auto src = source.as<T, Space::device>();
  const int x0 = (blockIdx.x * block_x + threadIdx.x) * pixels_per_thread;
  const int y = blockIdx.y * block_y + threadIdx.y;
  if (x0 >= src.width || y >= src.height) return;

  // Column sums of the window of all the thread's pixels: smoothed and derived down the rows.
  int32_t smooth[pixels_per_thread + 2 * r] = {}, derive[pixels_per_thread + 2 * r] = {};
  const bool inside = x0 >= r && x0 + pixels_per_thread + r <= src.width;
#pragma unroll
  for (int j = 0; j < K; ++j) {
    const int sy = map_index(mode, y + j - r, src.height);
    const T* row = sy < 0 ? nullptr : src.row(sy);
#pragma unroll
    for (int i = 0; i < pixels_per_thread + 2 * r; ++i) {
      const int sx = inside ? x0 + i - r : map_index(mode, x0 + i - r, src.width);
      const int32_t v = !row || sx < 0 ? outside : row[sx];
      smooth[i] += v * taps.smoothing[j];
      derive[i] += v * taps.derivative[j];
    }
  }
#pragma unroll
  for (int p = 0; p < pixels_per_thread; ++p) {
    const int x = x0 + p;
    if (x >= src.width) return;
    int32_t gx = 0, gy = 0;
#pragma unroll
    for (int i = 0; i < K; ++i) {
      gx += smooth[p + i] * taps.derivative[i];
      gy += derive[p + i] * taps.smoothing[i];
    }
    if (mode == BorderMode::ignore && (x < r || y < r || x + r >= src.width || y + r >= src.height))
      gx = gy = 0;
    store_gradient(out.gx, x, y, gx);
    store_gradient(out.gy, x, y, gy);
    if (out.magnitude.data) store_magnitude<S>(out.magnitude, norm, x, y, gx, gy);
    if (out.direction.type == PixelType::u8) {
      out.direction.as<uint8_t, Space::device>().at(x, y) = gradient::octant<int64_t>(gx, gy);
    }
    if (out.direction.type == PixelType::f32) {
      out.direction.as<float, Space::device>().at(x, y) = atan2f(float(gy), float(gx));
    }
  }
}

template <class T, int K>
void run(const SobelArgs& args, Call& call) {
  const dim3 block(block_x, block_y);
  const dim3 grid(cuda::blocks(args.src.width, block_x * pixels_per_thread),
                  cuda::blocks(args.src.height, block_y));
  const Border& border = args.options.border;
  const double most = sizeof(T) == 1 ? 255 : 65535;
  const auto outside = int32_t(std::min(std::max(std::nearbyint(border.value), 0.0), most));
  cuda::launch("sobel", sobel_fused<T, K>, grid, block, 0, cuda::stream_of(call), args.src,
               args.out, args.options.norm, border.mode, outside);
}

template <class T>
void run_aperture(const SobelArgs& args, Call& call) {
  switch (args.options.aperture) {
    case 3: return run<T, 3>(args, call);
    case 5: return run<T, 5>(args, call);
    default: return run<T, 7>(args, call);
  }
}

void sobel_cuda(const SobelArgs& args, Call& call) {
  args.src.type == PixelType::u8 ? run_aperture<uint8_t>(args, call)
                                 : run_aperture<uint16_t>(args, call);
}

std::string_view supports(const SobelArgs& args) {
  // The grid's second dimension ends at 65,535 blocks.
  return args.src.height > 65535 * block_y ? "pictures higher than 524,280" : std::string_view();
}

}  // namespace

std::span<const StrategyInfo<SobelArgs>> sobel_cuda_rows() {
  static constexpr StrategyInfo<SobelArgs> rows[] = {
      {.name = "fused",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "one pass: window sums in registers, four pixels a thread, all outputs together",
       .exactness = "equal bytes; f32 direction within 5e-7",
       .supports = supports,
       .run = sobel_cuda},
  };
  return rows;
}

}  // namespace cuesta
