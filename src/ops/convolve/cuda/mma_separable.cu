// Strategy `mma-separable`: factors without signs (Gaussians, boxes) as two int8 tensor-core
// products, from tiles in shared memory (cuda/tensor_tile.cuh); sums across never leave registers.
//
//   H (16 columns x 8 rows)   = band of taps (16 x 32 or 48) . samples (32 or 48 of a row x 8 rows)
//   out (16 rows x 8 columns) = band of taps (16 x 32 or 48) . H, its bytes apart: low, high
//
// A sum of u8 across is at most 65,280 and so two bytes; of 256 . high + low + 2^15 the third byte
// is a Gaussian's result. (u16 samples are two planes of bytes; their sums have three bytes.) The
// first product's columns are dealt so that lane t of four makes 8 neighbouring ones of a warp's 32
// by two of them; both take the same words of a row, K = 48 or 64 samples of it. H comes out with
// rows in a lane's registers, which is the second product's B with K dealt in that order. A warp
// walks down 16 rows a step and keeps H of the last one or two. More channels are wider rows and
// taps further apart.
#include <bit>
#include <cstring>
#include <numeric>

#include "cuda/any_alignment.cuh"
#include "cuda/architectures.hpp"
#include "cuda/instructions.cuh"
#include "cuda/shifted_words.cuh"
#include "cuda/tensor_products.cuh"
#include "cuda/tensor_stencil.cuh"
#include "cuda/tensor_tile.cuh"
#include "ops/convolve/cuda.hpp"
#include "ops/convolve/cuda/flat_rows.cuh"
#include "ops/convolve/cuda/quotients.hpp"

namespace cuesta {
namespace {

using namespace convolve_cuda;
using cuda::tensor::joined;
using cuda::tensor::multiply;
using cuda::tensor::multiply_add;
using cuda::tensor::split_sums;

constexpr int band_columns = 16, warp_columns = 2 * band_columns, step_rows = 16;

/// Both factors as bytes, tap i at `centre` + (i − anchor) · samples between taps, 0 elsewhere.
struct Bands {
  static constexpr int centre = 64;
  uint8_t across[2 * centre], down[2 * centre];
};

/// Windows that reach `Before` samples to either side at most.
template <int Before>
struct Shape {
  static_assert(Before == 8 || Before == 16);
  static constexpr int words = Before / 8 + 1;   // a lane's, of the samples of 16 columns' sums
  static constexpr int groups = Before / 8 + 1;  // of 16 rows of H that 16 results need
};

template <class T>
struct Request : FlatRequest<T> {
  Division divide{};
  int32_t offset;

  explicit Request(const ConvolveArgs& args)
      : FlatRequest<T>(args), offset(std::clamp(args.offset, -(1 << 30), 1 << 30)) {
    if (args.divisor > 1) divide = Division(args.divisor, 0, args.rounding == Rounding::half_up);
  }
};

/// Both bands in the order of the products' first operand.
template <int Before>
struct Fragments {
  uint32_t across[2 * Shape<Before>::words];
  // down[i]: where group i of H is the oldest. Of two groups one product takes both, of three each
  // has its own.
  static constexpr int turns = Shape<Before>::groups == 2 ? 2 : 1;
  uint32_t down[turns][2 * Shape<Before>::groups];

