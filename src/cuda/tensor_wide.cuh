// Integer stencils of u8 pictures whose windows are up to 15 rows of 17 samples, with taps of a
// signed byte, on the int8 tensor cores. What becomes of the sums is a rule.
//
// A block makes 64 columns a warp and some rows, from a tile in shared memory (tensor_tile.cuh).
//
// A row of the product is a patch of 4 columns by 2 rows: all of it are the product's 8 columns, so
// that K is 16 rows of 20 samples, 320 for 225 taps; a patch of 4 x 4 would take 400 and its taps
// two and a half times the registers. Lane (g, t) = (lane / 4, lane % 4) brings row t of every four
// and the words of its own 8 columns, which are two patches; rows g and g + 8 of the product are
// the patch and the one two rows below, whose samples a lane reads again. A step is four rows of
// results, and four steps' words take turns in registers. A lane receives two neighbouring results
// of either patch and swaps two with its neighbour, so that it has four in a row.
//
// Exact: products of u8 and s8, summed in s32. Bound by the tensor cores: 20 products of 16 x 8 x
// 32 for 256 pixels.
#pragma once

#include "cuda/instructions.cuh"
#include "cuda/launch.cuh"
#include "cuda/tensor_stencil.cuh"

namespace cuesta::cuda::tensor {

/// A wide stencil's kernel: rows at multiples of 16 bytes, warps of a block.
template <bool Aligned_, int Warps_>
struct WideKind {
  static constexpr bool aligned = Aligned_;
  static constexpr int warps = Warps_, warp_columns = 64;
  using Tile = tensor::Tile<uint8_t, warp_columns * Warps_, WideBand::reach, 32, Warps_>;
};

/// A lane's taps, of each four rows. A product takes two words that stand side by side and begin at
/// an even register: words 0 .. 3, and 1 .. 4 once more.
struct WideTaps {
  static constexpr int groups = WideBand::rows / 4;
  uint32_t even[groups][4], odd[groups][4];

  /// `again`: another copy of the band, so that the compiler keeps both.
  __device__ void load(const uint32_t* band, const uint32_t* again) {
    const int g = int(threadIdx.x) % 32 / 4, t = int(threadIdx.x) % 4;
#pragma unroll
    for (int k = 0; k < groups; ++k) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        even[k][i] = band[wide_band_word(5 * k + i, g, t)];
        odd[k][i] = again[wide_band_word(5 * k + i + 1, g, t)];
      }
    }
  }
};

/// A lane's words of four rows and the four two below them, from 8 columns before its own on.
struct WideSamples {
  static constexpr int words = 6;
  uint32_t first[2], last[2];
  Quad middle[2];

  __device__ void set(const uint32_t (&w)[2][words]) {
#pragma unroll
    for (int below = 0; below < 2; ++below) {
      first[below] = w[below][0], last[below] = w[below][5];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        middle[i].word[below] = w[below][1 + 2 * i];
        middle[i].word[2 + below] = w[below][2 + 2 * i];
      }
    }
  }
  __device__ void start(int32_t (&left)[4], int32_t (&right)[4], const WideTaps& b,
                        int32_t from) const {
    multiply<uint8_t, int8_t>(left, middle[0].word, from, b.odd[0][0], b.odd[0][1]);
    multiply<uint8_t, int8_t>(right, middle[0].word, from, b.even[0][0], b.even[0][1]);
    rest(left, right, b, 0);
  }
  __device__ void add(int32_t (&left)[4], int32_t (&right)[4], const WideTaps& b, int k) const {
    multiply_add<uint8_t, int8_t>(left, middle[0].word, b.odd[k][0], b.odd[k][1]);
    multiply_add<uint8_t, int8_t>(right, middle[0].word, b.even[k][0], b.even[k][1]);
    rest(left, right, b, k);
  }

 private:
  __device__ void rest(int32_t (&left)[4], int32_t (&right)[4], const WideTaps& b, int k) const {
    multiply_add<uint8_t, int8_t>(left, middle[1].word, b.odd[k][2], b.odd[k][3]);
    multiply_add<uint8_t, int8_t>(right, middle[1].word, b.even[k][2], b.even[k][3]);
    multiply_add<uint8_t, int8_t>(left, first, b.even[k][0]);
    multiply_add<uint8_t, int8_t>(right, last, b.odd[k][3]);
  }
};

/// What a lane makes of a step: rows t / 2 and t / 2 + 2 of the four, columns 4 (t % 2) .. of its
/// 8. `left` and `right` are the patches' results as Rule::results() left them, two of each patch.
template <class Out>
struct WideResults {
  static constexpr int words = sizeof(Out);  // of four
  uint32_t word[2][words];

