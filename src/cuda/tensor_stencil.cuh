// Integer stencils of u8 and u16 pictures, up to four samples to every side, on the int8 tensor
// cores. What becomes of the sums is a rule.
//
// A block makes 128 columns a warp and some rows, from a tile in shared memory (tensor_tile.cuh).
//
// A row of the product is a patch of 4 x 4 outputs, K runs over the patch's 8 x 8 or 12 x 12
// samples (reach 2 or 4), N over 8 of its outputs, so two products make 16. The taps stay in
// registers. K is dealt so that lane (g, t) = (lane / 4, lane % 4) brings row t of every four and
// words of its own 8 columns of either half of the warp's 128; rows g and g + 8 of the product are
// the same patch of the two halves. Samples are multiplied as they are in memory, and a lane
// receives 8 neighbouring sums of row t.
//
// Taps past a signed byte are two planes of them, tap = low + 256 high, and so are samples of u16;
// sums of the higher planes come first and are the start, times 256, of the lower ones.
//
// Exact: products of u8 and s8, summed in s32.
#pragma once

#include "cuda/instructions.cuh"
#include "cuda/launch.cuh"
#include "cuda/row_words.cuh"
#include "cuda/shifted_words.cuh"
#include "cuda/tensor_band.hpp"
#include "cuda/tensor_products.cuh"
#include "cuda/tensor_tile.cuh"
#include "cuesta/border.hpp"
#include "cuesta/image.hpp"

namespace cuesta::cuda::tensor {

// -- Products -------------------------------------------------------------------------------------

/// A lane's taps of one plane.
template <int Reach>
struct Taps {
  uint32_t word[2][Shape<Reach>::registers];  // of each half of a patch's outputs

  __device__ void load(const uint32_t* band) {
    const int lane = int(threadIdx.x) % 32;
#pragma unroll
    for (int n = 0; n < 2; ++n)
#pragma unroll
      for (int r = 0; r < Shape<Reach>::registers; ++r)
        word[n][r] = band[band_word<Reach>(n, r, lane / 4, lane % 4)];
  }
};

/// A lane's samples of a row, of its 8 columns in each half and those around them; add() multiplies
/// them by the taps of a row of samples, for its left and right patch.
template <int Reach>
struct Samples;

template <>
struct Samples<4> {
  static constexpr int words = 4;  // columns x0 − 4 .. x0 + 11
  uint32_t first[2], last[2];
  Quad middle;

  __device__ void set(const uint32_t (&w)[2][words]) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      first[half] = w[half][0], middle.word[half] = w[half][1];
      middle.word[2 + half] = w[half][2], last[half] = w[half][3];
    }
  }
  __device__ void start(int32_t (&left)[4], int32_t (&right)[4], const uint32_t* b,
                        int32_t from) const {
    multiply<uint8_t, int8_t>(left, middle.word, from, b[1], b[2]);
    multiply<uint8_t, int8_t>(right, middle.word, from, b[0], b[1]);
    multiply_add<uint8_t, int8_t>(left, first, b[0]);
    multiply_add<uint8_t, int8_t>(right, last, b[2]);
  }
  __device__ void add(int32_t (&left)[4], int32_t (&right)[4], const uint32_t* b) const {
    multiply_add<uint8_t, int8_t>(left, middle.word, b[1], b[2]);
    multiply_add<uint8_t, int8_t>(right, middle.word, b[0], b[1]);
    multiply_add<uint8_t, int8_t>(left, first, b[0]);
    multiply_add<uint8_t, int8_t>(right, last, b[2]);
  }
};

template <>
struct Samples<2> {
  static constexpr int words = 3;  // columns x0 − 2 .. x0 + 9
  Quad left_patch, right_patch;

  __device__ void set(const uint32_t (&w)[2][words]) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      left_patch.word[half] = w[half][0], left_patch.word[2 + half] = w[half][1];
      right_patch.word[half] = w[half][1], right_patch.word[2 + half] = w[half][2];
    }
  }
  __device__ void start(int32_t (&left)[4], int32_t (&right)[4], const uint32_t* b,
                        int32_t from) const {
    multiply<uint8_t, int8_t>(left, left_patch.word, from, b[0], b[1]);
    multiply<uint8_t, int8_t>(right, right_patch.word, from, b[0], b[1]);
  }
  __device__ void add(int32_t (&left)[4], int32_t (&right)[4], const uint32_t* b) const {
    multiply_add<uint8_t, int8_t>(left, left_patch.word, b[0], b[1]);
    multiply_add<uint8_t, int8_t>(right, right_patch.word, b[0], b[1]);
  }
};