  /// `again`: another copy of the bands, so that the compiler keeps both.
  __device__ void fill(const Bands& bands, const Bands& again, int g, int t) {
    const auto word = [](const uint8_t* taps, int a, int b) {  // taps a, a + 1, b, b + 1
      return uint32_t(taps[a]) | uint32_t(taps[a + 1]) << 8 | uint32_t(taps[b]) << 16 |
             uint32_t(taps[b + 1]) << 24;
    };
#pragma unroll
    for (int upper = 0; upper < 2; ++upper) {
#pragma unroll
      for (int i = 0; i < Shape<Before>::words; ++i) {
        const int column = 4 * (g / 2) + 2 * upper + g % 2;
        const int at = Bands::centre + 16 * i + 4 * t - Before - column;
        across[2 * i + upper] = word(bands.across, at, at + 2);
      }
#pragma unroll
      for (int i = 0; i < Shape<Before>::groups; ++i) {
        const int at = Bands::centre + 16 * i - Before + 2 * t - (g + 8 * upper);
        down[0][2 * i + upper] = word(bands.down, at, at + 8);
        if constexpr (turns == 2) down[1][2 * (1 - i) + upper] = word(again.down, at, at + 8);
      }
    }
  }
};

/// A lane's part of H, 16 rows a group: [16 of a warp's columns][pair of them][byte][group]. The
/// groups take turns, so that nothing moves, and stand side by side as a product wants them.
template <class T, int Groups>
using Sums = uint32_t[2][2][sizeof(T) + 1][Groups];

/// Word i of lane t becomes word t of lane i, among each four lanes.
__device__ __forceinline__ void transpose(uint32_t (&word)[4], int t) {
#pragma unroll
  for (int by = 1; by < 4; by *= 2) {
    const bool odd = t & by;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (i & by) continue;
      const uint32_t other = __shfl_xor_sync(0xFFFFFFFF, odd ? word[i] : word[i + by], by);
      (odd ? word[i] : word[i + by]) = other;
    }
  }
}

/// A row of `Parts` times four lanes' words, one of samples T after the other, to any address. All
/// lanes of the warp call it.
template <class T, int Parts, int Words>
__device__ __forceinline__ void store_shifted(const uint32_t (&own)[Parts][Words], T* to, int t,
                                              bool wanted) {
  // The last word of the lane before; of the last one, for a part's first.
  uint32_t last[Parts], before[Parts];
#pragma unroll
  for (int p = 0; p < Parts; ++p)
    last[p] =
        __shfl_sync(0xFFFFFFFF, own[p][Words - 1], int(threadIdx.x) % 32 / 4 * 4 + (t + 3) % 4);
#pragma unroll
  for (int p = 0; p < Parts; ++p) before[p] = t || p == 0 ? last[p] : last[p ? p - 1 : 0];
  if (!wanted) return;
  cuda::store_shifted(to + t * (4 * Words / int(sizeof(T))), own, before, 4 * Words, t == 0,
                      t == 3);
}

/// How a block's results leave.
enum class Leaving : uint8_t {
  vectors,  ///< rows of both pictures begin at multiples of 16 bytes, or beside them alike
  words,    ///< at any address: each warp's 32 columns, with single bytes at their ends
  staged,   ///< at any address: all rows of the block at its end, through shared memory
};

/// The block's results, rows one after the other in shared memory.
template <class T, int Columns>
struct Stage {
  // Four more banks a row: the 8 rows that a warp writes at once lie in different ones.
  static constexpr int bytes = Columns * int(sizeof(T)), pitch = bytes + 16;

