// Strategy `mma-separable`: factors without signs (Gaussians, boxes) as two int8 tensor-core
// products that never leave registers.
//
//   H (16 columns x 8 rows)   = band of taps (16 x K) . samples (K of a row x 8 rows)
//   out (16 rows x 8 columns) = band of taps (16 x 32 or 48) . H, its bytes apart: low, high
//
// A sum of u8 across is at most 65,280 and so two bytes; of 256 . high + low + 2^15 the third byte
// is a Gaussian's result. (u16 samples are two planes of bytes; their sums have three bytes.) K of
// the first product is dealt so that lane t of four brings the words of its own 16 columns as they
// lie in memory and makes 4 of H's columns of them a step: the band is block-diagonal. H comes out
// with rows in a lane's registers, which is the second product's B with K dealt in that order, and
// the result is 16 neighbouring samples in a lane. A warp owns 64 columns and walks down 16 rows a
// step. More channels are wider rows and taps further apart.
//
// Borders are kept out of that: columns whose window leaves the picture sideways belong to warps of
// their own, which read samples one by one and walk short strips; rows are mapped. Bound by
// latency: 128 registers, and so 16 warps a multiprocessor.
#include <bit>
#include <cstring>
#include <numeric>

#include "cuda/architectures.hpp"
#include "ops/convolve/cuda.hpp"
#include "ops/convolve/cuda/any_alignment.cuh"
#include "ops/convolve/cuda/flat_rows.cuh"

namespace cuesta {
namespace {

using namespace convolve_cuda;

constexpr int lane_columns = 16, warp_columns = 4 * lane_columns, block_warps = 4;
constexpr int step_rows = 16;
/// Side by side: the columns at both ends of a row, at most 5 and 3 lanes of them.
constexpr int edge_warps = 2;

/// Both factors as bytes, tap i at `centre` + (i − anchor) · samples between taps, 0 elsewhere.
struct Bands {
  static constexpr int centre = 32;
  uint8_t across[2 * centre], down[2 * centre];
};

/// Windows that reach `Before` samples to either side at most. Four outputs of a row are made from
/// `words` words; 16 rows from `groups` · 16 of H.
template <int Before>
struct Shape {
  static constexpr int words = Before == 2 ? 2 : Before / 2 + 1;
  static constexpr int samples = words + 3;  // words of a lane's 16 columns
  static constexpr int groups = Before > 8 ? 3 : 2;
  static constexpr int rows_before = Before > 8 ? 16 : 8;
};

/// sum / divisor, rounded, + offset, saturated. Sums are below 2^30.
struct Quotient {
  uint32_t divisor, half, multiplier;
  int shift;
  bool to_even;
  int32_t offset;

  explicit Quotient(const ConvolveArgs& args)
      : divisor(uint32_t(args.divisor)),
        half(divisor / 2),
        shift(std::bit_width(divisor - 1) - 1),
        to_even(args.rounding == Rounding::half_even && divisor % 2 == 0),
        offset(std::clamp(args.offset, -(1 << 30), 1 << 30)) {
    // ceil(2^(32 + shift) / divisor), too large by less than 1: exact for dividends below 2^31.
    multiplier = uint32_t((uint64_t(1) << (32 + shift)) / divisor + 1);
  }
  __device__ __forceinline__ uint32_t operator()(uint32_t sum) const {
    const uint32_t dividend = sum + half;
    uint32_t quotient = __umulhi(dividend, multiplier) >> shift;
    if (to_even && quotient * divisor == dividend) quotient &= ~1u;
    return uint32_t(min(max(int32_t(quotient) + offset, 0), 255));
  }
};

template <class T>
struct Request : FlatRequest<T> {
  Quotient quotient;
  // Samples begin .. end − 1 of a row belong to the warps that need no map, the others to the lanes
  // of edge warps, `left` of them on the left.
  int32_t begin, end, left;
  int32_t groups, rows, strips;  // warps side by side, rows of a strip, strips
  int32_t edge_rows, edge_strips;

  explicit Request(const ConvolveArgs& args) : FlatRequest<T>(args), quotient(args) {}
};

__device__ __forceinline__ void multiply(int32_t (&sum)[4], const uint32_t* a, uint32_t b0,
                                         uint32_t b1) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}
__device__ __forceinline__ void multiply(int32_t (&sum)[4], const uint32_t* a, uint32_t b) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(b));
#endif
}

