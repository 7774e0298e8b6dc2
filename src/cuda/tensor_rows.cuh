// Integer stencils of u8 and u16 pictures of any number of channels, up to 31 rows of taps that
// reach 20 samples to either side, or 15 rows that reach 28, on the int8 tensor cores. What becomes
// of the sums is a rule.
//
// A picture is rows of samples; taps are `channels` of them apart. A block makes 128 columns a warp
// and some rows, from a tile in shared memory (tensor_tile.cuh).
//
// A row of the product is 8 columns of one row of the picture, 16 of them are the warp's 128. K
// runs over the 32, 48 or 64 samples around them, N over the 8 columns, so the second factor is the
// band of one row of taps. A row of samples is read once and multiplied with every row of taps; the
// sums of as many rows of results stay in registers, and each product adds to the sums of the row
// above: sum[j] = sum[j − 1] + samples · taps[j], so that they move on without a move.
//
// Taps past a signed byte are two planes of them, tap = low + 256 high, and so are samples of u16;
// sums of each power of 256 are apart until a row is complete.
//
// Exact: products of u8 and s8, summed in s32.
#pragma once

#include "cuda/tensor_stencil.cuh"

namespace cuesta::cuda::tensor {

/// A request whose pictures are rows of samples of `channels` channels.
template <class T, class Out>
struct RowsRequest : StencilRequest<T, Out> {
  int32_t channels;

  /// The sample that stands for one, `channels` times 256 outside at most; −1: none.
  __device__ int32_t place(int32_t x) const {
    if (channels == 1) return StencilRequest<T, Out>::place(x);
    const int32_t column = (x + 256 * channels) / channels - 256, n = this->src.width / channels;
    const int32_t mapped =
        uint32_t(column) < uint32_t(n) ? column : outside_index(this->mode, column, n);
    return mapped < 0 ? -1 : mapped * channels + (x - column * channels);
  }
};

/// The taps of a window as rows of samples. Word i of row j holds those over four samples in a row,
/// the first of which is i − 7 − reach from the output.
template <int TapRows, int Halves, int Planes>
struct RowBands {
  static constexpr int reach = 8 * Halves - 4, across = 16 * Halves + 4;
  uint32_t words[Planes][TapRows][across] = {};
};

/// A window with its last row as the last of the band.
template <int TapRows, int Halves, int Planes, class Tap>
RowBands<TapRows, Halves, Planes> row_bands_of(const Window<Tap>& w, int channels) {
  using Bands = RowBands<TapRows, Halves, Planes>;
  Bands bands;
  for (int32_t j = 0; j < w.height; ++j) {
    for (int32_t i = 0; i < w.width; ++i) {
      const int32_t tap = w.tap(i, j), low = int8_t(tap);
      for (int p = 0; p < Planes; ++p) {
        const auto byte = uint32_t(uint8_t(p == 0 ? low : (tap - low) / 256));
        const int at = 7 + Bands::reach + (i - w.anchor_x) * channels;
        for (int e = 0; e < 4; ++e) {
          if (at - e < 0 || at - e >= Bands::across) continue;
          bands.words[p][TapRows - w.height + j][at - e] |= byte << (8 * e);
        }
      }
    }
  }
  return bands;
}

/// What a window is: rows of taps, halves of 16 samples that K has, samples, planes of taps.
template <int TapRows, int Halves, class T, int TapPlanes>
struct RowsForm {
  static_assert(Halves >= 2 && Halves <= 4);
  using Sample = T;
  using Bands = RowBands<TapRows, Halves, TapPlanes>;
  static constexpr int rows = TapRows, halves = Halves, size = sizeof(T);
  static constexpr int sample_planes = size, tap_planes = TapPlanes;
};

/// What a kernel is for: Aligned: rows at multiples of 16 bytes.
template <class Form, bool Aligned>
struct RowsKind : Form {
  using Form::halves, Form::rows, Form::sample_planes, Form::tap_planes;
  using typename Form::Bands, typename Form::Sample;
  static constexpr bool aligned = Aligned;
  static constexpr int warps = 4, warp_columns = 128;
  static constexpr int levels = sample_planes + tap_planes - 1;  // powers of 256
  using Tile = tensor::Tile<Sample, warp_columns * warps, Bands::reach, 16, warps>;
  /// Whether a row of samples is loaded before the one before it is used.
  static constexpr bool ahead = rows <= 21;
  /// Registers for sums, taps and one or two rows of samples, and what else there is.
  static constexpr int registers = 4 * levels * rows + tap_planes * halves * rows +
                                   (ahead ? 4 : 2) * sample_planes * halves + (ahead ? 44 : 26);
  static constexpr int blocks = registers <= 64    ? 8
                                : registers <= 80  ? 6
                                : registers <= 96  ? 5
                                : registers <= 128 ? 4
                                : registers <= 168 ? 3
                                                   : 2;
};

/// A lane's taps.
template <class K>
struct RowTaps {
  uint32_t word[K::tap_planes][K::rows][K::halves];

