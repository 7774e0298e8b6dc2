// Strategy `pairs`: u8 with aperture 3, two samples an instruction, from tiles in shared memory
// (cuda/tensor_tile.cuh), which bring what is outside the picture.
//
// A byte in the low half of a 16-bit lane is, read as fp16, the subnormal byte · 2^-24; sums of
// such that stay within 2,048 are exact, and their bits are the integer. So fp16 instructions, the
// only two-lane arithmetic at full rate, do integer work and take signs off for nothing. A lane
// owns 16 columns (8 where it writes s16) in words of four samples, halves 0, 2 and 1, 3 apart, and
// marches down: differences and smoothed sums across of the last two rows stay in registers.
#include <cuda_fp16.h>

#include "cuda/any_alignment.cuh"
#include "cuda/instructions.cuh"
#include "cuda/row_words.cuh"
#include "cuda/tensor_stencil.cuh"
#include "cuda/tile_rows.hpp"
#include "ops/sobel/cuda.hpp"
#include "ops/sobel/lane_outputs.cuh"

namespace cuesta {
namespace {

using namespace sobel_cuda;

/// What is written.
enum class Result { magnitude_l1, magnitude_l2, octants, gradients };

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
    const float m = cuda::approximate_root(fmaf(a, a, fmaf(b, b, 0x1p-49f)));
    return __float_as_uint(fmaf(m, 0x1p24f, 8388607.5f));
  };
  return __byte_perm(root(x.x, y.x), root(x.y, y.y), 0x5410);
}

/// gradient::octant() of two columns as 16-bit integers. As halves the gradients are exact, and hi
/// + lo − 181/128 hi − 5/2^15 hi, which canny's half_lane.cuh explains, has the sign of lo −
/// tan 22.5° hi; what is too small for a half keeps its sign.
__device__ uint32_t octants(__half2 gx, __half2 gy) {
  const __half2 up = __float2half2_rn(4096.0f);  // from 2^-24 to 2^-12: no half is subnormal
  const __half2 x = __habs2(__hmul2(gx, up)), y = __habs2(__hmul2(gy, up));
  const __half2 larger = __hmax2(x, y);
  const uint32_t straight =
      bits_of(__hfma2(larger, __float2half2_rn(-5.0f / 32768),
                      __hfma2(larger, __float2half2_rn(-181.0f / 128), __hadd2(x, y))));
  const uint32_t horizontal = bits_of(__hsub2(y, x)), falls = bits_of(gx) ^ bits_of(gy);
  // Codes 0 and 2, or 1 and 3.
  const uint32_t upper = (straight & ~horizontal) | (~straight & falls);
  return (~straight >> 15 & 0x00010001u) | (upper >> 14 & 0x00020002u);
}

/// A lane's columns of a row of the tile and a word more on either side.
template <int Columns, bool Aligned>
__device__ __forceinline__ void load_row(const uint8_t* own, uint32_t shift,
                                         uint32_t (&to)[Columns / 4 + 2]) {
  constexpr int words = Columns / 4;
  if constexpr (Aligned) {
    const auto* at = reinterpret_cast<const uint32_t*>(own + 16);
    to[0] = at[-1], to[words + 1] = at[words];
    if constexpr (words == 4) {
      const uint4 v = *reinterpret_cast<const uint4*>(at);
      to[1] = v.x, to[2] = v.y, to[3] = v.z, to[4] = v.w;
    } else {
      const uint2 v = *reinterpret_cast<const uint2*>(at);
      to[1] = v.x, to[2] = v.y;
    }
  } else {
    const uint32_t odd = shift & 3;
    const auto* at = reinterpret_cast<const uint32_t*>(own + (shift - odd));
    uint32_t low = at[0];
#pragma unroll
    for (int i = 0; i < words + 2; ++i) {
      const uint32_t high = at[i + 1];
      to[i] = __funnelshift_r(low, high, 8 * odd);
      low = high;
    }
  }
}

template <int Columns, int Warps>
using RowTile = cuda::tensor::Tile<uint8_t, 32 * Columns * Warps, 4, 16, Warps>;

/// The pictures and border, by value.
struct Pictures : cuda::tensor::StencilRequest<uint8_t, uint8_t> {
  AnyView gx, gy;
};

/// A lane that marches down its columns.
template <Result R, bool Aligned, class Tile>
struct PairsLane {
  static constexpr int columns = columns_of<R>, own = columns / 4;
  using Row = __half2[columns / 2];
  const Pictures& q;
  const Tile& in;
  int32_t x0, room, top;
  bool whole, leads, ends;  // all columns are in the picture; its first and last lane of a run
  const uint8_t* from;      // the lane's columns of `row` of the tile
  int row;
  int32_t y;  // of the result that the next row completes
  // Apart, as the compiler would keep all that stands beside an array in memory until late.
  uint32_t (&words)[own + 2];
  Kept<columns>& kept;

