// Strategy `fused`: every model, a thread several pixels of a row. It has their state in registers
// while the frames of a batch go by, so the state is read and written once a batch, not once a
// frame; the next frame's samples are on their way while one is learned. Model `first` learns
// nothing: its frames are also spread over the grid. Bits of a mask are made beside the pixels and
// put together to words of 32 across lanes. Frames may lie anywhere: samples come in aligned words
// that are shifted into place.
// Bound: memory; of `mixture` (9 samples a pixel) arithmetic as well.
#include <algorithm>

#include "core/pixel_arithmetic.hpp"
#include "cuda/any_bytes.cuh"
#include "cuda/launch.cuh"
#include "ops/background/cuda.hpp"
#include "ops/background/models.hpp"

namespace cuesta {
namespace {

constexpr int block_x = 32, block_y = 8;
// Frames of a launch: their steps travel as arguments.
constexpr int32_t most_frames = 64;

struct Request {
  ConstAnyView frame;  // the first; `frame_step` bytes to the next
  ptrdiff_t frame_step;
  AnyView state;
  bool whole_state;  // rows of the state may be read and written in words of 16 bytes
  BackgroundOutputs out;
  BasicBackgroundOutputs<ptrdiff_t> out_step;
  int32_t count, a_block;  // frames; those of one block
  bool founds;
  int32_t limit;  // foreground is difference > limit
  uint16_t dither[most_frames];
  uint8_t rate[most_frames];
};

// Pixels of a thread: 16 bytes of a plane of state where registers allow.
template <class Model>
constexpr int pixels_of = Model::planes > 2                     ? 4
                          : sizeof(typename Model::Sample) == 2 ? 8
                                                                : 16;

// The state of a thread's pixels: plane p of pixel i is samples[p * Pixels + i].
template <class Model, int Pixels>
struct State {
  using Sample = typename Model::Sample;
  static constexpr int plane_bytes = Pixels * int(sizeof(Sample));
  using Words = std::conditional_t<plane_bytes == 16, uint4, uint2>;
  static_assert(sizeof(Words) == plane_bytes);
  alignas(16) Sample samples[Model::planes * Pixels];