// -- Results out ----------------------------------------------------------------------------------

/// 8 neighbouring results as they are in memory.
template <class Out>
struct Results {
  static constexpr int words = 2 * sizeof(Out), bytes = 4 * words;
  uint32_t word[words];

  /// All 8, to an address that is a multiple of 8 and, where they are more bytes, of 16.
  __device__ void store(Out* to) const {
    if constexpr (words == 2) {
      *reinterpret_cast<uint2*>(to) = make_uint2(word[0], word[1]);
    } else {
#pragma unroll
      for (int i = 0; i < words; i += 4)
        reinterpret_cast<uint4*>(to)[i / 4] =
            make_uint4(word[i], word[i + 1], word[i + 2], word[i + 3]);
    }
  }
  /// Those of 8 that are before column `room`, where the first is `column`; one by one: few lanes
  /// do, so the code is short, not fast.
  __device__ void store(Out* to, int column, int32_t room) const {
    constexpr int in_word = 4 / sizeof(Out);
#pragma unroll
    for (int w = 0; w < words; ++w) {
      uint32_t v = word[w];
#pragma unroll 1
      for (int i = w * in_word; i < (w + 1) * in_word && column + i < room; ++i) {
        if constexpr (sizeof(Out) == 4) {
          reinterpret_cast<uint32_t*>(to)[i] = v;
        } else {
          to[i] = Out(v);
          v >>= 8 * sizeof(Out);
        }
      }
    }
  }
};

/// Both halves of a row of a warp whose 128 columns are inside the picture, at any address. All
/// lanes call it; `wanted` is a row's.
template <class Out>
__device__ void store_shifted(const Results<Out> (&r)[2], Out* to, bool wanted) {
  constexpr int words = Results<Out>::words;
  const int lane = int(threadIdx.x) % 32, g = lane / 4;
  const uint32_t before = __shfl_up_sync(0xFFFFFFFF, r[0].word[words - 1], 4);
  const uint32_t last = g == 7 ? r[0].word[words - 1] : r[1].word[words - 1];
  const uint32_t before_second = __shfl_sync(0xFFFFFFFF, last, (lane + 28) % 32);
  if (!wanted) return;
  uint32_t own[2][words];
#pragma unroll
  for (int half = 0; half < 2; ++half)
#pragma unroll
    for (int i = 0; i < words; ++i) own[half][i] = r[half].word[i];
  const uint32_t both[2] = {before, before_second};
  cuda::store_shifted(to, own, both, 8 * words, g == 0, g == 7);
}

// -- The kernel -----------------------------------------------------------------------------------

/// What a kernel is for: reach, planes of taps, samples, rows at multiples of 16 bytes, warps.
template <int Reach_, int TapPlanes, class T, bool Aligned_, int Warps_>
struct Kind {
  using Sample = T;
  static constexpr int reach = Reach_, warps = Warps_;
  static constexpr bool aligned = Aligned_;
  static constexpr int groups = Shape<Reach_>::groups;
  static constexpr int sample_planes = sizeof(T), tap_planes = TapPlanes;
  // Of a tile a row begins four bytes before the first sample, or where the window does.
  static constexpr int margin = Reach_ * int(sizeof(T)) < 4 ? 4 : Reach_;
  using Tile = tensor::Tile<T, 128 * Warps_, margin, 32, Warps_>;
};

