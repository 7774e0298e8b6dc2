// Strategy `tensor`: u8, magnitudes of apertures 5 and 7, both gradients by int8 tensor cores from
// tiles in shared memory (cuda/tensor_tile.cuh).
//
// A row of the product is a patch of 2 × 2 pixels, its columns are gx and gy of the four, the inner
// dimension runs over the 8 × 8 samples around them: with aperture 7 none is there for nothing. The
// inner dimension is dealt so that lane 4 g + t brings row t of four and the words of its own
// columns, 8 in either half of the warp's 128, and gets both gradients of pixel t of four patches
// side by side. A patch begins two samples after the one before, so every second word is put
// together from two; where two patches want one word in different places of the four registers that
// must stand in a row, products of half the depth take it. Sums are exact, of 32 bits.
//
// Two rows a step, 64 instructions a lane for 8 pixels, 12 of them products; a lane's samples of
// three groups of four rows stay in registers, the tile's others in shared memory.
#include <array>

#include "cuda/instructions.cuh"
#include "cuda/tensor_cores.hpp"
#include "cuda/tensor_stencil.cuh"
#include "cuda/tile_rows.hpp"
#include "ops/sobel/cuda.hpp"
#include "ops/sobel/lane_outputs.cuh"

namespace cuesta {
namespace {

using namespace sobel_cuda;
using namespace cuda::tensor;

constexpr int before = 3, groups = 3;  // columns and rows before a patch; groups of rows kept
constexpr int patches = 4;             // of a lane, in either half of the columns

/// The taps as the second matrix: of the upper and lower four rows, the left and right four
/// columns, what each lane holds.
using Fragments = std::array<uint32_t, 4 * 32>;
constexpr Fragments fragments_of(int aperture) {
  const auto taps = gradient::taps(aperture);
  Fragments out{};
  size_t at = 0;
  for (int rows = 0; rows < 2; ++rows) {
    for (int columns = 0; columns < 2; ++columns) {
      for (int lane = 0; lane < 32; ++lane, ++at) {
        const int g = lane / 4, t = lane % 4, y = g / 4, x = g / 2 % 2;  // the pixel of the patch
        for (int e = 0; e < 4; ++e) {
          const int i = 4 * columns + e - before - x + aperture / 2;
          const int j = 4 * rows + t - before - y + aperture / 2;
          if (i < 0 || j < 0 || i >= aperture || j >= aperture) continue;
          const int tap = g % 2 == 0 ? taps.derivative[i] * taps.smoothing[j]
                                     : taps.smoothing[i] * taps.derivative[j];
          out[at] |= (uint32_t(tap) & 255) << 8 * e;
        }
      }
    }
  }
  return out;
}

/// What four pixels of a row become: words as they are in memory.
template <class Out_, Norm N>
struct Magnitudes {
  using Out = Out_;
  static constexpr int words = sizeof(Out);

  static __device__ void make(const int32_t (&gx)[4], const int32_t (&gy)[4], uint32_t* to) {
    if constexpr (words == 1 && N == Norm::l1) {
      to[0] = four_magnitudes(gx, gy);
    } else {
      constexpr int most = words == 1 ? 255 : 65535;
      uint32_t m[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) m[i] = integer_magnitude<false>(gx[i], gy[i], N, most);
      const uint32_t low = __byte_perm(m[0], m[1], 0x5410), high = __byte_perm(m[2], m[3], 0x5410);
      if constexpr (words == 1)
        to[0] = __byte_perm(low, high, 0x6420);
      else
        to[0] = low, to[1] = high;
    }
  }
};

/// A lane's samples of a row, from `before` to the left of its columns on: word i of either half
/// begins 2 i samples further. Words 0 and 2, and 3 and 5, stand side by side as products want
/// them.
struct RowOfPatches {
  Quad first, last;
  uint32_t second[2], fifth[2];

