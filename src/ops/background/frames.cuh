// The kernel of strategy `fused`: a thread's pixels of a row through the frames of a launch.
#pragma once

#include "cuda/any_bytes.cuh"
#include "ops/shared/background_lanes.cuh"

namespace cuesta::background_cuda {

inline constexpr int block_x = 32, block_y = 8;
/// Frames of a launch: their steps travel as arguments.
inline constexpr int32_t max_frames = 64;

struct FramesRequest {
  ConstAnyView frame;  // the first; `frame_step` bytes to the next
  ptrdiff_t frame_step;
  AnyView state;
  bool wide;  // rows of the state may be read and written in words of 16 bytes
  BackgroundOutputs out;
  BasicBackgroundOutputs<ptrdiff_t> out_step;
  int32_t count, a_block;  // frames; those of one block
  bool founds;
  int32_t limit;  // foreground is difference > limit
  uint16_t dither[max_frames];
  uint8_t rate[max_frames];
};

/// The first of a row's samples from x0 on, in frame t of pictures of bytes.
__device__ inline const uint8_t* at(const ConstAnyView& first, ptrdiff_t step, int32_t t,
                                    int32_t x0, int32_t y) {
  return static_cast<const uint8_t*>(first.data) + step * t + ptrdiff_t(y) * first.stride_bytes +
         x0;
}
__device__ inline uint8_t* at(const AnyView& first, ptrdiff_t step, int32_t t, int32_t x0,
                              int32_t y) {
  return static_cast<uint8_t*>(first.data) + step * t + ptrdiff_t(y) * first.stride_bytes + x0;
}

template <int Pixels>
__device__ __forceinline__ void store(uint8_t* to, int32_t left,
                                      const uint32_t (&words)[Pixels / 4]) {
  if (left >= Pixels && reinterpret_cast<uintptr_t>(to) % 4 == 0) {
#pragma unroll
    for (int i = 0; i < Pixels / 4; ++i) reinterpret_cast<uint32_t*>(to)[i] = words[i];
    return;
  }
#pragma unroll
  for (int i = 0; i < Pixels; ++i)
    if (i < left) to[i] = uint8_t(words[i / 4] >> (i % 4 * 8));
}

/// What is wanted of frame t; bit i of `foreground` is pixel i. By whole warps.
template <int Pixels, bool OnlyBits>
__device__ __forceinline__ void write_out(const FramesRequest& q, int32_t t, int64_t column,
                                          int32_t x0, int32_t y, int32_t left,
                                          const uint32_t (&levels)[Pixels / 4],
                                          const uint32_t (&differences)[Pixels / 4],
                                          uint32_t foreground) {
  const BackgroundOutputs& out = q.out;
  if (!OnlyBits && out.background)
    store<Pixels>(at(out.background, q.out_step.background, t, x0, y), left, levels);
  if (!OnlyBits && out.difference)
    store<Pixels>(at(out.difference, q.out_step.difference, t, x0, y), left, differences);
  if (!OnlyBits && out.mask.type == PixelType::u8) {
    uint32_t set[Pixels / 4];
#pragma unroll
    for (int i = 0; i < Pixels / 4; ++i)  // a byte of 255 for each of four bits
      set[i] = ((foreground >> (4 * i) & 15) * 0x00204081u & 0x01010101u) * 255;
    store<Pixels>(at(out.mask, q.out_step.mask, t, x0, y), left, set);
  }
  if (!OnlyBits && out.mask.type != PixelType::bit) return;
#pragma unroll
  for (int lanes = 1; lanes * Pixels < 32; lanes *= 2)
    foreground |= __shfl_down_sync(~0u, foreground, lanes) << (lanes * Pixels);
  // Rows are whole words of 64.
  const int64_t wide = (int64_t(q.frame.width) + 63) / 64 * 64;
  if (column % 32 == 0 && column < wide)
    reinterpret_cast<uint32_t*>(at(out.mask, q.out_step.mask, t, 0, y))[column / 32] = foreground;
}

/// `Many`: more frames than one; the next one's samples are in flight while one is
/// learned. `OnlyBits`: a mask of bits is all that is wanted.
template <class Model, int Pixels, int MinBlocks, bool Many, bool OnlyBits>
__global__ void __launch_bounds__(block_x* block_y, MinBlocks)
    background_frames(const __grid_constant__ FramesRequest q) {
  const int64_t column = (int64_t(blockIdx.x) * block_x + threadIdx.x) * Pixels;
  // Threads past the width stay, and make the bits there 0.
  const auto x0 = int32_t(min(column, int64_t(q.frame.width)));
  const int32_t left = q.frame.width - x0;
  const uint32_t inside = left < Pixels ? (1u << left) - 1 : ~0u;
  const int32_t first = Many ? int32_t(blockIdx.z) * q.a_block : 0;
  const int32_t end = Many ? min(first + q.a_block, q.count) : 1;
  const int64_t rows = int64_t(gridDim.y) * block_y;
  for (int64_t row = int64_t(blockIdx.y) * block_y + threadIdx.y; row < q.frame.height;
       row += rows) {
    const auto y = int32_t(row);
    LaneState<Model, Pixels> state;
    uint32_t next[Pixels / 4];
    cuda::load_bytes<Pixels>(at(q.frame, q.frame_step, first, x0, y), left, next);
    if (!q.founds) state.read(q.state, q.wide, x0, y, left);
    for (int32_t t = first; t < end; ++t) {
      uint32_t v[Pixels / 4], levels[Pixels / 4], differences[Pixels / 4];
#pragma unroll
      for (int i = 0; i < Pixels / 4; ++i) v[i] = next[i];
      if (Many && t + 1 < end)
        cuda::load_bytes<Pixels>(at(q.frame, q.frame_step, t + 1, x0, y), left, next);
      if (q.founds && t == 0) {
        state.found(v);
#pragma unroll
        for (int i = 0; i < Pixels / 4; ++i) levels[i] = v[i], differences[i] = 0;
      } else {
        state.learn(v, q.rate[t], q.dither[t], levels, differences);
      }
      uint32_t foreground = 0;
#pragma unroll
      for (int i = 0; i < Pixels / 4; ++i) foreground |= above(differences[i], q.limit) << (4 * i);
      write_out<Pixels, OnlyBits>(q, t, column, x0, y, left, levels, differences,
                                  foreground & inside);
    }
    if (Model::learns || q.founds) state.write(q.state, q.wide, x0, y, left);
  }
}

}  // namespace cuesta::background_cuda