/// A lane's words of a row, from x0 − reach on in either half of the warp's columns, as planes of
/// bytes. `from` is the lane's place in the row, `shift` what Tile::shift says.
template <class K>
__device__ __forceinline__ void load_samples(const uint8_t* from, uint32_t shift,
                                             Samples<K::reach> (&to)[K::sample_planes]) {
  constexpr int words = Samples<K::reach>::words, planes = K::sample_planes;
  constexpr int before = K::reach * planes;               // bytes of the window before the sample
  constexpr bool halves = K::aligned && before % 4 != 0;  // of words: shifted by two bytes
  uint32_t w[planes][2][words];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    uint32_t v[planes * words + 1];
    if constexpr (K::aligned) {
      const uint8_t* at = from + 16 + 64 * planes * half - (before + 3) / 4 * 4;
#pragma unroll
      for (int i = 0; i < planes * words + halves; ++i)
        v[i] = reinterpret_cast<const uint32_t*>(at)[i];
#pragma unroll
      for (int i = 0; i < planes * words && halves; ++i) v[i] = __byte_perm(v[i], v[i + 1], 0x5432);
    } else {
      const uint32_t offset = shift + (K::Tile::margin - before), odd = offset & 3;
      const auto* at =
          reinterpret_cast<const uint32_t*>(from + (offset - odd) + 64 * planes * half);
#pragma unroll
      for (int i = 0; i <= planes * words; ++i) v[i] = at[i];
#pragma unroll
      for (int i = 0; i < planes * words; ++i) v[i] = __funnelshift_r(v[i], v[i + 1], 8 * odd);
    }
#pragma unroll
    for (int i = 0; i < words; ++i) {
      if constexpr (planes == 2) {
        w[0][half][i] = __byte_perm(v[2 * i], v[2 * i + 1], 0x6420);
        w[1][half][i] = __byte_perm(v[2 * i], v[2 * i + 1], 0x7531);
      } else {
        w[0][half][i] = v[i];
      }
    }
  }
#pragma unroll
  for (int p = 0; p < planes; ++p) to[p].set(w[p]);
}

/// Sums of a warp's 128 columns of `rows` rows of a tile, four rows a step: emit(left, right) gets
/// those of row t, patches left and right of both halves of the columns, [half of a patch's
/// outputs][two of the first half of the columns, two of the second].
template <class K, class Emit>
__device__ __forceinline__ void make_sums(const uint8_t* tile, const uint8_t* shift,
                                          const Taps<K::reach> (&taps)[K::tap_planes],
                                          int32_t start_at, int rows, Emit&& emit) {
  constexpr int groups = K::groups, pitch = K::Tile::pitch;
  constexpr int highest = K::sample_planes + K::tap_planes - 2;
  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32, g = lane / 4, t = lane % 4;

  const uint8_t* from = tile + t * pitch + (128 * warp + 8 * g) * K::sample_planes;
  int row = t, next_shift = K::aligned ? 0 : shift[row];
  const auto take = [&](Samples<K::reach>(&s)[K::sample_planes]) {
    load_samples<K>(from, uint32_t(next_shift), s);
    // A step ahead; after the last row whatever is there.
    if constexpr (!K::aligned) row += 4, next_shift = shift[row];
    from += 4 * pitch;
  };

  Samples<K::reach> s[groups][K::sample_planes];  // take turns, so that nothing moves
#pragma unroll
  for (int i = 0; i + 1 < groups; ++i) take(s[i]);
  // Rows from the lane's own on: one register less than a count and t.
  int own = rows - t;
  while (__any_sync(0xFFFFFFFF, own > 0)) {
#pragma unroll
    for (int turn = 0; turn < groups; ++turn) {
      if (turn && !__any_sync(0xFFFFFFFF, own > 0)) break;
      take(s[(turn + groups - 1) % groups]);
      int32_t left_sums[2][4], right_sums[2][4];
#pragma unroll
      for (int n = 0; n < 2; ++n) {
#pragma unroll
        for (int high = highest; high >= 0; --high) {
          const int32_t start = high == 0 ? start_at : 0;
          bool first = high == highest;
#pragma unroll
          for (int i = 0; i < 4 && !first; ++i) {
            left_sums[n][i] = left_sums[n][i] * 256 + start;
            right_sums[n][i] = right_sums[n][i] * 256 + start;
          }
#pragma unroll
          for (int p = 0; p < K::sample_planes; ++p) {
            if (high < p || high - p >= K::tap_planes) continue;
            const uint32_t* words = taps[high - p].word[n];
#pragma unroll
            for (int k = 0; k < groups; ++k) {
              const auto& samples = s[(turn + k) % groups][p];
              if (first)
                samples.start(left_sums[n], right_sums[n], words, start);
              else
                samples.add(left_sums[n], right_sums[n], words + groups * k);
              first = false;
            }
          }
        }
      }
      emit(left_sums, right_sums, own > 0);
      own -= 4;
    }
  }
}