/// Both bands in the order of the products' first operand.
template <int Before>
struct Fragments {
  uint32_t across[2 * Shape<Before>::words], down[2 * Shape<Before>::groups];

  __device__ void fill(const Bands& bands, int g, int t) {
    const auto word = [](const uint8_t* taps, int a, int b) {  // taps a, a + 1, b, b + 1
      return uint32_t(taps[a]) | uint32_t(taps[a + 1]) << 8 | uint32_t(taps[b]) << 16 |
             uint32_t(taps[b + 1]) << 24;
    };
#pragma unroll
    for (int upper = 0; upper < 2; ++upper) {
#pragma unroll
      for (int i = 0; i < Shape<Before>::words; ++i) {
        const int at = Bands::centre + 4 * i - Before - (g % 2 + 2 * upper);
        across[2 * i + upper] = g / 2 == t ? word(bands.across, at, at + 2) : 0;
      }
#pragma unroll
      for (int i = 0; i < Shape<Before>::groups; ++i) {
        const int at =
            Bands::centre + 16 * i - Shape<Before>::rows_before + 2 * t - (g + 8 * upper);
        down[2 * i + upper] = word(bands.down, at, at + 8);
      }
    }
  }
};

/// `Count` words from an address that is a multiple of their size, or of 16.
template <int Count>
__device__ __forceinline__ void load_words(const void* from, uint32_t* to) {
  if constexpr (Count == 1) {
    to[0] = __ldg(static_cast<const uint32_t*>(from));
  } else if constexpr (Count == 2) {
    const uint2 v = __ldg(static_cast<const uint2*>(from));
    to[0] = v.x, to[1] = v.y;
  } else {
#pragma unroll
    for (int i = 0; i < Count; i += 4) {
      const uint4 v = __ldg(static_cast<const uint4*>(from) + i / 4);
      to[i] = v.x, to[i + 1] = v.y, to[i + 2] = v.z, to[i + 3] = v.w;
    }
  }
}

/// Samples x0 − Before .. of a row as planes of bytes: word i of plane p has byte p of four
/// samples.
template <class T, int Before>
using Planes = uint32_t[sizeof(T)][Shape<Before>::samples];

/// From words that begin `Skip` bytes before sample x0 − Before.
template <class T, int Before, int Skip = 0, int Words>
__device__ __forceinline__ void to_planes(const uint32_t (&words)[Words], Planes<T, Before>& to) {
#pragma unroll
  for (int i = 0; i < Shape<Before>::samples; ++i) {
    if constexpr (sizeof(T) == 2) {
      to[0][i] = __byte_perm(words[2 * i], words[2 * i + 1], 0x6420);
      to[1][i] = __byte_perm(words[2 * i], words[2 * i + 1], 0x7531);
    } else {
      to[0][i] = Skip ? __byte_perm(words[i], words[i + 1], 0x3210 + Skip * 0x1111) : words[i];
    }
  }
}

/// A lane's samples of a row, loaded but not yet brought into planes: of aligned rows, of any, and
/// sample by sample (−1: outside).
template <class T, int Before>
struct AlignedRow {
  static constexpr int bytes = sizeof(T);
  static constexpr int own = lane_columns * bytes / 4;
  static constexpr int side = Before * bytes < 4 ? 1 : Before * bytes / 4;
  uint32_t word[own + 2 * side];

  __device__ __forceinline__ void load(const T* at) {
    load_words<side>(at - 4 * side / bytes, word);
    load_words<own>(at, word + side);
    load_words<side>(at + lane_columns, word + side + own);
  }
  __device__ __forceinline__ void planes(Planes<T, Before>& to) const {
    to_planes<T, Before, 4 * side - Before * bytes>(word, to);
  }
  __device__ __forceinline__ void fill(T value) {
#pragma unroll
    for (uint32_t& v : word) v = value * (bytes == 1 ? 0x01010101u : 0x00010001u);
  }
};

template <class T, int Before>
struct AnyRow {
  static constexpr int most = Shape<Before>::samples * int(sizeof(T));
  Pieces<most> pieces;