  __device__ void load() {
    load_row<columns, Aligned>(from, Aligned ? 0 : in.shift[row] & 15, words);  // 15: past the last
    from += Tile::pitch, ++row;
  }
  /// The lane's results to the picture.
  template <class Words>
  __device__ void store(void* to, const Words& out) const {
    constexpr int count = sizeof out / 4, size = count / own;  // words, and bytes of a sample
    if (Aligned && whole) {
      *reinterpret_cast<uint4*>(to) = make_uint4(out[0], out[1], out[2], out[3]);
      return;
    }
    if constexpr (!Aligned) cuda::store_run<count>(to, out, leads, ends, whole);
    if (whole) return;
#pragma unroll
    for (int i = 0; i < columns; ++i) {
      const uint32_t v = out[i * size / 4] >> i * size % 4 * 8;
      if (i >= room) break;
      if constexpr (size == 1)
        static_cast<uint8_t*>(to)[i] = uint8_t(v);
      else
        static_cast<uint16_t*>(to)[i] = uint16_t(v);
    }
  }
  /// Of two columns, as 16-bit integers: saturated magnitudes, or octants.
  static __device__ __forceinline__ uint32_t bytes_of(__half2 gx, __half2 gy) {
    if constexpr (R == Result::octants) return octants(gx, gy);
    return __vminu2(
        R == Result::magnitude_l1 ? bits_of(__hadd2(__habs2(gx), __habs2(gy))) : roots(gx, gy),
        0x00FF00FFu);
  }
  /// Bytes of row y.
  __device__ __forceinline__ void store_bytes(const Row& gx, const Row& gy) const {
    uint32_t bytes[own];
#pragma unroll
    for (int i = 0; i < own; ++i) {
      uint32_t m[2];
#pragma unroll
      for (int k = 0; k < 2; ++k) m[k] = bytes_of(gx[2 * i + k], gy[2 * i + k]);
      bytes[i] = m[0] + m[1] * 256;
    }
    if (y >= top) store(q.dst.row(y) + x0, bytes);
  }
  /// One gradient of row y as 16-bit integers, where it is wanted.
  __device__ void store_gradient(const AnyView& out, const Row& g) const {
    if (!out.data) return;
    uint32_t halves[columns / 2];
#pragma unroll
    for (int i = 0; i < columns / 2; ++i) {
      // Plus 1,024 the bits are the sum; what the carry-free rest takes off again is that.
      const uint32_t biased = __byte_perm(
          bits_of(__hadd2(g[i / 2 * 2], __float2half2_rn(0x1p-14f))),
          bits_of(__hadd2(g[i / 2 * 2 + 1], __float2half2_rn(0x1p-14f))), i % 2 ? 0x7632 : 0x5410);
      halves[i] = (biased + 0x7C007C00u) ^ 0x80008000u;
    }
    if (y >= top)
      store(static_cast<char*>(out.data) + y * out.stride_bytes + 2 * int64_t(x0), halves);
  }
  /// The row that was loaded completes row y; the next one is loaded meanwhile.
  template <int Parity>
  __device__ void step() {
    Row gx, gy;
    kept.template take<Parity>(words, gx, gy, [&] { load(); });
    if constexpr (R != Result::gradients) {
      store_bytes(gx, gy);
    } else {
      store_gradient(q.gx, gx);
      store_gradient(q.gy, gy);
    }
    ++y;
  }
};

template <Result R, bool Aligned, int Warps, int Blocks>
__global__ void __launch_bounds__(32 * Warps, Blocks)
    sobel_pairs(const __grid_constant__ Pictures q, int rows) {
  constexpr int columns = columns_of<R>;
  using Tile = RowTile<columns, Warps>;
  CUESTA_DYNAMIC_SHARED(__align__(128) uint8_t, tile);
  __shared__ Tile in;
  const int32_t left = int32_t(blockIdx.x) * (32 * columns * Warps);
  const int64_t y0 = int64_t(cuda::block_row()) * rows;
  if (y0 >= q.src.height) return;
  const auto top = int32_t(y0), here = min(rows, q.src.height - top);
  in.init();
  in.template fetch<Aligned>(q, tile, left, top - 1, here + 2);
  __syncthreads();
  in.wait(0);
  const int lane = int(threadIdx.x) % 32;
  const int32_t x0 = left + int32_t(threadIdx.x) * columns, room = q.src.width - x0;
  if (room + lane * columns <= 0) return;
  const bool whole = room >= columns, leads = lane == 0, ends = lane == 31 || room < 2 * columns;
  const uint8_t* from = tile + int(threadIdx.x) * columns;
  uint32_t words[columns / 4 + 2];
  Kept<columns> kept = {};
  PairsLane<R, Aligned, Tile> own{q,    in,   x0, room,    top,   whole, leads,
                                  ends, from, 0,  top - 2, words, kept};
  own.load();
#pragma unroll 1
  for (int n = 0; n < here + 2; n += 2) {
    own.template step<0>();
    if (n + 1 < here + 2) own.template step<1>();
  }
}