/// One warp's part of a tile: 128 columns of `rows` rows from `top` on.
template <class K, class Rule>
__device__ void make_rows(const StencilRequest<typename K::Sample, typename Rule::Out>& q,
                          const uint8_t* tile, const uint8_t* shift,
                          const Taps<K::reach> (&taps)[K::tap_planes], const Rule& rule,
                          int32_t left, int32_t top, int rows) {
  using Out = typename Rule::Out;
  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32, g = lane / 4, t = lane % 4;
  const int32_t room = q.src.width - left - 128 * warp - 8 * g;  // columns from the lane's first on
  if (room + 8 * g <= 0) return;
  Out* to = q.dst.row(top + min(t, rows - 1)) + left + 128 * warp + 8 * g;
  const auto write = [&](const int32_t(&left_sums)[2][4], const int32_t(&right_sums)[2][4],
                         bool wanted) {
    Results<Out> out[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      constexpr int patch = Results<Out>::words / 2;
      const int a = 2 * half, b = a + 1;
      rule.results(left_sums[0][a], left_sums[0][b], left_sums[1][a], left_sums[1][b],
                   out[half].word);
      rule.results(right_sums[0][a], right_sums[0][b], right_sums[1][a], right_sums[1][b],
                   out[half].word + patch);
    }
    if (!K::aligned && room + 8 * g >= 128) {
      store_shifted(out, to, wanted);
    } else if (wanted) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        if (K::aligned && room >= 64 * half + 8)
          out[half].store(to + 64 * half);
        else
          out[half].store(to + 64 * half, 64 * half, room);
      }
    }
    to = reinterpret_cast<Out*>(reinterpret_cast<uint8_t*>(to) + 4 * q.dst.stride_bytes);
  };
  make_sums<K>(tile, shift, taps, rule.start(), rows, write);
}

/// The planes of a window's taps.
template <int Reach, int Planes>
struct Bands {
  Band<Reach> plane[Planes];
};

/// `Rule` has Out, the type of results; few_registers, whether it leaves registers for one block
/// more; start(), what every sum starts at; results(a, b, c, d, words): four neighbouring sums as
/// they are in memory. Aligned: rows of the source begin at multiples of 16, those of the results
/// where Results::store() wants them.
template <class K, int Blocks, class Rule>
__global__ void __launch_bounds__(32 * K::warps, Blocks)
    stencil(const __grid_constant__ StencilRequest<typename K::Sample, typename Rule::Out> q,
            int rows, const __grid_constant__ Bands<K::reach, K::tap_planes> bands,
            const __grid_constant__ Rule rule) {
  using Band = tensor::Band<K::reach>;
  CUESTA_DYNAMIC_SHARED(__align__(128) uint8_t, tile);
  __shared__ typename K::Tile in;
  constexpr int count = K::tap_planes * Band::down * Band::across, threads = 32 * K::warps;
  __shared__ uint32_t taps_there[count];
  const int32_t left = int32_t(blockIdx.x) * 128 * K::warps;
  const uint32_t y0 = block_row() * uint32_t(rows);
  if (y0 >= uint32_t(q.src.height)) return;
  const auto top = int32_t(y0), here = min(rows, q.src.height - top);
  const uint32_t* words = opaque(bands.plane[0].words);
  uint32_t own_words[(count + threads - 1) / threads];
#pragma unroll
  for (int i = 0; i * threads < count; ++i)
    own_words[i] = words[min(int(threadIdx.x) + i * threads, count - 1)];
  in.init();
  in.template fetch<K::aligned>(q, tile, left, top - K::reach,
                                (here + 3) / 4 * 4 + 4 * (K::groups - 1));
#pragma unroll
  for (int i = 0; i * threads < count; ++i)
    taps_there[min(int(threadIdx.x) + i * threads, count - 1)] = own_words[i];
  __syncthreads();
  Taps<K::reach> taps[K::tap_planes];
#pragma unroll
  for (int p = 0; p < K::tap_planes; ++p) taps[p].load(taps_there + p * Band::down * Band::across);
  in.wait(0);
  make_rows<K>(q, tile, in.shift, taps, rule, left, top, here);
}

template <class K, int Blocks, class Rule>
void launch_stencil(std::string_view operation,
                    const StencilRequest<typename K::Sample, typename Rule::Out>& q, int rows,
                    const Bands<K::reach, K::tap_planes>& bands, const Rule& rule,
                    cudaStream_t stream) {
  const dim3 grid = grid_of(blocks(q.src.width, 128 * K::warps), blocks(q.src.height, rows));
  const size_t shared = size_t((rows + 3) / 4 * 4 + 4 * (K::groups - 1)) * K::Tile::pitch;
  launch(operation, stencil<K, Blocks, Rule>, grid, dim3(32 * K::warps), shared, stream, q, rows,
         bands, rule);
}