  __device__ void load(const uint32_t* band) {
    const int lane = int(threadIdx.x) % 32;
#pragma unroll
    for (int p = 0; p < K::tap_planes; ++p)
#pragma unroll
      for (int j = 0; j < K::rows; ++j)
#pragma unroll
        for (int i = 0; i < K::halves; ++i)
          word[p][j][i] =
              band[(p * K::rows + j) * K::Bands::across + 7 + 16 * i + 4 * (lane % 4) - lane / 4];
  }
};

/// A lane's samples of a row, of both its rows of the product: the first operand, by planes.
template <class K>
struct RowSamples {
  uint32_t word[K::sample_planes][2 * K::halves];

  /// `from`: the lane's place in a row, which is `shift` bytes into it.
  __device__ __forceinline__ void load(const uint8_t* from, uint32_t shift) {
    const uint32_t odd = K::aligned ? 0 : shift & 3;
    const uint8_t* first = from + (K::aligned ? (16 - K::Tile::margin % 16) % 16 : shift - odd);
#pragma unroll
    for (int i = 0; i < 2 * K::halves; ++i) {
      const auto* at =
          reinterpret_cast<const uint32_t*>(first + K::size * (16 * (i / 2) + 64 * (i % 2)));
      uint32_t v[K::size + 1];
#pragma unroll
      for (int n = 0; n < K::size + (K::aligned ? 0 : 1); ++n) v[n] = at[n];
      if constexpr (!K::aligned) {
#pragma unroll
        for (int n = 0; n < K::size; ++n) v[n] = __funnelshift_r(v[n], v[n + 1], 8 * odd);
      }
      if constexpr (K::size == 2) {
        word[0][i] = __byte_perm(v[0], v[1], 0x6420);
        word[1][i] = __byte_perm(v[0], v[1], 0x7531);
      } else {
        word[0][i] = v[0];
      }
    }
  }
};

/// Sums of the rows of results that a row of samples adds to, the last one complete.
template <class K>
struct RowSums {
  int32_t sum[K::levels][K::rows][4] = {};