  template <bool Aligned>
  __device__ __forceinline__ void load(const uint8_t* at, uint32_t shift) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      uint32_t w[6];
      if constexpr (Aligned) {
        const auto* v = reinterpret_cast<const uint32_t*>(at + 64 * half + 12);
        const uint2 own = *reinterpret_cast<const uint2*>(v + 1);
        const uint32_t left = v[0], right = v[3];
        w[0] = __byte_perm(left, own.x, 0x4321), w[1] = __byte_perm(left, own.x, 0x6543);
        w[2] = __byte_perm(own.x, own.y, 0x4321), w[3] = __byte_perm(own.x, own.y, 0x6543);
        w[4] = __byte_perm(own.y, right, 0x4321), w[5] = __byte_perm(own.y, right, 0x6543);
      } else {
        const uint32_t odd = (shift + 1) & 3;
        const auto* v = reinterpret_cast<const uint32_t*>(at + 64 * half + (shift + 1 - odd));
        uint32_t whole[4], low = v[0];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const uint32_t high = v[i + 1];
          whole[i] = __funnelshift_r(low, high, 8 * odd);
          low = high;
        }
#pragma unroll
        for (int i = 0; i < 3; ++i)
          w[2 * i] = whole[i], w[2 * i + 1] = __byte_perm(whole[i], whole[i + 1], 0x5432);
      }
      first.word[half] = w[0], first.word[2 + half] = w[2];
      last.word[half] = w[3], last.word[2 + half] = w[5];
      second[half] = w[1], fifth[half] = w[4];
    }
  }
  /// Adds four rows' part to the gradients of the patches.
  __device__ __forceinline__ void add(int32_t (&sums)[patches][4], const uint32_t (&b)[2]) const {
    multiply_add<uint8_t, int8_t>(sums[0], first.word, b[0], b[1]);
    multiply_add<uint8_t, int8_t>(sums[3], last.word, b[0], b[1]);
    multiply_add<uint8_t, int8_t>(sums[1], second, b[0]);
    multiply_add<uint8_t, int8_t>(sums[2], first.word + 2, b[0]);
    multiply_add<uint8_t, int8_t>(sums[1], last.word, b[1]);
    multiply_add<uint8_t, int8_t>(sums[2], fifth, b[1]);
  }
};

template <int Warps>
using PatchTile = Tile<uint8_t, 128 * Warps, 4, 32, Warps>;

/// Eight neighbouring results of a lane, of the left half of the warp's columns where t is even, of
/// the right half where it is odd, from its own pixels, every second one of both, and those of the
/// lane beside it.
template <class M>
__device__ __forceinline__ Results<typename M::Out> neighbours(const uint32_t (&left)[M::words],
                                                               const uint32_t (&right)[M::words],
                                                               bool odd) {
  constexpr bool bytes = M::words == 1;
  Results<typename M::Out> out;
  const uint32_t low = odd ? (bytes ? 0x1504 : 0x1054) : (bytes ? 0x5140 : 0x5410);
  const uint32_t high = odd ? (bytes ? 0x3726 : 0x3276) : (bytes ? 0x7362 : 0x7632);
#pragma unroll
  for (int i = 0; i < M::words; ++i) {
    const uint32_t own = odd ? right[i] : left[i];
    const uint32_t other = __shfl_xor_sync(~0u, odd ? left[i] : right[i], 1);
    out.word[2 * i] = __byte_perm(own, other, low);
    out.word[2 * i + 1] = __byte_perm(own, other, high);
  }
  return out;
}

template <class M, bool Aligned, int Warps, int Blocks>
__global__ void __launch_bounds__(32 * Warps, Blocks)
    sobel_tensor(const __grid_constant__ cuda::tensor::StencilRequest<uint8_t, typename M::Out> q,
                 int rows, const __grid_constant__ Fragments fragments) {
  using Out = typename M::Out;
  using Tile = PatchTile<Warps>;
  constexpr int pitch = Tile::pitch;
  CUESTA_DYNAMIC_SHARED(__align__(128) uint8_t, tile);
  __shared__ Tile in;
  const int32_t left = int32_t(blockIdx.x) * 128 * Warps;
  const int64_t y0 = int64_t(cuda::block_row()) * rows;
  if (y0 >= q.src.height) return;
  const auto top = int32_t(y0), here = min(rows, q.src.height - top);
  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32, g = lane / 4, t = lane % 4;
  const uint32_t* words = cuda::opaque(fragments.data());
  uint32_t taps[2][2];
#pragma unroll
  for (int i = 0; i < 4; ++i) taps[i / 2][i % 2] = words[32 * i + lane];
  in.init();
  in.template fetch<Aligned>(q, tile, left, top - before, (here + 1) / 2 * 2 + 2 * before);
  __syncthreads();
  in.wait(0);
  const int32_t warp_left = left + 128 * warp;
  const bool odd = t % 2;
  const int column = 64 * odd + 8 * g;           // of the lane's results
  const int32_t room = q.src.width - warp_left;  // columns from the warp's first on
  if (room <= 0) return;
  const uint8_t* from = tile + t * pitch + 128 * warp + 8 * g;
  int row = t;
  RowOfPatches kept[groups];  // take turns, so that nothing moves
  const auto take = [&](RowOfPatches& into) {
    into.template load<Aligned>(from, Aligned ? 0 : in.shift[row]);
    from += 2 * pitch, row += 2;
  };
#pragma unroll
  for (int i = 0; i + 1 < groups; ++i) take(kept[i]);
  Out* to = q.dst.row(top + min(t / 2, here - 1)) + warp_left + column;
  int own = here - t / 2;  // rows from the lane's on
#pragma unroll 1
  for (int y = 0; y < here; y += 2 * groups) {
#pragma unroll
    for (int turn = 0; turn < groups; ++turn) {
      if (turn && y + 2 * turn >= here) break;
      take(kept[(turn + groups - 1) % groups]);
      int32_t sums[patches][4] = {};
      kept[turn].add(sums, taps[0]);
      kept[(turn + 2) % groups].add(sums, taps[1]);
      uint32_t made[2][M::words];
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        int32_t gx[patches], gy[patches];
#pragma unroll
        for (int i = 0; i < patches; ++i) gx[i] = sums[i][2 * half], gy[i] = sums[i][2 * half + 1];
        M::make(gx, gy, made[half]);
      }
      const auto results = neighbours<M>(made[0], made[1], odd);
      if (!Aligned && room >= 128) {
        // The last word of the columns before; the left half's last belongs to the lane before.
        const uint32_t before = __shfl_sync(~0u, results.word[2 * M::words - 1],
                                            g > 0 ? lane - 4
                                            : odd ? lane + 27
                                                  : lane);
        if (own > 0) cuda::store_shifted(to, results.word, before, g == 0 && !odd, g == 7 && odd);
      } else if (own > 0) {
        if (Aligned && room >= column + 8)
          results.store(to);
        else
          results.store(to, column, room);
      }
      to = reinterpret_cast<Out*>(reinterpret_cast<uint8_t*>(to) + 2 * q.dst.stride_bytes);
      own -= 2;
    }
  }
}