  /// Writes `rows` of them to rows `top` and columns `left` of `to` and on, as far as it has them,
  /// in pieces of 16 bytes, a row by some lanes side by side. All threads of the block call it.
  template <int Warps>
  __device__ static void leave(const uint8_t* stage, ImageView<T, Space::device> to, int32_t left,
                               int32_t top, int rows) {
    constexpr int lanes = bytes / 16, abreast = 32 / lanes;
    static_assert(lanes * abreast == 32);
    const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    const int32_t at = lane % lanes * 16,
                  room = min(to.width - left, Columns) * int(sizeof(T)) - at;
    for (int y0 = warp * abreast; y0 < rows; y0 += Warps * abreast) {
      const int y = min(y0 + lane / lanes, rows - 1);
      const bool active = y0 + lane / lanes < rows;
      const uint4 v = *reinterpret_cast<const uint4*>(stage + y * pitch + at);
      const uint32_t own[4] = {v.x, v.y, v.z, v.w};
      auto* own_place = reinterpret_cast<uint8_t*>(to.row(top + y) + left) + at;
      if (to.width - left >= Columns) {
        cuda::store_run(own_place, own, lane % lanes == 0, lane % lanes == lanes - 1, active);
      } else if (active) {
#pragma unroll
        for (int i = 0; i < 16; ++i)
          if (i < room) own_place[i] = uint8_t(own[i / 4] >> i % 4 * 8);
      }
    }
  }
};

template <class T, int Before, bool Q16, Leaving How, int Warps, int Blocks>
__global__ void __launch_bounds__(32 * Warps, Blocks)
    mma_separable_kernel(const __grid_constant__ Request<T> q, int rows, int stage_at,
                         const __grid_constant__ Bands bands) {
  constexpr bool Aligned = How == Leaving::vectors, staged = How == Leaving::staged;
  using Out = Stage<T, warp_columns * Warps>;
  using S = Shape<Before>;
  constexpr int size = sizeof(T), planes = size, parts = planes + 1, words = S::words;
  using Tile = cuda::tensor::Tile<T, warp_columns * Warps, Before, 16 * size, Warps>;
  CUESTA_DYNAMIC_SHARED(__align__(128) uint8_t, tile);
  __shared__ Tile in;
  __shared__ Bands taps[2];
  const int32_t left = int32_t(blockIdx.x) * warp_columns * Warps;
  const uint32_t y0 = (blockIdx.z * gridDim.y + blockIdx.y) * uint32_t(rows);
  if (y0 >= uint32_t(q.src.height)) return;
  const auto top = int32_t(y0), here = min(rows, q.src.height - top);
  in.init();
  // Of the rows that H wants, those that results need; taps of others are 0.
  const int above = q.anchor_y, below = q.height - 1 - above, skipped = Before - above;
  in.template fetch<Aligned>(q, tile + skipped * Tile::pitch, left, top - above,
                             here + above + below, skipped);
  constexpr int count = sizeof bands / 4;
  for (int i = int(threadIdx.x); i < 2 * count; i += 32 * Warps)
    reinterpret_cast<uint32_t*>(taps)[i] = reinterpret_cast<const uint32_t*>(&bands)[i % count];
  __syncthreads();
  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32, g = lane / 4, t = lane % 4;
  Fragments<Before> band;
  band.fill(taps[0], taps[1], g, t);
  in.wait(0);
  const int32_t warp_left = left + warp_columns * warp;
  if (!staged && warp_left >= q.src.width) return;
  uint8_t* stage = tile + stage_at;

  // A row's samples from Before to the left of the warp's on; a lane's are every fourth four.
  const uint8_t* from = tile + g * Tile::pitch + (warp_columns * warp + 4 * t) * size +
                        (Aligned ? (16 - Before * size % 16) % 16 : 0);
  int row = g;
  const auto take = [&](Sums<T, S::groups>& sums, int group) {
    uint32_t w[2][planes][words + 1];  // of rows g and g + 8
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      // Rows that no result needs have no shift: whatever lies there, within a piece.
      const uint32_t shift = Aligned ? 0 : in.shift[row + 8 * k] & 15, odd = shift & 3;
      const uint8_t* at = from + 8 * k * Tile::pitch + (shift - odd);
#pragma unroll
      for (int i = 0; i <= words; ++i) {
        const auto* p = reinterpret_cast<const uint32_t*>(at + 16 * size * i);
        uint32_t v[planes + 1];
        if constexpr (Aligned && planes == 2) {
          const uint2 both = *reinterpret_cast<const uint2*>(p);
          v[0] = both.x, v[1] = both.y;
        } else {
#pragma unroll
          for (int n = 0; n < planes + (Aligned ? 0 : 1); ++n) v[n] = p[n];
        }
        if constexpr (!Aligned) {
#pragma unroll
          for (int n = 0; n < planes; ++n) v[n] = __funnelshift_r(v[n], v[n + 1], 8 * odd);
        }
        if constexpr (planes == 2) {
          w[k][0][i] = __byte_perm(v[0], v[1], 0x6420);
          w[k][1][i] = __byte_perm(v[0], v[1], 0x7531);
        } else {
          w[k][0][i] = v[0];
        }
      }
    }
    from += step_rows * Tile::pitch, row += step_rows;
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      int32_t h[2][planes][4];
#pragma unroll
      for (int k = 0; k < 2; ++k) {
#pragma unroll
        for (int p = 0; p < planes; ++p) {
          multiply<uint8_t, uint8_t>(h[k][p], band.across, 0, w[k][p][n], w[k][p][n + 1]);
          if constexpr (words == 3)
            multiply_add<uint8_t, uint8_t>(h[k][p], band.across + 4, w[k][p][n + 2]);
        }
      }
#pragma unroll
      for (int pair = 0; pair < 2; ++pair) {
        uint32_t bytes[parts];
        split_sums<false>(h, pair, bytes);
#pragma unroll
        for (int k = 0; k < parts; ++k) sums[n][pair][k][group] = bytes[k];
      }
    }
  };
  // The results of 16 columns in a lane's words of a row g and row g + 8 of a step.
  const auto make = [&](const Sums<T, S::groups>& sums, int oldest, int n,
                        uint32_t(&out)[2][planes]) {
    uint32_t v[2][4];
#pragma unroll
    for (int pair = 0; pair < 2; ++pair) {
      int32_t part[parts][4];
#pragma unroll
      for (int k = 0; k < parts; ++k) {
        const int32_t start = k > 0 ? 0 : Q16 ? 32768 : q.divide.start;
        const auto& h = sums[n][pair][k];
        if constexpr (S::groups == 2) {
          multiply<uint8_t, uint8_t>(part[k], band.down[oldest], start, h[0], h[1]);
        } else {
          multiply<uint8_t, uint8_t>(part[k], band.down[0], start, h[oldest]);
          multiply_add<uint8_t, uint8_t>(part[k], band.down[0] + 2, h[(oldest + 1) % 3]);
          multiply_add<uint8_t, uint8_t>(part[k], band.down[0] + 4, h[(oldest + 2) % 3]);
        }
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const uint32_t sum = joined(part, i);
        v[pair][i] = Q16 ? sum : uint32_t(min(max(q.divide(sum) + q.offset, 0), 255));
      }
    }
    constexpr uint32_t both = Q16 ? 0x7632 : 0x5410;  // the results' halves
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const uint32_t first = __byte_perm(v[0][2 * k], v[0][2 * k + 1], both);
      const uint32_t second = __byte_perm(v[1][2 * k], v[1][2 * k + 1], both);
      if constexpr (planes == 1)
        out[k][0] = __byte_perm(first, second, 0x6420);
      else
        out[k][0] = first, out[k][1] = second;
    }
  };
  const bool whole = q.src.width - warp_left >= warp_columns;
  // A lane's words in a row, to columns from x on.
  const auto store = [&](const auto& own, T* to, int32_t x) {
    constexpr int count = sizeof own / 4;
    if (Aligned && whole) {
      if constexpr (count == 2)
        *reinterpret_cast<uint2*>(to) = make_uint2(own[0], own[1]);
      else
        *reinterpret_cast<uint4*>(to) = make_uint4(own[0], own[1], own[2], own[3]);
      return;
    }
    const int32_t room = q.src.width - x;
#pragma unroll
    for (int i = 0; i < 4 * count / size; ++i)
      if (i < room) to[i] = T(own[i * size / 4] >> i * size % 4 * 8);
  };
  // 16 rows from `at` on.
  const auto emit = [&](const Sums<T, S::groups>& sums, int oldest, int32_t at) {
    uint32_t made[2][2][planes];  // [16 columns][row g, g + 8]
#pragma unroll
    for (int n = 0; n < 2; ++n) make(sums, oldest, n, made[n]);
    if constexpr (staged) {
#pragma unroll
      for (int k = 0; k < 2; ++k)
#pragma unroll
        for (int n = 0; n < 2; ++n)
          *reinterpret_cast<uint32_t*>(stage + (at + g + 8 * k) * Out::pitch + warp_columns * warp +
                                       n * band_columns + 4 * t) = made[n][k][0];
      return;
    }
    if (planes == 1 && (Aligned || !whole)) {
      // A lane's four words, of two rows and both halves of the columns, become four in a row.
      uint32_t out[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) out[i] = made[i % 2][i / 2][0];
      transpose(out, t);
      const int32_t y = at + g + t / 2 * 8, x = warp_left + t % 2 * band_columns;
      if (y < here) store(out, q.dst.row(top + y) + x, x);
      return;
    }
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const int32_t y = at + g + 8 * k;
      T* to = q.dst.row(top + min(y, here - 1)) + warp_left;
      if (!Aligned && whole) {
        uint32_t own[2][planes];
#pragma unroll
        for (int n = 0; n < 2; ++n)
#pragma unroll
          for (int p = 0; p < planes; ++p) own[n][p] = made[n][k][p];
        store_shifted(own, to, t, y < here);
      } else if (y < here) {
#pragma unroll
        for (int n = 0; n < 2; ++n) {
          const int32_t x = n * band_columns + 4 * t;
          store(made[n][k], to + x, warp_left + x);
        }
      }
    }
  };

  Sums<T, S::groups> sums;