/// Rows that a block makes: few, where the picture is small, so that it fills the GPU; more, where
/// it is large, since the rows around them are read again. H200, 2026-11-22, squares of 512 to
/// 16,384 a side, 4 to 32 rows tried: those of the fastest.
template <int Reach, class Out>
int rows_of_block(int64_t pixels) {
  if (pixels < 3 << 19) return 4;  // 1024 x 1024 and less
  if (sizeof(Out) == 4) return 8;
  if (pixels < 1 << 23) return Reach == 2 ? 8 : 12;   // 2048 x 2048
  if (pixels < 1 << 25) return Reach == 2 ? 12 : 16;  // 4096 x 4096
  if (pixels < 1 << 27) return Reach == 2 ? 16 : 24;  // 8192 x 8192
  return Reach == 2 ? 24 : 32;
}

/// A window of taps and the sample of it that is over the output; Tap as band_of() has it.
template <class Tap>
struct Window {
  int32_t width, height, anchor_x, anchor_y;
  Tap tap;
};

template <class Out>
struct Clear {
  ImageView<Out, Space::device> dst;
  __device__ void operator()(int32_t x, int32_t y) const { dst.at(x, y) = Out(0); }
};

/// Clears the pixels whose window leaves the picture where the border is `ignore`.
template <class T, class Out, class Tap>
void clear_frame(std::string_view operation, const StencilRequest<T, Out>& q,
                 const Window<Tap>& window, Call& call) {
  if (q.mode != BorderMode::ignore) return;
  for_each_frame_pixel(operation,
                       frame_of(q.dst.width, q.dst.height, window.width, window.height,
                                window.anchor_x, window.anchor_y),
                       Clear<Out>{q.dst}, call);
}

/// Planes of signed bytes that make taps: the low one, and what is left of it times 256.
template <int Reach, int Planes, class Tap>
Bands<Reach, Planes> bands_of(const Window<Tap>& w) {
  Bands<Reach, Planes> bands;
  for (int p = 0; p < Planes; ++p) {
    bands.plane[p] =
        band_of<Reach>(w.width, w.height, w.anchor_x, w.anchor_y, [&](int32_t i, int32_t j) {
          const int32_t tap = w.tap(i, j), low = int8_t(tap);
          return p == 0 ? low : (tap - low) / 256;
        });
  }
  return bands;
}

/// Blocks of a multiprocessor: as many as leave a kernel its registers.
template <class K, class Rule>
constexpr int resident_blocks() {
  constexpr bool bytes = sizeof(typename Rule::Out) == 1;
  constexpr int planes = K::sample_planes * K::tap_planes;
  if (K::reach == 2)
    return (planes == 1 ? (bytes ? 8 : 7) : planes == 2 ? 5 : 4) - (K::aligned ? 0 : 1);
  return planes == 1 ? (bytes && Rule::few_registers ? 6 : 5) : planes == 2 ? 4 : 3;
}

/// What `rule` makes of a window's sums, enqueued; with the border `ignore` the frame is cleared by
/// a thin launch more.
///
/// Four warps a block: at 8192 x 8192, two take 1.14 of their time (H200, 2026-11-22).
template <int Reach, int TapPlanes = 1, class T, class Rule, class Tap>
void run(std::string_view operation, const StencilRequest<T, typename Rule::Out>& q,
         const Window<Tap>& window, const Rule& rule, Call& call) {
  using Out = typename Rule::Out;
  const int32_t width = q.dst.width, height = q.dst.height;
  const int rows = rows_of_block<Reach, Out>(int64_t(width) * height);
  const auto bands = bands_of<Reach, TapPlanes>(window);
  const auto with = [&](auto aligned) {
    using K = Kind<Reach, TapPlanes, T, aligned(), 4>;
    launch_stencil<K, resident_blocks<K, Rule>()>(operation, q, rows, bands, rule, stream_of(call));
  };
  if (has_word_rows(q.src, 16) && has_word_rows(q.dst, std::min(16, int(8 * sizeof(Out)))))
    with(std::true_type());
  else
    with(std::false_type());
  clear_frame(operation, q, window, call);
}

}  // namespace cuesta::cuda::tensor
