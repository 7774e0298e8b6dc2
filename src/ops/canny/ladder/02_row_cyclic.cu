// Rung `row-cyclic` (paper 001): the two convolutions through shared memory. A block keeps the K
// whole rows that its next output row needs, border written out, and marches down height / grid
// rows; each step replaces the oldest row, so that a sample comes from global memory once a block
// instead of K² times. grid is the paper's, at least the number of multiprocessors: with just that
// many a block makes several rows wherever there are more rows than multiprocessors; with more
// blocks than half the rows it makes one, nothing rolls, and every row is loaded K times. The rest
// is stages.cu. Theirs gives a block N − K + 1 threads, impossible past 1,024 columns, and shifts
// the K rows: that is threads=columns (10_row_shift.cu). Here threads stride over the columns, and
// rows turn by index. The widest picture is where K rows fit a block's shared memory. Bound
// (paper): time against `global` 30 K² / (3 K² + 20), if a global load cost ten shared ones. Bytes
// a pixel as `global`, plus K − 1 rows read twice a block. Wastes: two barriers a row; K − 1 rows
// loaded before a block's first output; the window's K² common samples, from shared memory now.
// Times: docs/results/h200-ladder.md.
#include "cuda/instructions.cuh"
#include "ops/canny/ladder/stages.cuh"

namespace cuesta::canny_ladder {
namespace {

constexpr int threads = 256;
// The stages after the convolutions, and hysteresis.
constexpr int pixel_block = 16;

// Calls row(y, at) for the block's rows, by all its threads; at(i, j) is the ring's sample at
// column i of the extended row and row j of the window.
template <BorderMode Mode, class Row>
__device__ void march(DeviceImage<const uint8_t> src, int size, int rows_per_block, Row row) {
  CUESTA_DYNAMIC_SHARED(uint8_t, ring);
  const int wide = src.width + size - 1, r = size / 2;
  const int first = int(blockIdx.x) * rows_per_block, end = min(first + rows_per_block, src.height);
  const auto load = [&](int line) {  // counted from the top of the first window
    const uint8_t* from = src.row(map_index<Mode>(first + line - r, src.height));
    uint8_t* to = ring + line % size * wide;
    for (int x = int(threadIdx.x); x < wide; x += threads)
      to[x] = from[map_index<Mode>(x - r, src.width)];
  };
  for (int line = 0; line + 1 < size; ++line) load(line);
  for (int y = first; y < end; ++y) {
    const int top = y - first;
    load(top + size - 1);
    __syncthreads();
    row(y, [&](int i, int j) -> int32_t { return ring[(top + j) % size * wide + i]; });
    __syncthreads();
  }
}

__global__ void gaussian(DeviceImage<const uint8_t> src, DeviceImage<uint8_t> dst,
                         int rows_per_block, const __grid_constant__ Taps taps) {
  march<BorderMode::reflect101>(src, taps.size, rows_per_block, [&](int y, auto at) {
    for (int x = int(threadIdx.x); x < src.width; x += threads) {
      dst.at(x, y) = smoothed(taps, [&](int i, int j) { return at(x + i, j); });
    }
  });
}

template <int K>
__global__ void sobel(DeviceImage<const uint8_t> src, Gradients g, int rows_per_block) {
  march<BorderMode::replicate>(src, K, rows_per_block, [&](int y, auto at) {
    for (int x = int(threadIdx.x); x < src.width; x += threads) {
      write_gradient<K>(g, x, y, [&](int i, int j) { return at(x + i, j); });
    }
  });
}

size_t ring_bytes(const CannyArgs& args, int size) {
  return size_t(size) * size_t(args.src.width + size - 1);
}

}  // namespace

size_t row_cyclic_shared_bytes(const CannyArgs& args) {
  const int window = args.options.sigma > 0 ? args.options.ksize : 1;
  return ring_bytes(args, std::max(window, args.options.aperture));
}

void row_cyclic(const CannyArgs& args, Call& call) {
  const int rows_per_block = cuda::rows_a_block(args.src.height, call.parameters());
  const dim3 grid(cuda::blocks(args.src.height, rows_per_block));
  auto smoothed = args.src.as<uint8_t, Space::device>();
  if (args.options.sigma > 0) {
    call.stage("gaussian");
    const Taps taps = taps_of(args.options);
    const auto to = device_image<uint8_t>(call, args.src.width, args.src.height);
    const size_t bytes = ring_bytes(args, taps.size);
    cuda::allow_shared(gaussian, bytes, "canny");
    cuda::launch("canny", gaussian, grid, dim3(threads), bytes, cuda::stream_of(call), smoothed, to,
                 rows_per_block, taps);
    smoothed = to;
  }
  call.stage("sobel");
  const Gradients g = gradients(args, call);
  const auto kernel = for_aperture(args.options.aperture, [](auto k) { return sobel<k()>; });
  const size_t bytes = ring_bytes(args, args.options.aperture);
  cuda::allow_shared(kernel, bytes, "canny");
  cuda::launch("canny", kernel, grid, dim3(threads), bytes, cuda::stream_of(call), smoothed, g,
               rows_per_block);
  finish(args, g, dim3(pixel_block, pixel_block), call);
}

}  // namespace cuesta::canny_ladder
