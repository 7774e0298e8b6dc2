// From frames to bits in one launch: gray, blur, difference, threshold, and what the background
// learns. A block has a tile of a frame; blocks of frames of any sizes and cameras stand in one
// grid.
// 1. The tile and seven pixels about it come to shared memory as gray levels, reflected at the
//    frame's edges.
// 2. Across: a thread makes four pixels of two rows from five words by dot products of four bytes
//    with taps that are shifted for each pixel; sums of two rows are in one word of 16 bits each.
// 3. Down: a thread makes sixteen rows of a column by dot products of such a word with two taps.
//    Sums are exact (taps are bytes and sum to 256) and rounded once, as gaussian()'s.
// 4. A thread has 16 bytes of state a plane (cuda/background_lanes.cuh), which it has read
// before 1. Frames of one model that learns follow each other in one block, the state in registers.
// Bound: one frame by latency; many by the dot products, 12.5 a pixel.
#pragma once

#include "cuda/any_bytes.cuh"
#include "cuda/overlap.cuh"
#include "cuesta/border.hpp"
#include "ops/motion/cuda/jobs.cuh"
#include "ops/shared/background_lanes.cuh"
#include "ops/shared/pixel_arithmetic.hpp"

namespace cuesta::motion_cuda {

inline constexpr int max_reach = 7;  ///< of the blur
inline constexpr int tile_wide = 128, tile_high = 32, tile_threads = 256;

/// The frames of a camera in one call, and where their bits go.
struct FrameJob {
  const uint8_t* frame;
  int64_t frame_stride, frame_step;  // bytes
  void* state;
  int64_t state_stride;
  uint32_t* bits;     // rows of whole words of 64 pixels
  int64_t bits_step;  // words of 32 from mask to mask
  uint64_t learned;   // frames before these
  uint32_t taps[4];   // Q8, a byte each, the middle one the eighth; the last byte is 0
  int32_t width, height;
  int32_t first_block, across;  // blocks of the jobs before; tiles side by side
  int32_t count;                // frames
  int16_t limit;                // foreground is difference > limit
  uint8_t rate, channels;
  bool blurs, founds, wide;  // wide: rows of the state may be read in words of 16 bytes