  __device__ __forceinline__ void add(const RowSamples<K>& s, const RowTaps<K>& taps,
                                      int32_t start) {
#pragma unroll
    for (int level = 0; level < K::levels; ++level) {
#pragma unroll
      for (int j = K::rows - 1; j >= 0; --j) {
        int32_t next[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) next[i] = j ? sum[level][j ? j - 1 : 0][i] : level ? 0 : start;
#pragma unroll
        for (int p = 0; p < K::sample_planes; ++p) {
          if (level < p || level - p >= K::tap_planes) continue;
          const auto& b = taps.word[level - p][j];
          multiply_add<uint8_t, int8_t>(next, s.word[p], b[0], b[1]);
          if constexpr (K::halves == 3) multiply_add<uint8_t, int8_t>(next, s.word[p] + 4, b[2]);
          if constexpr (K::halves == 4)
            multiply_add<uint8_t, int8_t>(next, s.word[p] + 4, b[2], b[3]);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) sum[level][j][i] = next[i];
      }
    }
  }
  __device__ __forceinline__ int32_t complete(int i) const {
    auto v = uint32_t(sum[K::levels - 1][K::rows - 1][i]);
#pragma unroll
    for (int level = K::levels - 2; level >= 0; --level)
      v = v * 256u + uint32_t(sum[level][K::rows - 1][i]);
    return int32_t(v);
  }
};

/// Two neighbouring results, in `words`, as far as `room` of them are inside the picture.
template <bool Aligned, class Out>
__device__ __forceinline__ void store_pair(Out* to, const uint32_t* words, int32_t room) {
  if (Aligned && room >= 2) {
    if constexpr (sizeof(Out) == 1)
      *reinterpret_cast<uint16_t*>(to) = uint16_t(words[0]);
    else if constexpr (sizeof(Out) == 2)
      *reinterpret_cast<uint32_t*>(to) = words[0];
    else
      *reinterpret_cast<uint2*>(to) = make_uint2(words[0], words[1]);
    return;
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    if (i >= room) continue;
    if constexpr (sizeof(Out) == 4)
      reinterpret_cast<uint32_t*>(to)[i] = words[i];
    else
      to[i] = Out(words[0] >> (8 * sizeof(Out) * i));
  }
}

/// One warp's part of a tile: 128 columns of `rows` rows from `top` on. Behind the tile's rows is
/// room for one more.
template <class K, class Rule>
__device__ __forceinline__ void make_by_rows(
    const RowsRequest<typename K::Sample, typename Rule::Out>& q, const uint8_t* tile,
    const uint8_t* shift, const RowTaps<K>& taps, const Rule& rule, int32_t left, int32_t top,
    int rows) {
  using Out = typename Rule::Out;
  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32, g = lane / 4, t = lane % 4;
  const int32_t column = K::warp_columns * warp + 8 * g;
  if (left + K::warp_columns * warp >= q.src.width) return;
  const uint8_t* from = tile + (column + 4 * t) * K::size;
  const int32_t x = left + column + 2 * t, room = q.src.width - x;
  auto* to = reinterpret_cast<uint8_t*>(q.dst.row(top) + x);
  RowSums<K> sums;
  const auto at = [&](int r) { return K::aligned ? 0u : uint32_t(shift[r]) & 15; };
  const auto take = [&](const RowSamples<K>& s, bool complete) {
    sums.add(s, taps, rule.start());
    if (!complete) return;
    uint32_t made[sizeof(Out)];  // of the lane's both rows of the product
    rule.results(sums.complete(0), sums.complete(1), sums.complete(2), sums.complete(3), made);
    constexpr int half = sizeof(Out) / 2;
    const uint32_t second = sizeof(Out) == 1 ? made[0] >> 16 : 0;
    auto* there = reinterpret_cast<Out*>(to);
    store_pair<K::aligned>(there, made, room);
    store_pair<K::aligned>(there + 64, sizeof(Out) == 1 ? &second : made + half, room - 64);
    to += q.dst.stride_bytes;
  };
  const int last = rows + K::rows - 1;
  if constexpr (!K::ahead) {
#pragma unroll 1
    for (int r = 0; r < last; ++r, from += K::Tile::pitch) {
      RowSamples<K> here;
      here.load(from, at(r));
      take(here, r + 1 >= K::rows);
    }
    return;
  }
  RowSamples<K> even, odd;  // a row ahead; after the last whatever is there
  even.load(from, at(0));
#pragma unroll 1
  for (int r = 0; r < last; r += 2) {
    odd.load(from += K::Tile::pitch, at(r + 1));
    take(even, r + 1 >= K::rows);
    if (r + 1 >= last) break;
    even.load(from += K::Tile::pitch, at(r + 2));
    take(odd, r + 2 >= K::rows);
  }
}

/// As stencil() of tensor_stencil.cuh, whose rules it takes. `above`: rows of samples above the
/// first row of results.
template <class K, class Rule>
__global__ void __launch_bounds__(32 * K::warps, K::blocks)
    row_stencil(const __grid_constant__ RowsRequest<typename K::Sample, typename Rule::Out> q,
                int rows, int above, const __grid_constant__ typename K::Bands bands,
                const __grid_constant__ Rule rule) {
  CUESTA_DYNAMIC_SHARED(__align__(128) uint8_t, tile);
  __shared__ typename K::Tile in;
  constexpr int count = sizeof bands / 4, threads = 32 * K::warps;
  __shared__ uint32_t taps_there[count];
  const int32_t left = int32_t(blockIdx.x) * K::warp_columns * K::warps;
  const uint32_t y0 = block_row() * uint32_t(rows);
  if (y0 >= uint32_t(q.src.height)) return;
  const auto top = int32_t(y0), here = min(rows, q.src.height - top);
  const uint32_t* words = opaque(bands.words[0][0]);
  in.init();
  in.template fetch<K::aligned>(q, tile, left, top - above, here + K::rows - 1);
  for (int i = int(threadIdx.x); i < count; i += threads) taps_there[i] = words[i];
  __syncthreads();
  RowTaps<K> taps;
  taps.load(taps_there);
  in.wait(0);
  make_by_rows<K>(q, tile, in.shift, taps, rule, left, top, here);
}

/// What `rule` makes of a window's sums, enqueued, as run() of tensor_stencil.cuh; q's pictures are
/// rows of samples. The window reaches as far as RowBands does and has no more rows than Form.
template <class Form, class Rule, class Tap>
void run_by_rows(std::string_view operation,
                 const RowsRequest<typename Form::Sample, typename Rule::Out>& q,
                 const Window<Tap>& window, const Rule& rule, Call& call) {
  using Out = typename Rule::Out;
  const auto bands = row_bands_of<Form::rows, Form::halves, Form::tap_planes>(window, q.channels);
  const int64_t samples = int64_t(q.dst.width) * q.dst.height;
  // In 48 KB; windows of many rows in half of the largest shared memory, but for their last rows
  // each row of samples is multiplied as often.
  const int most = Form::rows > 15 ? 128 : Form::size == 2 ? 24 : Form::rows > 5 ? 48 : 32;
  const int rows = samples < 3 << 19 ? 8 : samples < 1 << 23 ? 16 : most;
  const auto with = [&](auto aligned) {
    using K = RowsKind<Form, aligned()>;
    const dim3 grid =
        grid_of(blocks(q.src.width, K::warp_columns * K::warps), blocks(q.src.height, rows));
    const size_t shared = size_t(rows + K::rows) * K::Tile::pitch;
    allow_shared(row_stencil<K, Rule>, shared, operation);
    launch(operation, row_stencil<K, Rule>, grid, dim3(32 * K::warps), shared, stream_of(call), q,
           rows, window.anchor_y + K::rows - window.height, bands, rule);
  };
  if (has_word_rows(q.src, 16) && has_word_rows(q.dst, int(2 * sizeof(Out))))
    with(std::true_type());
  else
    with(std::false_type());
  if (q.mode != BorderMode::ignore) return;
  const int32_t c = q.channels;
  for_each_frame_pixel(operation,
                       frame_of(q.dst.width, q.dst.height, (window.width - 1) * c + 1,
                                window.height, window.anchor_x * c, window.anchor_y),
                       Clear<Out>{q.dst}, call);
}

}  // namespace cuesta::cuda::tensor
