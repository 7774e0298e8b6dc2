// Strategy `pairs`: u8 with aperture 3, one pass, two samples an instruction.
//
// A byte in the low half of a 16-bit lane is, read as fp16, the subnormal byte · 2^-24; sums of
// such that stay within 2,048 are exact, and their bits are the integer. So fp16 instructions, the
// only two-lane arithmetic at full rate, do integer work and take signs off for nothing. A lane
// owns 16 columns (8 where it writes s16) in words of four samples, halves 0, 2 and 1, 3 apart, and
// walks down: differences and smoothed sums across of the last two rows stay in registers.
#include <cuda_fp16.h>

#include "cuda/lane_rows.cuh"
#include "cuda/limits.hpp"
#include "cuda/row_words.cuh"
#include "ops/sobel/cuda.hpp"
#include "ops/sobel/lane_outputs.cuh"

namespace cuesta {
namespace {

using namespace sobel_cuda;

/// What is written.
enum class Result { magnitude_l1, magnitude_l2, gradients };

template <Result R>
constexpr int columns_of = R == Result::gradients ? 8 : 16;

__device__ __half2 halves(uint32_t bits) { return *reinterpret_cast<__half2*>(&bits); }
__device__ uint32_t bits_of(__half2 v) { return *reinterpret_cast<uint32_t*>(&v); }

/// What a lane keeps of the rows before: differences of the last, sums of the last two, smoothed
/// sums of the last two.
template <int Columns>
struct Kept {
  static constexpr int pairs = Columns / 2;
  __half2 difference[pairs], two[pairs], smooth[2][pairs];