  /// All lanes of the warp call it. `from[below]`: two results of the left patch and two of the
  /// right one.
  __device__ void swap(const uint32_t (&from)[2][words]) {
    const bool odd = threadIdx.x & 1;
    if constexpr (words == 1) {
      const uint32_t lefts = __byte_perm(from[0][0], from[1][0], 0x5410);
      const uint32_t rights = __byte_perm(from[0][0], from[1][0], 0x7632);
      const uint32_t own = odd ? rights : lefts;
      const uint32_t other = __shfl_xor_sync(0xFFFFFFFF, odd ? lefts : rights, 1);
      word[0][0] = __byte_perm(own, other, odd ? 0x1054 : 0x5410);
      word[1][0] = __byte_perm(own, other, odd ? 0x3276 : 0x7632);
    } else {
      constexpr int half = words / 2;
#pragma unroll
      for (int below = 0; below < 2; ++below) {
#pragma unroll
        for (int i = 0; i < half; ++i) {
          const uint32_t left = from[below][i], right = from[below][half + i];
          const uint32_t other = __shfl_xor_sync(0xFFFFFFFF, odd ? left : right, 1);
          word[below][i] = odd ? other : left;
          word[below][half + i] = odd ? right : other;
        }
      }
    }
  }
  /// Four in a row, to an address that is a multiple of their size.
  __device__ void store(int below, Out* to) const {
    if constexpr (words == 1)
      *reinterpret_cast<uint32_t*>(to) = word[below][0];
    else if constexpr (words == 2)
      *reinterpret_cast<uint2*>(to) = make_uint2(word[below][0], word[below][1]);
    else
      *reinterpret_cast<uint4*>(to) =
          make_uint4(word[below][0], word[below][1], word[below][2], word[below][3]);
  }
  /// The first `count` of them, one by one.
  __device__ void store(int below, Out* to, int count) const {
    constexpr int in_word = 4 / sizeof(Out);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const uint32_t v = word[below][i / in_word] >> i % in_word * 8 * int(sizeof(Out)) % 32;
      if (i >= count) continue;
      if constexpr (sizeof(Out) == 4)
        reinterpret_cast<uint32_t*>(to)[i] = v;
      else
        to[i] = Out(v);
    }
  }
};

/// A lane that marches down four rows a step.
template <class K, class Rule>
struct WideLane {
  using Out = typename Rule::Out;
  static constexpr int pitch = K::Tile::pitch, groups = WideBand::rows / 4;
  static constexpr int words = WideSamples::words;
  const StencilRequest<uint8_t, Out>& q;
  const typename K::Tile& in;
  const Rule& rule;
  const WideTaps& taps;
  const uint8_t* from;  // the lane's words of `row` of the tile
  int row;
  int32_t here;  // rows of the block
  // Columns from the lane's results to the picture's end; of its first result in the block.
  int32_t room = 0, y = 0;
  Out* to = nullptr;

  /// The words of the next rows.
  __device__ void take(WideSamples& s) {
    uint32_t w[2][words];
#pragma unroll
    for (int below = 0; below < 2; ++below) {
      const uint8_t* at = from + 2 * below * pitch;
      if constexpr (K::aligned) {  // columns begin 16 bytes into a row
        // Word by word: where pairs are loaded, they are moved to where a product wants them.
#pragma unroll
        for (int i = 0; i < words; ++i)
          w[below][i] = reinterpret_cast<const volatile uint32_t*>(at + 8)[i];
      } else {
        const uint32_t shift = in.shift[row + 2 * below], odd = shift & 3;
        const auto* aligned = reinterpret_cast<const uint32_t*>(at + (shift - odd));
        uint32_t low = aligned[0];
#pragma unroll
        for (int i = 0; i < words; ++i) {
          const uint32_t high = aligned[i + 1];
          w[below][i] = __funnelshift_r(low, high, 8 * odd);
          low = high;
        }
      }
    }
    s.set(w);
    from += 4 * pitch, row += 4;
  }
  __device__ Out* two_below(Out* at) const {
    return reinterpret_cast<Out*>(reinterpret_cast<uint8_t*>(at) + 2 * q.dst.stride_bytes);
  }
  /// Writes the results of four rows, s[turn] the oldest, to the picture.
  __device__ __forceinline__ void make(const WideSamples (&s)[groups], int turn) {
    int32_t left_sums[4], right_sums[4];
    s[turn].start(left_sums, right_sums, taps, rule.start());
#pragma unroll
    for (int k = 1; k < groups; ++k) s[(turn + k) % groups].add(left_sums, right_sums, taps, k);
    uint32_t made[2][WideResults<Out>::words];
#pragma unroll
    for (int below = 0; below < 2; ++below)
      rule.results(left_sums[2 * below], left_sums[2 * below + 1], right_sums[2 * below],
                   right_sums[2 * below + 1], made[below]);
    WideResults<Out> out;
    out.swap(made);
#pragma unroll
    for (int below = 0; below < 2; ++below) {
      if (y + 2 * below >= here) continue;
      Out* at = below ? two_below(to) : to;
      if (K::aligned && room >= 4)
        out.store(below, at);
      else
        out.store(below, at, room);
    }
    y += 4, to = two_below(two_below(to));
  }
};

