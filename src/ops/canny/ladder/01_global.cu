// Rung `global` (paper 001): stage after stage through device memory. Gaussian and Sobel are K × K
// windows, a thread a pixel, every sample read from global memory; the rest is stages.cu. The
// paper's blocks are M − K + 1 threads in a row and leave the border out; shape=row has a thread
// for each column, in several blocks past 1,024, in every stage. Squares are the default. Both
// follow the border. Bound: loads. K² a pixel for the Gaussian and K² for both gradients, which the
// caches serve; from device memory at least 2 bytes a pixel for the Gaussian, 5 for the gradients,
// 23 in stages.cu, and hysteresis. Wastes: the window's K² common samples, products of separable
// taps, and every picture between two stages. Times: docs/results/h200-ladder.md.
#include "ops/canny/ladder/stages.cuh"

namespace cuesta::canny_ladder {
namespace {

// Both passes of the Gaussian are exact and rounded once, so that the window of products is the
// same sum: at most 255 · 2^16.
__global__ void __launch_bounds__(cuda::any_block)
    gaussian(DeviceImage<const uint8_t> src, DeviceImage<uint8_t> dst,
             const __grid_constant__ Taps taps) {
  const auto [x, y] = this_pixel();
  if (!inside(dst, {x, y})) return;
  const int r = taps.size / 2;
  int32_t sum = 1 << 15;
  for (int j = -r; j <= r; ++j) {
    const uint8_t* row = src.row(map_index<BorderMode::reflect101>(y + j, src.height));
    int32_t across = 0;
    for (int i = -r; i <= r; ++i)
      across += taps.values[r + i] * row[map_index<BorderMode::reflect101>(x + i, src.width)];
    sum += taps.values[r + j] * across;
  }
  dst.at(x, y) = uint8_t(sum >> 16);
}

template <int K>
__global__ void __launch_bounds__(cuda::any_block)
    sobel(DeviceImage<const uint8_t> src, Gradients g) {
  constexpr auto taps = gradient::taps(K);
  const auto [x, y] = this_pixel();
  if (!inside(src, {x, y})) return;
  int32_t gx = 0, gy = 0;
#pragma unroll
  for (int j = 0; j < K; ++j) {
    const uint8_t* row = src.row(map_index<BorderMode::replicate>(y + j - K / 2, src.height));
#pragma unroll
    for (int i = 0; i < K; ++i) {
      const int32_t v = row[map_index<BorderMode::replicate>(x + i - K / 2, src.width)];
      gx += v * taps.derivative[i] * taps.smoothing[j];
      gy += v * taps.smoothing[i] * taps.derivative[j];
    }
  }
  g.gx.at(x, y) = int16_t(K == 7 ? sixteenth(gx) : gx);
  g.gy.at(x, y) = int16_t(K == 7 ? sixteenth(gy) : gy);
}

// shape=row: whole warps for the columns, at most what a block may have.
dim3 block_of(const CannyArgs& args, const Parameters& parameters) {
  const auto side = unsigned(parameters.integer("block"));
  if (parameters.text("shape") == "square") return dim3(side, side);
  return dim3(std::min(unsigned(cuda::any_block), cuda::blocks(args.src.width, 32) * 32));
}

}  // namespace

void global(const CannyArgs& args, Call& call) {
  const dim3 block = block_of(args, call.parameters());
  auto smoothed = args.src.as<uint8_t, Space::device>();
  if (args.options.sigma > 0) {
    call.stage("gaussian");
    const auto to = device_image<uint8_t>(call, args.src.width, args.src.height);
    for_pixels(to, block, call, gaussian, smoothed, to, taps_of(args.options));
    smoothed = to;
  }
  call.stage("sobel");
  const Gradients g = gradients(args, call);
  const auto kernel = for_aperture(args.options.aperture, [](auto k) { return sobel<k()>; });
  for_pixels(smoothed, block, call, kernel, smoothed, g);
  finish(args, g, block, call);
}

}  // namespace cuesta::canny_ladder