#pragma unroll
  for (int i = 0; i + 1 < S::groups; ++i) take(sums, i);
#pragma unroll 1
  for (int32_t at = 0; at < here; at += S::groups * step_rows) {
#pragma unroll
    for (int turn = 0; turn < S::groups; ++turn) {
      if (turn && at + turn * step_rows >= here) break;
      take(sums, (turn + S::groups - 1) % S::groups);
      emit(sums, turn, at + turn * step_rows);
    }
  }
  if constexpr (staged) {
    static_assert(planes == 1);
    __syncthreads();
    Out::template leave<Warps>(stage, q.dst, left, top, here);
  }
}

template <class T, int Before, bool Q16, Leaving How, int Warps, int Blocks>
void launch(const Request<T>& q, const Bands& bands, int rows, cudaStream_t stream) {
  using Tile = cuda::tensor::Tile<T, warp_columns * Warps, Before, 16 * sizeof(T), Warps>;
  const auto kernel = mma_separable_kernel<T, Before, Q16, How, Warps, Blocks>;
  const unsigned strips = cuda::blocks(q.src.height, rows),
                 high = std::min(strips, cuda::max_grid_y);
  const dim3 grid(cuda::blocks(q.src.width, warp_columns * Warps), high,
                  (strips + high - 1) / high);
  const int whole_rows = (rows + step_rows - 1) / step_rows * step_rows;
  const int stage_at = (whole_rows + 2 * Before) * Tile::pitch;
  const size_t shared =
      size_t(stage_at) +
      (How == Leaving::staged ? whole_rows * Stage<T, warp_columns * Warps>::pitch : 0);
  // Also below 48 KB, which what the kernel declares itself counts into.
  cuda::check(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared)),
      "convolve");
  cuda::launch("convolve", kernel, grid, dim3(32 * Warps), shared, stream, q, rows, stage_at,
               bands);
}