constexpr int block_warps = 4, block_columns = 128 * block_warps;

/// Rows that a block makes, as in cuda/tensor_stencil.cuh. (H200, 2026-11-22, aperture 7, l1, times
/// of a copy: 8192² 24 rows 1.59, 40 1.57, with six blocks a multiprocessor in place of five 1.67;
/// 1024² 4 and 6 rows 1.34, 12 1.53.)
int rows_of_block(int64_t pixels) {
  if (pixels < 3 << 19) return 6;  // 1024 x 1024 and less
  return pixels < 1 << 25 ? 16 : 40;
}

template <class M, bool Aligned, int Blocks>
void launch(const cuda::tensor::StencilRequest<uint8_t, typename M::Out>& q, int aperture, int rows,
            cudaStream_t stream) {
  const dim3 grid =
      cuda::grid_of(cuda::blocks(q.src.width, block_columns), cuda::blocks(q.src.height, rows));
  const size_t shared = size_t((rows + 1) / 2 * 2 + 2 * before) * PatchTile<block_warps>::pitch;
  const Fragments fragments = fragments_of(aperture);
  cuda::launch("sobel", sobel_tensor<M, Aligned, block_warps, Blocks>, grid, dim3(32 * block_warps),
               shared, stream, q, rows, fragments);
}

template <class Out, Norm N>
void run(const SobelArgs& args, Call& call) {
  using M = Magnitudes<Out, N>;
  const Border& border = args.options.border;
  const cuda::tensor::StencilRequest<uint8_t, Out> q{args.src.as<uint8_t, Space::device>(),
                                                     args.out.magnitude.as<Out, Space::device>(),
                                                     border.mode, border_sample<uint8_t>(border)};
  const int rows = rows_of_block(int64_t(q.src.width) * q.src.height);
  const int aperture = args.options.aperture;
  if (cuda::has_word_rows(q.src, 16) && cuda::has_word_rows(q.dst, int(8 * sizeof(Out))))
    launch<M, true, 5>(q, aperture, rows, cuda::stream_of(call));
  else
    launch<M, false, 5>(q, aperture, rows, cuda::stream_of(call));
  const auto none = [](int32_t, int32_t) { return 0; };
  clear_frame("sobel", q, Window{aperture, aperture, aperture / 2, aperture / 2, none}, call);
}

}  // namespace

std::string_view sobel_cuda::tensor_supports(const SobelArgs& args, const Parameters&) {
  using enum PixelType;
  const SobelOutputs& out = args.out;
  if (args.src.type != u8) return "sources but u8";
  if (args.options.aperture == 3) return "aperture 3";
  if (!out.magnitude || out.gx || out.gy || out.direction ||
      (out.magnitude.type != u8 && (out.magnitude.type != u16 || args.options.norm != Norm::l1)))
    return "outputs but one magnitude, u8 or l1 to u16";
  if (const auto why = cuda::tiles_take(args.src); !why.empty()) return why;
  return cuda::multiplies_bytes() ? std::string_view() : "GPUs below compute capability 8.0";
}

void sobel_cuda::tensor(const SobelArgs& args, Call& call) {
  if (args.out.magnitude.type == PixelType::u16) return run<uint16_t, Norm::l1>(args, call);
  args.options.norm == Norm::l1 ? run<uint8_t, Norm::l1>(args, call)
                                : run<uint8_t, Norm::l2>(args, call);
}

}  // namespace cuesta