  /// move(here, there) of each plane, or where words do not fit of each sample inside the row.
  template <class Move>
  __device__ void walk(const Request& q, int32_t x0, int32_t y, Move&& move) {
    const int32_t left = q.state.width - x0;
#pragma unroll
    for (int p = 0; p < Model::planes; ++p) {
      Sample* row = q.state.as<Sample, Space::device>().row(y * Model::planes + p) + x0;
      if (q.whole_state && left >= Pixels) {
        move(*reinterpret_cast<Words*>(samples + p * Pixels), *reinterpret_cast<Words*>(row));
        continue;
      }
#pragma unroll
      for (int i = 0; i < Pixels; ++i)
        if (i < left) move(samples[p * Pixels + i], row[i]);
    }
  }
  __device__ void read(const Request& q, int32_t x0, int32_t y) {
    walk(q, x0, y, [](auto& here, auto& there) { here = there; });
  }
  __device__ void write(const Request& q, int32_t x0, int32_t y) {
    walk(q, x0, y, [](auto& here, auto& there) { there = here; });
  }
};

// The first of a row's samples from x0 on, in frame t of pictures of bytes.
__device__ const uint8_t* at(const ConstAnyView& first, ptrdiff_t step, int32_t t, int32_t x0,
                             int32_t y) {
  return static_cast<const uint8_t*>(first.data) + step * t + ptrdiff_t(y) * first.stride_bytes +
         x0;
}
__device__ uint8_t* at(const AnyView& first, ptrdiff_t step, int32_t t, int32_t x0, int32_t y) {
  return static_cast<uint8_t*>(first.data) + step * t + ptrdiff_t(y) * first.stride_bytes + x0;
}

template <int Pixels>
__device__ void store(uint8_t* to, int32_t left, const uint8_t (&bytes)[Pixels]) {
  if (left >= Pixels && reinterpret_cast<uintptr_t>(to) % 4 == 0) {
#pragma unroll
    for (int i = 0; i < Pixels; i += 4) {
      reinterpret_cast<uint32_t*>(to)[i / 4] = uint32_t(bytes[i]) | uint32_t(bytes[i + 1]) << 8 |
                                               uint32_t(bytes[i + 2]) << 16 |
                                               uint32_t(bytes[i + 3]) << 24;
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < Pixels; ++i)
    if (i < left) to[i] = bytes[i];
}

// What is wanted of frame t; bit i of `foreground` is pixel i. By whole warps.
template <int Pixels>
__device__ void write_out(const Request& q, int32_t t, int64_t column, int32_t x0, int32_t y,
                          int32_t left, const uint8_t (&levels)[Pixels],
                          const uint8_t (&differences)[Pixels], uint32_t foreground) {
  const BackgroundOutputs& out = q.out;
  if (out.background)
    store<Pixels>(at(out.background, q.out_step.background, t, x0, y), left, levels);
  if (out.difference)
    store<Pixels>(at(out.difference, q.out_step.difference, t, x0, y), left, differences);
  if (out.mask.type == PixelType::u8) {
    uint8_t set[Pixels];
#pragma unroll
    for (int i = 0; i < Pixels; ++i) set[i] = foreground >> i & 1 ? 255 : 0;
    store<Pixels>(at(out.mask, q.out_step.mask, t, x0, y), left, set);
  }
  if (out.mask.type != PixelType::bit) return;
#pragma unroll
  for (int lanes = 1; lanes * Pixels < 32; lanes *= 2)
    foreground |= __shfl_down_sync(~0u, foreground, lanes) << (lanes * Pixels);
  // Rows are whole words of 64.
  const int64_t wide = (int64_t(q.frame.width) + 63) / 64 * 64;
  if (column % 32 == 0 && column < wide)
    reinterpret_cast<uint32_t*>(at(out.mask, q.out_step.mask, t, 0, y))[column / 32] = foreground;
}

template <class Model>
__global__ void __launch_bounds__(block_x* block_y)
    background_frames(const __grid_constant__ Request q) {
  constexpr int Pixels = pixels_of<Model>;
  using Sample = typename Model::Sample;
  const int64_t column = (int64_t(blockIdx.x) * block_x + threadIdx.x) * Pixels;
  // Threads past the width stay, and make the bits there 0.
  const auto x0 = int32_t(min(column, int64_t(q.frame.width)));
  const int32_t left = q.frame.width - x0;
  const int32_t first = int32_t(blockIdx.z) * q.a_block, end = min(first + q.a_block, q.count);
  const int64_t rows = int64_t(gridDim.y) * block_y;
  for (int64_t row = int64_t(blockIdx.y) * block_y + threadIdx.y; row < q.frame.height;
       row += rows) {
    const auto y = int32_t(row);
    State<Model, Pixels> state;
    if (!q.founds) state.read(q, x0, y);
    uint32_t next[Pixels / 4];
    cuda::load_bytes<Pixels>(at(q.frame, q.frame_step, first, x0, y), left, next);
    for (int32_t t = first; t < end; ++t) {
      uint32_t words[Pixels / 4];
#pragma unroll
      for (int i = 0; i < Pixels / 4; ++i) words[i] = next[i];
      if (t + 1 < end)
        cuda::load_bytes<Pixels>(at(q.frame, q.frame_step, t + 1, x0, y), left, next);
      const int32_t rate = q.rate[t], dither = q.dither[t];
      uint8_t levels[Pixels], differences[Pixels];
      uint32_t foreground = 0;
#pragma unroll
      for (int i = 0; i < Pixels; ++i) {
        const auto v = uint8_t(words[i / 4] >> (i % 4 * 8));
        const background::Samples<Sample> samples{state.samples + i, Pixels};
        background::Verdict verdict{v, 0};
        if (q.founds && t == 0)
          Model::found(samples, v);
        else
          verdict = Model::learn(samples, v, rate, dither);
        levels[i] = verdict.background;
        differences[i] = verdict.difference;
        foreground |= uint32_t(i < left && verdict.difference > q.limit) << i;
      }
      write_out<Pixels>(q, t, column, x0, y, left, levels, differences, foreground);
    }
    if (Model::learns || q.founds) state.write(q, x0, y);
  }
}

template <class Model>
void enqueue(Request request, Call& call) {
  constexpr int across = block_x * pixels_of<Model>;
  const auto wide = (int64_t(request.frame.width) + 63) / 64 * 64;
  dim3 grid(unsigned((wide + across - 1) / across),
            std::min(cuda::blocks(request.frame.height, block_y), cuda::max_grid_y));
  request.a_block = request.count;
  if (!Model::learns && !request.founds) {
    // Enough blocks to fill the GPU several times over, and no more readings of the state.
    const int64_t enough = int64_t(16) * cuda::multiprocessors();
    const auto parts =
        int32_t(std::clamp<int64_t>(enough / (int64_t(grid.x) * grid.y) + 1, 1, request.count));
    request.a_block = (request.count + parts - 1) / parts;
    grid.z = cuda::blocks(request.count, request.a_block);
  }
  cuda::launch("background", background_frames<Model>, grid, dim3(block_x, block_y), 0,
               cuda::stream_of(call), request);
}

}  // namespace

void background_cuda::fused(const BackgroundArgs& args, Call& call) {
  const BackgroundOutputs& out = args.out;
  const bool wanted = out.background || out.difference || out.mask;
  background::with_model(args.model, [&](auto model) {
    using Model = decltype(model);
    if (!Model::learns && !args.founds && !wanted) return;
    Request request{};
    request.frame_step = args.frame_step;
    request.state = args.state;
    request.whole_state =
        reinterpret_cast<uintptr_t>(args.state.data) % 16 == 0 && args.state.stride_bytes % 16 == 0;
    request.out_step = args.out_step;
    request.limit = pixel::limit_of<uint8_t>(args.limit);
    for (int32_t begin = 0; begin < args.count; begin += most_frames) {
      const BackgroundArgs from = args.one(begin);
      request.frame = from.frame;
      request.out = from.out;
      request.founds = from.founds;
      request.count = std::min(args.count - begin, most_frames);
      for (int32_t i = 0; i < request.count; ++i) {
        request.rate[i] = uint8_t(args.step(begin + i).rate);
        request.dither[i] = uint16_t(args.step(begin + i).dither);
      }
      enqueue<Model>(request, call);
    }
  });
}

}  // namespace cuesta