int64_t total(std::span<const int32_t> taps) {
  return std::accumulate(taps.begin(), taps.end(), int64_t(0));
}

/// Whether the result is the upper half of sum + 2^15.
bool is_q16(const ConvolveArgs& args) {
  return args.divisor == 65536 && args.rounding == Rounding::half_up && args.offset == 0 &&
         total(args.integers.row) * total(args.integers.column) <= 65536;
}

/// Rows that a block makes, as in cuda/tensor_stencil.cuh. H200, 2026-11-22, 16 to 128 rows tried
/// at 1024 x 1024 and 8192 x 8192: those of the fastest; between, by the number of blocks.
int rows_of_block(int64_t pixels) {
  if (pixels < 3 << 19) return 16;  // 1024 x 1024 and less
  if (pixels < 1 << 23) return 32;  // 2048 x 2048
  return pixels < 1 << 25 ? 64 : 96;
}

template <class T>
void run(const ConvolveArgs& args, Call& call) {
  const Request<T> q(args);
  Bands bands{};
  for (int32_t i = 0; i < args.width; ++i) {
    bands.across[Bands::centre + (i - args.anchor_x) * q.channels] =
        uint8_t(args.integers.row[size_t(i)]);
  }
  for (int32_t j = 0; j < args.height; ++j)
    bands.down[Bands::centre + j - args.anchor_y] = uint8_t(args.integers.column[size_t(j)]);
  const auto with = [&](auto q16) {
    const auto with_reach = [&](auto before) {
      // H200, 2026-11-22, 8192 x 8192: Gaussian 15 x 15 of u8 takes 1.49 copies with three blocks
      // and 1.61 with four, whose registers spill.
      constexpr int blocks = sizeof(T) == 1 ? 3 : 2;
      const int rows = rows_of_block(int64_t(q.src.width) * q.src.height);
      const auto stream = cuda::stream_of(call);
      // Pictures may lie beside multiples of 16 bytes alike; bulk copies want the multiples.
      const bool aligned = q.is_aligned() && reinterpret_cast<uintptr_t>(q.src.data) % 16 == 0;
      if (aligned)
        return launch<T, before(), q16(), Leaving::vectors, 8, blocks>(q, bands, rows, stream);
      // H200, 2026-11-24, u8 at 8189 x 8192, times as long as aligned rows: 15 x 15 takes 2.38 by
      // words and 1.82 staged, 31 x 31 2.02 and 1.67; with 32 rows a block 2.15 and 2.10. At 1021 x
      // 1024 31 x 31 takes 1.30 and 1.50. u16 has no room for it: 1.52 and 2.42.
      if constexpr (sizeof(T) == 1) {
        if (rows >= 64)
          return launch<T, before(), q16(), Leaving::staged, 8, blocks>(q, bands, rows, stream);
      }
      launch<T, before(), q16(), Leaving::words, 8, blocks>(q, bands, rows, stream);
    };
    reach_of(args) <= 8 ? with_reach(std::integral_constant<int, 8>())
                        : with_reach(std::integral_constant<int, 16>());
  };
  if constexpr (sizeof(T) == 1)
    is_q16(args) ? with(std::true_type()) : with(std::false_type());
  else
    with(std::true_type());
  if (q.mode == BorderMode::ignore) {
    const int32_t c = q.channels;
    cuda::for_each_frame_pixel("convolve",
                               cuda::frame_of(q.src.width, q.src.height, (q.width - 1) * c + 1,
                                              q.height, q.anchor_x * c, q.anchor_y),
                               cuda::tensor::Clear<T>{q.dst}, call);
  }
}

}  // namespace

