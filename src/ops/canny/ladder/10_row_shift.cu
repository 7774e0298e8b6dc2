// `threads=columns` of the rung `row-cyclic` (paper 001): the paper's block, grid and shift. A
// block has a thread for each column of results; theirs has N − K + 1 of N, since it leaves the
// border out, ours has N of N + K − 1 with the border written out, at most 1,024. After each row
// the block moves the K − 1 lower rows up by one and loads the next into the last. Rows a block are
// rounded down: there are at least as many blocks as `grid` says. From `threads=256`: no loop over
// columns, and no division for a row's place. Wastes: K − 1 rows copied in shared memory for every
// row of results; K − 1 rows loaded before a block's first.
#include "cuda/instructions.cuh"
#include "ops/canny/ladder/stages.cuh"

namespace cuesta::canny_ladder {
namespace {

// The stages after the convolutions, and hysteresis, as of `threads=256`.
constexpr unsigned pixel_block = 16;

// Calls row(y, at) for the block's rows, by the thread of each column; at(i, j) is the sample at
// column i of its window and row j. A thread loads and moves the same columns, so that these two
// need no barrier between them.
template <BorderMode Mode, class Row>
__device__ void march(DeviceImage<const uint8_t> src, int size, int rows_per_block, Row row) {
  CUESTA_DYNAMIC_SHARED(uint8_t, rows);
  const int wide = src.width + size - 1, r = size / 2, threads = int(blockDim.x);
  const int first = int(blockIdx.x) * rows_per_block, end = min(first + rows_per_block, src.height);
  const auto load = [&](int place, int y) {
    const uint8_t* from = src.row(map_index<Mode>(y, src.height));
    for (int x = int(threadIdx.x); x < wide; x += threads)
      rows[place * wide + x] = from[map_index<Mode>(x - r, src.width)];
  };
  for (int place = 0; place + 1 < size; ++place) load(place, first - r + place);
  for (int y = first; y < end; ++y) {
    load(size - 1, y + r);
    __syncthreads();
    row(y, [&](int i, int j) -> int32_t { return rows[j * wide + int(threadIdx.x) + i]; });
    __syncthreads();
    for (int place = 0; place + 1 < size; ++place)
      for (int x = int(threadIdx.x); x < wide; x += threads)
        rows[place * wide + x] = rows[(place + 1) * wide + x];
  }
}

__global__ void __launch_bounds__(ladder_parameters::max_columns)
    gaussian(DeviceImage<const uint8_t> src, DeviceImage<uint8_t> dst, int rows_per_block,
             const __grid_constant__ Taps taps) {
  march<BorderMode::reflect101>(src, taps.size, rows_per_block, [&](int y, auto at) {
    dst.at(int(threadIdx.x), y) = smoothed(taps, at);
  });
}

template <int K>
__global__ void __launch_bounds__(ladder_parameters::max_columns)
    sobel(DeviceImage<const uint8_t> src, Gradients g, int rows_per_block) {
  march<BorderMode::replicate>(src, K, rows_per_block, [&](int y, auto at) {
    write_gradient<K>(g, int(threadIdx.x), y, at);
  });
}

// Launches `kernel` with a thread a column and the K rows in shared memory.
template <class... Parameters, class... Arguments>
void launch_rows(const CannyArgs& args, int size, Call& call, void (*kernel)(Parameters...),
                 int32_t rows, Arguments&&... arguments) {
  const size_t bytes = size_t(size) * size_t(args.src.width + size - 1);
  cuda::allow_shared(kernel, bytes, "canny");
  cuda::launch("canny", kernel, dim3(cuda::blocks(args.src.height, rows)),
               dim3(unsigned(args.src.width)), bytes, cuda::stream_of(call),
               std::forward<Arguments>(arguments)...);
}

void row_shift(const CannyArgs& args, Call& call) {
  const int32_t rows = cuda::fewest_rows_a_block(args.src.height, call.parameters());
  auto smoothed = args.src.as<uint8_t, Space::device>();
  if (args.options.sigma > 0) {
    call.stage("gaussian");
    const Taps taps = taps_of(args.options);
    const auto to = device_image<uint8_t>(call, args.src.width, args.src.height);
    launch_rows(args, taps.size, call, gaussian, rows, smoothed, to, rows, taps);
    smoothed = to;
  }
  call.stage("sobel");
  const Gradients g = gradients(args, call);
  const auto kernel = for_aperture(args.options.aperture, [](auto k) { return sobel<k()>; });
  launch_rows(args, args.options.aperture, call, kernel, rows, smoothed, g, rows);
  finish(args, g, dim3(pixel_block, pixel_block), call);
}

}  // namespace

void row_cyclic_of_threads(const CannyArgs& args, Call& call) {
  call.parameters().text("threads") == "columns" ? row_shift(args, call) : row_cyclic(args, call);
}

}  // namespace cuesta::canny_ladder