  __host__ __device__ int32_t tiles() const { return across * ((height - 1) / tile_high + 1); }
};

struct NoMore {};
template <int Most = max_jobs>
using FrameJobs = Jobs<FrameJob, NoMore, Most>;
static_assert(sizeof(FrameJobs<>) <= 4000);

namespace tile {
inline constexpr int apron = 16;  // columns: words, and whole vectors
inline constexpr int high = tile_high + 2 * max_reach, pairs = high / 2;
inline constexpr int words = (tile_wide + 2 * apron) / 4, quads = tile_wide / 4;

struct Shared {
  uint32_t gray[high][words];
  uint32_t across[pairs][tile_wide];  // of two rows
};

/// Four pixels in gray from column x on, all of the frame's.
__device__ __forceinline__ uint32_t four_inside(const uint8_t* row, int32_t x, int channels) {
  uint32_t out = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const uint8_t* v = row + int64_t(x + i) * channels;
    out |= uint32_t(pixel::gray(v[0], v[1], v[2])) << (8 * i);
  }
  return out;
}

/// Four pixels in gray from column x on, at any distance outside.
__device__ __forceinline__ uint32_t four_mapped(const FrameJob& job, const uint8_t* row,
                                                int32_t x) {
  uint32_t out = 0;
#pragma unroll 1
  for (int i = 0; i < 4; ++i) {
    const int32_t sx = map_index<BorderMode::reflect101>(x + i, job.width);
    const uint8_t* v = row + int64_t(sx) * job.channels;
    const uint32_t gray = job.channels == 1 ? v[0] : uint32_t(pixel::gray(v[0], v[1], v[2]));
    out |= gray << (8 * i);
  }
  return out;
}

__device__ __forceinline__ uint32_t one_word(const uint8_t* from, int32_t left) {
  uint32_t word[1];
  cuda::load_bytes<4>(from, left, word);
  return word[0];
}

__device__ __forceinline__ void load(const FrameJob& job, const uint8_t* frame, int32_t left,
                                     int32_t top, Shared& s) {
  const bool vectors = job.channels == 1 && left >= apron &&
                       left + tile_wide + apron <= job.width &&
                       (reinterpret_cast<uintptr_t>(frame) | uintptr_t(job.frame_stride)) % 16 == 0;
  const auto row_of = [&](int r) {
    const int32_t y = map_index<BorderMode::reflect101>(top - max_reach + r, job.height);
    return frame + int64_t(y) * job.frame_stride;
  };
  if (vectors) {
    constexpr int across = words / 4;
    for (int i = threadIdx.x; i < high * across; i += tile_threads) {
      const int r = i / across, c = i % across;
      reinterpret_cast<uint4*>(s.gray[r])[c] =
          __ldg(reinterpret_cast<const uint4*>(row_of(r) + left - apron) + c);
    }
    return;
  }
  for (int i = threadIdx.x; i < high * words; i += tile_threads) {
    const int r = i / words, c = i % words;
    const int32_t x = left - apron + 4 * c;
    const uint8_t* row = row_of(r);
    const bool inside = x >= 0 && x + 4 <= job.width;
    uint32_t v;
    if (!inside)
      v = four_mapped(job, row, x);
    else if (job.channels > 1)
      v = four_inside(row, x, job.channels);
    else
      v = one_word(row + x, job.width - x);
    s.gray[r][c] = v;
  }
}

/// Taps for pixel j of four: moved by 1 + j bytes.
__device__ __forceinline__ uint32_t tap_word(const uint32_t (&taps)[4], int word, int moved) {
  const auto at = [&](int i) { return i < 0 || i > 3 ? 0u : taps[i]; };
  const int whole = moved / 4, bytes = moved % 4;
  return __funnelshift_l(at(word - whole - 1), at(word - whole), unsigned(8 * bytes));
}

__device__ __forceinline__ void sum_across(const FrameJob& job, Shared& s) {
  uint32_t taps[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) taps[i] = job.taps[i];
  const int quad = int(threadIdx.x) % quads;
  for (int pair = int(threadIdx.x) / quads; pair < pairs; pair += tile_threads / quads) {
    uint32_t sums[2][4];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      uint32_t v[5];
#pragma unroll
      for (int i = 0; i < 5; ++i) v[i] = s.gray[2 * pair + k][apron / 4 - 2 + quad + i];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        sums[k][j] = 0;
#pragma unroll
        for (int i = 0; i < 5; ++i) {
          if ((j == 0 && i == 4) || (j == 3 && i == 0)) continue;  // no taps there
          sums[k][j] = __dp4a(v[i], tap_word(taps, i, 1 + j), sums[k][j]);
        }
      }
    }
    *reinterpret_cast<uint4*>(&s.across[pair][4 * quad]) = make_uint4(
        __byte_perm(sums[0][0], sums[1][0], 0x5410), __byte_perm(sums[0][1], sums[1][1], 0x5410),
        __byte_perm(sums[0][2], sums[1][2], 0x5410), __byte_perm(sums[0][3], sums[1][3], 0x5410));
  }
}

/// Into rows max_reach .. of s.gray, from column `apron` on, where the tile itself lay.
__device__ __forceinline__ void sum_down(const FrameJob& job, Shared& s) {
  constexpr int rows = tile_high / (tile_threads / tile_wide);
  const int x = int(threadIdx.x) % tile_wide, first = int(threadIdx.x) / tile_wide * rows;
  uint32_t even[4], odd[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    even[i] = job.taps[i];
    odd[i] = __funnelshift_l(i > 0 ? job.taps[i > 0 ? i - 1 : 0] : 0u, job.taps[i], 8);
  }
  uint32_t v[rows / 2 + max_reach];
#pragma unroll
  for (int i = 0; i < rows / 2 + max_reach; ++i) v[i] = s.across[first / 2 + i][x];
  auto* out = reinterpret_cast<uint8_t*>(s.gray[max_reach + first]) + apron + x;
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    uint32_t sum = 1 << 15;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      sum = __dp2a_lo(v[r / 2 + 2 * i], r % 2 ? odd[i] : even[i], sum);
      sum = __dp2a_hi(v[r / 2 + 2 * i + 1], r % 2 ? odd[i] : even[i], sum);
    }
    out[r * words * 4] = uint8_t(sum >> 16);
  }
}
}  // namespace tile