std::string_view convolve_cuda::mma_separable_takes(const ConvolveArgs& args, const Parameters&) {
  const bool bytes = args.src.type == PixelType::u8;
  if (args.src.type != args.dst.type || (!bytes && args.src.type != PixelType::u16))
    return "types other than u8 to u8 and u16 to u16";
  if (!args.integers.separable()) return "stencils without factors";
  if (reach_of(args) > 16) return "windows that reach more than 16 samples";
  const auto fits = [&](std::span<const int32_t> taps) {
    return std::all_of(taps.begin(), taps.end(), [](int32_t tap) { return uint32_t(tap) < 256; }) &&
           total(taps) <= 256;
  };
  if (!fits(args.integers.row) || !fits(args.integers.column))
    return "factors with signs, taps past 255 or past 256 together";
  if (!is_q16(args)) {
    if (!bytes) return "u16 stencils that are no Gaussian's";
    if (args.divisor < 2 || args.divisor > (1 << 24)) return "divisors of 1 or beyond 2^24";
  }
  if (const auto why = tiled_rows_take(args); !why.empty()) return why;
  const int capability = cuda::compute_capability();
  return capability != 0 && capability < 80 ? "GPUs before compute capability 8.0"
                                            : std::string_view();
}

void convolve_cuda::mma_separable(const ConvolveArgs& args, Call& call) {
  args.src.type == PixelType::u8 ? run<uint8_t>(args, call) : run<uint16_t>(args, call);
}

}  // namespace cuesta