  __device__ __forceinline__ void load(const T* at) { pieces.load(at - Before); }
  __device__ __forceinline__ void planes(Planes<T, Before>& to) const {
    uint32_t words[most];
    pieces.template words<true>(words);
    to_planes<T, Before>(words, to);
  }
  __device__ __forceinline__ void fill(T value) {
    const uint32_t v = value * (sizeof(T) == 1 ? 0x01010101u : 0x00010001u);
    pieces.offset = 0;
#pragma unroll
    for (uint4& piece : pieces.piece) piece = make_uint4(v, v, v, v);
  }
};

template <class T, int Before>
struct MappedRow {
  Planes<T, Before> plane;

  __device__ __forceinline__ void load(const T* row, const int32_t* map, T outside) {
#pragma unroll
    for (int i = 0; i < Shape<Before>::samples; ++i) {
      for (auto& words : plane) words[i] = 0;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int32_t x = map[4 * i + j];
        const uint32_t inside =
            __ldg(row + max(x, 0));  // no branch: all loads are under way at once
        const uint32_t sample = x < 0 ? outside : inside;
#pragma unroll
        for (int p = 0; p < int(sizeof(T)); ++p) plane[p][i] |= (sample >> 8 * p & 255) << 8 * j;
      }
    }
  }
  __device__ __forceinline__ void planes(Planes<T, Before>& to) const {
#pragma unroll
    for (int p = 0; p < int(sizeof(T)); ++p)
#pragma unroll
      for (int i = 0; i < Shape<Before>::samples; ++i) to[p][i] = plane[p][i];
  }
  __device__ __forceinline__ void fill(T value) {
#pragma unroll
    for (int p = 0; p < int(sizeof(T)); ++p)
#pragma unroll
      for (uint32_t& word : plane[p]) word = (uint32_t(value) >> 8 * p & 255) * 0x01010101u;
  }
};

/// 16 rows of H for a lane's part of the 64 columns: [of four][pair of them][byte]. Sums of u8
/// samples have two bytes, those of u16 samples three.
template <class T>
using Sums = uint32_t[4][2][sizeof(T) + 1];

/// The bytes of four sums, apart: low ones of a, b, c, d to out[0], and so on.
__device__ __forceinline__ void split(uint32_t a, uint32_t b, uint32_t c, uint32_t d,
                                      uint32_t (&out)[2]) {
  const uint32_t ab = b * 65536u + a, cd = d * 65536u + c;
  out[0] = __byte_perm(ab, cd, 0x6420), out[1] = __byte_perm(ab, cd, 0x7531);
}
__device__ __forceinline__ void split(uint32_t a, uint32_t b, uint32_t c, uint32_t d,
                                      uint32_t (&out)[3]) {
  const uint32_t ab = __byte_perm(a, b, 0x5140), cd = __byte_perm(c, d, 0x5140);
  out[0] = __byte_perm(ab, cd, 0x5410), out[1] = __byte_perm(ab, cd, 0x7632);
  out[2] = __byte_perm(__byte_perm(a, b, 0x0062), __byte_perm(c, d, 0x0062), 0x5410);
}