/// Rows that a block of four warps makes. (H200, 2026-11-22, times of a copy: 8192² l1 8 and 12
/// rows 1.25, 16 1.32, l2 8 1.64, 12 1.58, 16 1.60, s16 6 2.54, 12 2.65; 2048² l1 4 rows 1.23,
/// 6 1.21, 8 1.25; 1024² fewest best.)
/// Octants take instructions, not memory, and rows above and below twice as many.
template <Result R>
int rows_of_block(int64_t pixels) {
  if (pixels < 3 << 19) return 2;  // 1024 x 1024 and less
  const int64_t few = R == Result::octants ? 1 << 23 : 1 << 25;
  return pixels < few || R == Result::gradients ? 6 : 12;
}

template <Result R, bool Aligned, int Warps, int Blocks>
void launch(const Pictures& q, int rows, cudaStream_t stream) {
  constexpr int columns = columns_of<R>;
  const dim3 grid = cuda::grid_of(cuda::blocks(q.src.width, 32 * columns * Warps),
                                  cuda::blocks(q.src.height, rows));
  const size_t shared = size_t(rows + 3) * RowTile<columns, Warps>::pitch;
  cuda::launch("sobel", sobel_pairs<R, Aligned, Warps, Blocks>, grid, dim3(32 * Warps), shared,
               stream, q, rows);
}

/// `ignore` leaves what a gradient of 0 has where the window leaves the picture.
struct ClearFrame {
  AnyView bytes, gx, gy;
  uint8_t byte;
  __device__ void operator()(int32_t x, int32_t y) const {
    if (bytes.data) bytes.as<uint8_t, Space::device>().at(x, y) = byte;
    if (gx.data) gx.as<int16_t, Space::device>().at(x, y) = 0;
    if (gy.data) gy.as<int16_t, Space::device>().at(x, y) = 0;
  }
};

constexpr uint8_t no_octant = gradient::octant<int32_t>(0, 0);

template <Result R>
void run(const SobelArgs& args, Call& call) {
  const SobelOutputs& out = args.out;
  const Border& border = args.options.border;
  const auto src = args.src.as<uint8_t, Space::device>();
  const AnyView& bytes = R == Result::octants ? out.direction : out.magnitude;
  const Pictures q{{src,
                    bytes ? bytes.as<uint8_t, Space::device>()
                          : ImageView<uint8_t, Space::device>(nullptr, src.width, src.height, 1, 0),
                    border.mode, border_sample<uint8_t>(border)},
                   out.gx,
                   out.gy};
  const bool aligned = cuda::has_word_rows(args.src, 16) && cuda::has_word_rows(bytes, 16) &&
                       cuda::has_word_rows(out.gx, 16) && cuda::has_word_rows(out.gy, 16);
  const int rows = rows_of_block<R>(int64_t(src.width) * src.height);
  aligned ? launch<R, true, 4, 5>(q, rows, cuda::stream_of(call))
          : launch<R, false, 4, 5>(q, rows, cuda::stream_of(call));
  if (border.mode != BorderMode::ignore) return;
  cuda::for_each_frame_pixel(
      "sobel", cuda::frame_of(src.width, src.height, 3, 3, 1, 1),
      ClearFrame{bytes, out.gx, out.gy, R == Result::octants ? no_octant : uint8_t{0}}, call);
}

}  // namespace

std::string_view sobel_cuda::pairs_supports(const SobelArgs& args, const Parameters&) {
  using enum PixelType;
  const SobelOutputs& out = args.out;
  if (args.src.type != u8) return "sources but u8";
  if (args.options.aperture != 3) return "apertures but 3";
  const bool beside = out.magnitude || out.gx || out.gy;
  if (out.direction && (beside || out.direction.type != u8)) return "f32 directions, or not alone";
  if (out.magnitude ? out.gx || out.gy || out.magnitude.type != u8
                    : (out.gx && out.gx.type != s16) || (out.gy && out.gy.type != s16))
    return "outputs but a u8 magnitude alone or s16 gradients";
  return cuda::tiles_take(args.src);
}

void sobel_cuda::pairs(const SobelArgs& args, Call& call) {
  if (args.out.direction) return run<Result::octants>(args, call);
  if (!args.out.magnitude) return run<Result::gradients>(args, call);
  if (args.options.norm == Norm::l1) return run<Result::magnitude_l1>(args, call);
  run<Result::magnitude_l2>(args, call);
}

}  // namespace cuesta