/// As stencil() of tensor_stencil.cuh, whose rules it takes. `anchor_y`: rows of the window above
/// the result's.
template <class K, int Blocks, class Rule>
__global__ void __launch_bounds__(32 * K::warps, Blocks)
    wide_stencil(const __grid_constant__ StencilRequest<uint8_t, typename Rule::Out> q, int rows,
                 int anchor_y, const __grid_constant__ WideBand band,
                 const __grid_constant__ Rule rule) {
  constexpr int pitch = K::Tile::pitch, groups = WideBand::rows / 4;
  CUESTA_DYNAMIC_SHARED(__align__(128) uint8_t, tile);
  __shared__ typename K::Tile in;
  constexpr int count = WideBand::down * WideBand::across, threads = 32 * K::warps;
  __shared__ uint32_t taps_there[2][count];
  const int32_t left = int32_t(blockIdx.x) * K::warp_columns * K::warps;
  const uint32_t y0 = block_row() * uint32_t(rows);
  if (y0 >= uint32_t(q.src.height)) return;
  const auto top = int32_t(y0), here = min(rows, q.src.height - top);
  const uint32_t* from_band = opaque(band.words);
  in.init();
  in.template fetch<K::aligned>(q, tile, left, top - anchor_y, (here + 3) / 4 * 4 + 14);
  for (int i = int(threadIdx.x); i < count; i += threads)
    taps_there[0][i] = taps_there[1][i] = from_band[i];
  __syncthreads();
  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32, g = lane / 4, t = lane % 4;
  WideTaps taps;
  taps.load(taps_there[0], taps_there[1]);
  in.wait(0);

  const int32_t warp_left = left + K::warp_columns * warp;
  if (warp_left >= q.src.width) return;
  const uint8_t* from = tile + t * pitch + K::warp_columns * warp + 8 * g;
  WideLane<K, Rule> own{q, in, rule, taps, from, t, here};
  WideSamples s[groups];  // take turns, so that nothing moves
#pragma unroll
  for (int i = 0; i + 1 < groups; ++i) own.take(s[i]);
  const int32_t x = warp_left + 8 * g + 4 * (t % 2);
  own.room = q.src.width - x, own.y = t / 2, own.to = q.dst.row(top + own.y) + x;
  while (true) {
#pragma unroll
    for (int turn = 0; turn < groups; ++turn) {
      own.take(s[(turn + groups - 1) % groups]);
      own.make(s, turn);
      if (own.y - t / 2 >= here) return;
    }
  }
}

/// What `rule` makes of the sums of a window that a WideBand holds, as run() of tensor_stencil.cuh.
/// Blocks of four warps: of two they take 1.1 of their time (H200, 2026-11-22).
template <class Rule, class Tap>
void run_wide(std::string_view operation, const StencilRequest<uint8_t, typename Rule::Out>& q,
              const Window<Tap>& window, const Rule& rule, Call& call) {
  using Out = typename Rule::Out;
  const auto band = wide_band_of(window.width, window.height, window.anchor_x, window.tap);
  // H200, 2026-11-22, as rows_of_block(): 4 to 24 rows tried at 1024 x 1024, 16 to 64 at 8192 x
  // 8192.
  const int64_t pixels = int64_t(q.dst.width) * q.dst.height;
  const int rows = pixels < 3 << 19 ? 8 : pixels < 1 << 23 ? 16 : pixels < 1 << 25 ? 32 : 48;
  const auto with = [&](auto aligned) {
    using K = WideKind<aligned(), 4>;
    const dim3 grid =
        grid_of(blocks(q.src.width, K::warp_columns * K::warps), blocks(q.src.height, rows));
    launch(operation, wide_stencil<K, 4, Rule>, grid, dim3(32 * K::warps),
           size_t(rows + WideBand::rows - 2) * K::Tile::pitch, stream_of(call), q, rows,
           window.anchor_y, band, rule);
  };
  if (has_word_rows(q.src, 16) && has_word_rows(q.dst, 4 * int(sizeof(Out))))
    with(std::true_type());
  else
    with(std::false_type());
  clear_frame(operation, q, window, call);
}

}  // namespace cuesta::cuda::tensor