/// Pixels that a thread takes together: 16 bytes of a plane of state, less where there are many.
template <class Model>
inline constexpr int step_pixels = Model::planes > 2                     ? 4
                                   : sizeof(typename Model::Sample) == 2 ? 8
                                                                         : 16;

template <class Model, int MinBlocks, int Most>
__global__ void __launch_bounds__(tile_threads, MinBlocks)
    frames_to_bits(const __grid_constant__ FrameJobs<Most> q) {
  constexpr int Pixels = step_pixels<Model>, lanes = tile_wide / Pixels;
  constexpr int rows = tile_threads / lanes, passes = tile_high / rows;
  __shared__ tile::Shared s;
  cuda::let_next_begin();
  const FrameJob& job = q.jobs[job_of(q, int32_t(blockIdx.x))];
  int32_t block = int32_t(blockIdx.x) - job.first_block;
  // Nothing is learned: each frame has blocks of its own.
  const bool apart = !Model::learns && !job.founds;
  const int32_t tiles = job.tiles();
  const int32_t begin = apart ? block / tiles : 0, end = apart ? begin + 1 : job.count;
  block -= begin * tiles;
  const int32_t left = block % job.across * tile_wide, top = block / job.across * tile_high;

  const int column = int(threadIdx.x) % lanes * Pixels, row = int(threadIdx.x) / lanes;
  const int32_t inside_x = max(job.width - left - column, 0);  // pixels from the thread's first
  const int32_t x0 = min(left + column, job.width);
  const AnyView held(ImageView<typename Model::Sample, Space::device>{
      static_cast<typename Model::Sample*>(job.state), job.width, job.height * Model::planes, 1,
      ptrdiff_t(job.state_stride)});
  background_cuda::LaneState<Model, Pixels> state[passes];
  if (!job.founds) {
#pragma unroll
    for (int p = 0; p < passes; ++p) {
      const int32_t y = top + p * rows + row;
      if (y < job.height) state[p].read(held, job.wide, x0, y, inside_x);
    }
  }
  const uint32_t inside = inside_x < Pixels ? (1u << inside_x) - 1 : ~0u;
  const int32_t bit_words = (job.width + 63) / 64 * 2, word = (left + column) / 32;

  for (int32_t t = begin; t < end; ++t) {
    tile::load(job, job.frame + job.frame_step * t, left, top, s);
    __syncthreads();
    if (job.blurs) {
      tile::sum_across(job, s);
      __syncthreads();
      tile::sum_down(job, s);
      __syncthreads();
    }
    const background::Step step = background::step_of(Model(), job.rate, job.learned + uint64_t(t));
#pragma unroll
    for (int p = 0; p < passes; ++p) {
      const int32_t y = top + p * rows + row;
      uint32_t v[Pixels / 4], levels[Pixels / 4], differences[Pixels / 4], foreground = 0;
      const uint32_t* from = &s.gray[max_reach + p * rows + row][(tile::apron + column) / 4];
#pragma unroll
      for (int i = 0; i < Pixels / 4; ++i) v[i] = from[i];
      if (job.founds && t == 0) {
        state[p].found(v);
      } else {
        state[p].learn(v, step.rate, step.dither, levels, differences);
#pragma unroll
        for (int i = 0; i < Pixels / 4; ++i)
          foreground |= background_cuda::above(differences[i], job.limit) << (4 * i);
      }
      foreground &= inside;
#pragma unroll
      for (int many = 1; many * Pixels < 32; many *= 2)
        foreground |= __shfl_down_sync(~0u, foreground, many) << (many * Pixels);
      if ((left + column) % 32 == 0 && word < bit_words && y < job.height)
        job.bits[job.bits_step * t + int64_t(y) * bit_words + word] = foreground;
    }
    if (t + 1 < end) __syncthreads();
  }
  if (!Model::learns && !job.founds) return;
#pragma unroll
  for (int p = 0; p < passes; ++p) {
    const int32_t y = top + p * rows + row;
    if (y < job.height) state[p].write(held, job.wide, x0, y, inside_x);
  }
}

}  // namespace cuesta::motion_cuda