  /// Takes row y; gives the gradients of row y − 1: pair 2i holds columns 4i and 4i + 2, pair
  /// 2i + 1 columns 4i + 1 and 4i + 3.
  template <int Parity, class Reload>
  __device__ void take(const uint32_t* w, __half2 (&gx)[pairs], __half2 (&gy)[pairs],
                       Reload&& reload) {
    constexpr int words = Columns / 4 + 2;
    uint32_t even[words], odd[words];
#pragma unroll
    for (int i = 0; i < words; ++i) {
      even[i] = w[i] & 0x00FF00FFu;
      odd[i] = __byte_perm(w[i], 0, 0x4341);
    }
    reload();
#pragma unroll
    for (int j = 0; j < pairs; ++j) {
      const int i = j / 2 + 1;
      const bool is_odd = j % 2;
      const __half2 left = halves(is_odd ? even[i] : __byte_perm(odd[i - 1], odd[i], 0x5432));
      const __half2 right = halves(is_odd ? __byte_perm(even[i], even[i + 1], 0x5432) : odd[i]);
      const __half2 here = halves(is_odd ? odd[i] : even[i]);
      const __half2 d = __hsub2(right, left);
      const __half2 s = __hfma2(here, __float2half2_rn(2.0f), __hadd2(left, right));
      const __half2 t = __hadd2(difference[j], d);
      gx[j] = __hadd2(two[j], t);
      gy[j] = __hsub2(s, smooth[Parity][j]);
      difference[j] = d, two[j] = t, smooth[Parity][j] = s;
    }
  }
};

/// floor(√(gx² + gy²)) of two columns as 16-bit integers, of all whose root is below 256; of larger
/// ones something from 255 on. Half a unit more under the root, which no floor shows, keeps roots
/// of squares away from where their error counts: 1/1024 at least of 2^-22.
__device__ uint32_t roots(__half2 gx, __half2 gy) {
  const float2 x = __half22float2(gx), y = __half22float2(gy);  // in units of 2^-24
  const auto root = [](float a, float b) {
    const float m = square_root(fmaf(a, a, fmaf(b, b, 0x1p-49f)));
    return __float_as_uint(fmaf(m, 0x1p24f, 8388607.5f));
  };
  return __byte_perm(root(x.x, y.x), root(x.y, y.y), 0x5410);
}

template <Result R, int Ahead, int Threads, int Warps, bool Aligned>
__global__ void __launch_bounds__(Threads, Warps * 32 / Threads)
    sobel_pairs(Request<uint8_t> q, int32_t rows) {
  constexpr int columns = columns_of<R>, own = columns / 4;
  using Rows = cuda::LaneRows<uint8_t, columns, 1, Aligned>;
  const Rows source(q.samples(), q.mode, q.outside, cuda::lane_number<Aligned>());
  const auto& lane = source.lane;
  const auto row_of = [](const AnyView& out, int32_t y) {
    return static_cast<char*>(out.data) + y * out.stride_bytes;
  };
  const bool zero_frame = q.mode == BorderMode::ignore;
  for (int64_t strip = blockIdx.y; strip * rows < q.src.height; strip += gridDim.y) {
    const int32_t y0 = int32_t(strip) * rows, end = min(y0 + rows, q.src.height);
    Kept<columns> kept = {};
    cuda::walk_down<Ahead, 1>(
        source, y0, end,
        [&](auto plain, auto parity, const uint32_t* words, int32_t y, auto&& reload) {
          constexpr bool is_plain = plain();
          __half2 gx[columns / 2], gy[columns / 2];
          kept.template take<parity()>(words, gx, gy, reload);
          if (y < y0 || y >= end) return;
          const bool zero_row = zero_frame && (y == 0 || y == q.src.height - 1);
          if constexpr (R != Result::gradients) {
            uint32_t bytes[own];
#pragma unroll
            for (int i = 0; i < own; ++i) {
              uint32_t m[2];
#pragma unroll
              for (int k = 0; k < 2; ++k) {
                const __half2 x = gx[2 * i + k], y = gy[2 * i + k];
                m[k] = __vminu2(R == Result::magnitude_l1 ? bits_of(__hadd2(__habs2(x), __habs2(y)))
                                                          : roots(x, y),
                                0x00FF00FFu);
              }
              bytes[i] = m[0] + m[1] * 256;
            }
            if (!is_plain && zero_frame) {
              if (lane.first) bytes[0] &= ~0xFFu;
              if (lane.last) bytes[own - 1] &= 0x00FFFFFFu;
              if (zero_row) bytes[0] = bytes[1] = bytes[2] = bytes[3] = 0;
            }
            cuda::store_lanes<Aligned, is_plain>(row_of(q.out.magnitude, y), lane.x0, bytes, lane);
          } else {
            const auto store = [&](const AnyView& out, const __half2(&g)[columns / 2]) {
              if (!out.data) return;
              uint32_t words[columns / 2];
#pragma unroll
              for (int i = 0; i < columns / 2; ++i) {
                // Plus 1,024 the bits are the sum; what the carry-free rest takes off again is
                // that.
                const uint32_t biased =
                    __byte_perm(bits_of(__hadd2(g[i / 2 * 2], __float2half2_rn(0x1p-14f))),
                                bits_of(__hadd2(g[i / 2 * 2 + 1], __float2half2_rn(0x1p-14f))),
                                i % 2 ? 0x7632 : 0x5410);
                words[i] = (biased + 0x7C007C00u) ^ 0x80008000u;
              }
              if (!is_plain && zero_frame) {
                if (lane.first) words[0] &= 0xFFFF0000u;
                if (lane.last) words[columns / 2 - 1] &= 0x0000FFFFu;
                if (zero_row) words[0] = words[1] = words[2] = words[3] = 0;
              }
              cuda::store_lanes<Aligned, is_plain>(row_of(out, y), 2 * int64_t(lane.x0), words,
                                                   lane);
            };
            store(q.out.gx, gx);
            store(q.out.gy, gy);
          }
        });
  }
}

// H200, 2026-11-22, 8192², times of a copy. l1: two rows under way and 20 warps a multiprocessor
// 1.33, four and 16 1.32. l2: 20 warps 1.49. s16: 24 warps 2.65, 16 2.66, 32 2.66.
constexpr int block_threads = 64, ahead = 2;
template <Result R>
constexpr int warps = R == Result::gradients ? 24 : 20;

/// Rows of a strip. (H200, 2026-11-22, 8192²: l1 4 rows 1.47, 8 1.33, 16 1.37, 32 1.44 times a
/// copy, l2 8 1.52, 12 1.49, 32 1.70; l1 at 1024², 4 rows 0.99, 8 1.34.)
template <Result R>
int32_t strip_rows(ConstAnyView picture, int32_t columns_a_block) {
  constexpr int32_t rows = R == Result::magnitude_l2 ? 12 : 8;
  const dim3 grid = cuda::tiles(picture, columns_a_block, rows);
  return int64_t(grid.x) * grid.y >= 8 * cuda::multiprocessors() ? rows : 4;
}

template <Result R>
void launch(const SobelArgs& args, Call& call) {
  constexpr int columns = columns_of<R>;
  const bool aligned = cuda::has_word_rows(args.src, 16) &&
                       cuda::has_word_rows(args.out.magnitude, 16) &&
                       cuda::has_word_rows(args.out.gx, 16) && cuda::has_word_rows(args.out.gy, 16);
  const int32_t rows = strip_rows<R>(args.src, block_threads * columns);
  const dim3 grid(cuda::lane_blocks(aligned, args.src.width, columns, block_threads),
                  std::min(cuda::blocks(args.src.height, rows), cuda::max_grid_y));
  cuda::launch("sobel",
               aligned ? sobel_pairs<R, ahead, block_threads, warps<R>, true>
                       : sobel_pairs<R, ahead, block_threads, warps<R>, false>,
               grid, dim3(block_threads), 0, cuda::stream_of(call), request_of<uint8_t>(args),
               rows);
}

}  // namespace

std::string_view sobel_cuda::pairs_supports(const SobelArgs& args, const Parameters&) {
  using enum PixelType;
  const SobelOutputs& out = args.out;
  if (args.src.type != u8) return "sources but u8";
  if (args.options.aperture != 3) return "apertures but 3";
  if (args.src.width < 20) return "pictures narrower than 20";
  if (out.direction) return "directions";
  if (out.magnitude ? out.gx || out.gy || out.magnitude.type != u8
                    : (out.gx && out.gx.type != s16) || (out.gy && out.gy.type != s16))
    return "outputs but a u8 magnitude alone or s16 gradients";
  return {};
}

void sobel_cuda::pairs(const SobelArgs& args, Call& call) {
  if (!args.out.magnitude) return launch<Result::gradients>(args, call);
  if (args.options.norm == Norm::l1) return launch<Result::magnitude_l1>(args, call);
  launch<Result::magnitude_l2>(args, call);
}

}  // namespace cuesta