/// Walks down a strip. x0 .. x1 − 1 are the lane's columns; `map` is an edge lane's.
template <class T, int Before, bool Q16, bool Aligned, bool Edge>
__device__ __forceinline__ void walk(const Request<T>& q, const Bands& taps, int g, int t,
                                     int32_t x0, int32_t x1, int32_t y0, int32_t y1,
                                     const int32_t* map) {
  using S = Shape<Before>;
  using Row =
      std::conditional_t<Edge, MappedRow<T, Before>,
                         std::conditional_t<Aligned, AlignedRow<T, Before>, AnyRow<T, Before>>>;
  constexpr int planes = sizeof(T), parts = planes + 1, out_words = 4 * planes;
  Fragments<Before> bands;
  bands.fill(taps, g, t);
  const bool active = x0 < x1;
  if (!Edge && !active) x0 = q.end - lane_columns;
  Row ahead[2];
  int32_t y = y0 - S::rows_before + g;
  const int32_t last_row = q.src.height - 1 + Before;  // no tap reaches further
  const auto fetch = [&](Row& row, int32_t at) {
    const int32_t sy = q.place_row(min(at, last_row));
    if (sy < 0) return row.fill(q.outside);
    if constexpr (Edge)
      row.load(q.src.row(sy), map, q.outside);
    else
      row.load(q.src.row(sy) + x0);
  };
  if constexpr (!Edge) fetch(ahead[0], y), fetch(ahead[1], y + 8);

  const auto take = [&](Sums<T>& sums) {
    Planes<T, Before> samples[2];
    if constexpr (Edge) fetch(ahead[0], y), fetch(ahead[1], y + 8);
    ahead[0].planes(samples[0]), ahead[1].planes(samples[1]);
    y += step_rows;
    // Before the products, which take long.
    if constexpr (!Edge) fetch(ahead[0], y), fetch(ahead[1], y + 8);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      int32_t h[2][planes][4] = {};
#pragma unroll
      for (int k = 0; k < 2; ++k) {
#pragma unroll
        for (int p = 0; p < planes; ++p) {
          const uint32_t* w = samples[k][p] + i;
#pragma unroll
          for (int j = 0; j + 1 < S::words; j += 2)
            multiply(h[k][p], bands.across + 2 * j, w[j], w[j + 1]);
          if constexpr (S::words % 2)
            multiply(h[k][p], bands.across + 2 * (S::words - 1), w[S::words - 1]);
        }
      }
      const auto sum = [&](int k, int n) {
        return uint32_t(h[k][0][n]) + (planes == 2 ? uint32_t(h[k][planes - 1][n]) * 256u : 0u);
      };
#pragma unroll
      for (int pair = 0; pair < 2; ++pair) {
        split(sum(0, 2 * pair), sum(0, 2 * pair + 1), sum(1, 2 * pair), sum(1, 2 * pair + 1),
              sums[i][pair]);
      }
    }
  };
  // Rows at and at + 8 from the 16 · groups rows of H.
  const auto emit = [&](const Sums<T>& a, const Sums<T>& b, const Sums<T>& c, int32_t at) {
    uint32_t out[2][out_words];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      uint32_t v[2][4];
#pragma unroll
      for (int pair = 0; pair < 2; ++pair) {
        constexpr int32_t half = Q16 ? 32768 : 0;
        int32_t part[parts][4] = {{half, half, half, half}};
#pragma unroll
        for (int k = 0; k < parts; ++k) {
          multiply(part[k], bands.down, a[i][pair][k], b[i][pair][k]);
          if constexpr (S::groups == 3) multiply(part[k], bands.down + 4, c[i][pair][k]);
        }
#pragma unroll
        for (int n = 0; n < 4; ++n) {
          uint32_t sum = uint32_t(part[parts - 1][n]);
#pragma unroll
          for (int k = parts - 2; k >= 0; --k) sum = sum * 256u + uint32_t(part[k][n]);
          v[pair][n] = Q16 ? sum : q.quotient(sum);
        }
      }
      constexpr uint32_t both = Q16 ? 0x7632 : 0x5410;  // the halves that hold the results
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const uint32_t first = __byte_perm(v[0][2 * k], v[0][2 * k + 1], both);
        const uint32_t second = __byte_perm(v[1][2 * k], v[1][2 * k + 1], both);
        if constexpr (planes == 1)
          out[k][i] = __byte_perm(first, second, 0x6420);
        else
          out[k][2 * i] = first, out[k][2 * i + 1] = second;
      }
    }
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const int32_t row = at + 8 * k;
      const bool inside = row < y1;
      if (q.is_void_row(row)) {
#pragma unroll
        for (uint32_t& word : out[k]) word = 0;
      }
      if constexpr (Edge) {
        if (!inside) continue;
        T* to = q.dst.row(row) + x0;
#pragma unroll
        for (int i = 0; i < lane_columns; ++i) {
          const uint32_t word = out[k][i * planes / 4] >> i * planes % 4 * 8;
          if (x0 + i < x1) to[i] = q.is_void_sample(x0 + i) ? T(0) : T(word);
        }
      } else if constexpr (Aligned) {
        if (inside && active) {
          auto* to = reinterpret_cast<uint4*>(q.dst.row(row) + x0);
#pragma unroll
          for (int i = 0; i < out_words; i += 4)
            to[i / 4] = make_uint4(out[k][i], out[k][i + 1], out[k][i + 2], out[k][i + 3]);
        }
      } else {
        store_run(q.dst.row(min(row, y1 - 1)) + x0, out[k], t == 0,
                  t == 3 || x0 + lane_columns == q.end, inside && active);
      }
    }
  };

  if constexpr (Edge) {  // the least code: each instruction runs a few times
    Sums<T> a = {}, b = {}, c;
#pragma unroll 1
    for (int32_t at = y0 - (S::groups - 1) * step_rows; at < y1; at += step_rows) {
      take(c);
      if (at >= y0) {
        if constexpr (S::groups == 3)
          emit(a, b, c, at + g);
        else
          emit(b, c, c, at + g);
      }
      std::memcpy(a, b, sizeof a), std::memcpy(b, c, sizeof b);
    }
    return;
  }
  Sums<T> a, b, c;
  take(a);
  if constexpr (S::groups == 2) {
#pragma unroll 1
    for (int32_t at = y0; at < y1; at += 2 * step_rows) {
      take(b);
      emit(a, b, b, at + g);
      if (at + step_rows >= y1) break;
      take(a);
      emit(b, a, a, at + step_rows + g);
    }
  } else {
    take(b);
#pragma unroll 1
    for (int32_t at = y0; at < y1; at += 3 * step_rows) {
      take(c);
      emit(a, b, c, at + g);
      if (at + step_rows >= y1) break;
      take(a);
      emit(b, c, a, at + step_rows + g);
      if (at + 2 * step_rows >= y1) break;
      take(b);
      emit(c, a, b, at + 2 * step_rows + g);
    }
  }
}

/// A strip of the columns whose windows leave the picture sideways. A function of its own, so that
/// it takes no registers of the others.
template <class T, int Before, bool Q16>
__device__ __noinline__ void walk_edge(const Request<T>& request, const Bands& taps, int32_t warp,
                                       int32_t (&map)[4][4 * Shape<Before>::samples]) {
  const Request<T> q = request;  // read once, not after each store
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4, n = warp % edge_warps * 4 + t;
  const int32_t x0 = n < q.left ? lane_columns * n : q.end + lane_columns * (n - q.left);
  const int32_t x1 = min(x0 + lane_columns, n < q.left ? min(q.begin, q.src.width) : q.src.width);
  for (int i = g; i < 4 * Shape<Before>::samples; i += 8) map[t][i] = q.place(x0 - Before + i);
  __syncwarp();
  const int32_t y0 = warp / edge_warps * q.edge_rows;
  walk<T, Before, Q16, true, true>(q, taps, g, t, x0, x1, y0, min(y0 + q.edge_rows, q.src.height),
                                   map[t]);
}

/// Blocks of a multiprocessor: as many as leave registers enough.
template <class T, int Before, bool Aligned>
inline constexpr int resident_blocks = Before > 8 || sizeof(T) == 2 ? 2
                                       : Aligned                    ? 4
                                                                    : 3;

template <class T, int Before, bool Q16, bool Aligned>
__global__ void __launch_bounds__(32 * block_warps, resident_blocks<T, Before, Aligned>)
    mma_separable_kernel(const __grid_constant__ Request<T> q,
                         const __grid_constant__ Bands bands) {
  __shared__ Bands taps;
  __shared__ int32_t map[block_warps][4][4 * Shape<Before>::samples];
  for (int i = threadIdx.x; i < int(sizeof taps / 4); i += 32 * block_warps)
    reinterpret_cast<uint32_t*>(&taps)[i] = reinterpret_cast<const uint32_t*>(&bands)[i];
  __syncthreads();
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  int32_t warp = int32_t(blockIdx.x) * block_warps + int32_t(threadIdx.x) / 32;
  if (warp < edge_warps * q.edge_strips)
    return walk_edge<T, Before, Q16>(q, taps, warp, map[threadIdx.x / 32]);
  warp -= edge_warps * q.edge_strips;
  if (warp >= q.groups * q.strips) return;
  const int32_t x0 = q.begin + warp % q.groups * warp_columns + t * lane_columns;
  const int32_t y0 = warp / q.groups * q.rows;
  walk<T, Before, Q16, Aligned, false>(q, taps, g, t, x0, min(x0 + lane_columns, q.end), y0,
                                       min(y0 + q.rows, q.src.height), nullptr);
}

/// Divides the picture among warps. Strips of many rows read few of them twice; those of edge warps
/// are short, since they are slow. (H200, 2026-11-22, Gaussian 5 x 5 of u8: at 8192² four waves
/// take 1.68 copies and one 1.77; at 4096² two waves take 1.92 and four 2.11; at 2048² strips of 32
/// rows take 13.0 µs with edges of 16 and 17.0 with edges of 32.)
template <bool Aligned, class T>
void divide(Request<T>& q, int resident_warps) {
  const int32_t w = q.src.width, h = q.src.height;
  // A warp's results then fill whole sectors.
  constexpr int32_t sector_samples = 64 / sizeof(T);
  const auto past = int32_t(reinterpret_cast<uintptr_t>(q.dst.data) / sizeof(T) % sector_samples);
  // Pieces of rows at any alignment end up to 15 bytes after the samples wanted.
  const int32_t margin = Aligned ? 16 : 31;
  q.begin = lane_columns + (2 * sector_samples - past - lane_columns) % sector_samples;
  q.end = q.begin;
  if (w > edge_warps * warp_columns)
    q.end += (w - margin - q.begin) / lane_columns * lane_columns;
  else
    q.begin = q.end = edge_warps * warp_columns / 2;
  q.left = int32_t(cuda::blocks(q.begin, lane_columns));
  q.groups = int32_t(cuda::blocks(q.end - q.begin, warp_columns));
  // Rows of strips that make `waves` times as many warps as the GPU holds.
  const auto rows_of = [&](int waves) {
    const int32_t strips = std::max(1, waves * resident_warps / std::max(1, q.groups));
    return int32_t(cuda::blocks(int32_t(cuda::blocks(h, strips)), step_rows)) * step_rows;
  };
  q.rows = std::max(rows_of(4), std::min(64, rows_of(1)));
  q.strips = q.groups ? int32_t(cuda::blocks(h, q.rows)) : 0;
  q.edge_rows = std::clamp(q.rows / 2, 16, 32);
  q.edge_strips = int32_t(cuda::blocks(h, q.edge_rows));
}

template <class T, int Before, bool Q16, bool Aligned>
void launch(Request<T> q, const Bands& bands, Call& call) {
  divide<Aligned>(q, cuda::multiprocessors() * resident_blocks<T, Before, Aligned> * block_warps);
  const int64_t warps = int64_t(edge_warps) * q.edge_strips + int64_t(q.groups) * q.strips;
  cuda::launch("convolve", mma_separable_kernel<T, Before, Q16, Aligned>,
               dim3(unsigned((warps + block_warps - 1) / block_warps)), dim3(32 * block_warps), 0,
               cuda::stream_of(call), q, bands);
}

int64_t sum_of(std::span<const int32_t> taps) {
  return std::accumulate(taps.begin(), taps.end(), int64_t(0));
}

/// Whether the result is the upper half of sum + 2^15.
bool is_q16(const ConvolveArgs& args) {
  return args.divisor == 65536 && args.rounding == Rounding::half_up && args.offset == 0 &&
         sum_of(args.integers.row) * sum_of(args.integers.column) <= 65536;
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
  const auto with = [&](auto before, auto q16) {
    q.is_aligned() ? launch<T, before(), q16(), true>(q, bands, call)
                   : launch<T, before(), q16(), false>(q, bands, call);
  };
  const auto with_reach = [&](auto q16) {
    const int64_t reach = reach_of(args);
    if (reach <= 2) return with(std::integral_constant<int, 2>(), q16);
    if (reach <= 4) return with(std::integral_constant<int, 4>(), q16);
    if (reach <= 8) return with(std::integral_constant<int, 8>(), q16);
    with(std::integral_constant<int, 16>(), q16);
  };
  if constexpr (sizeof(T) == 1)
    if (!is_q16(args)) return with_reach(std::false_type());
  with_reach(std::true_type());
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
           sum_of(taps) <= 256;
  };
  if (!fits(args.integers.row) || !fits(args.integers.column))
    return "factors with signs, taps past 255 or past 256 together";
  if (!is_q16(args)) {
    if (!bytes) return "u16 stencils that are no Gaussian's";
    if (args.divisor < 2 || args.divisor > (1 << 24)) return "divisors of 1 or beyond 2^24";
  }
  if (const auto why = flat_rows_take(args); !why.empty()) return why;
  const int capability = cuda::compute_capability();
  return capability != 0 && capability < 80 ? "GPUs before compute capability 8.0"
                                            : std::string_view();
}

void convolve_cuda::mma_separable(const ConvolveArgs& args, Call& call) {
  args.src.type == PixelType::u8 ? run<uint8_t>(args, call) : run<uint16_t>(args, call);
}

}  // namespace cuesta
