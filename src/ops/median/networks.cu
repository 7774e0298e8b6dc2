// Strategy `networks`: u8 and u16 with windows of 3 to 11, of any number of channels. A block
// brings its tile to shared memory, a plane a channel, two columns `Apart` from each other a word
// (minima and maxima are then one operation for both); sorts the K − 1 rows that two rows of
// results share down every column; and makes four columns by two rows of results a thread from
// those (networks.py). Bound by the issue of instructions: some exchanges of u8 are halves'.
#include <algorithm>
#include <type_traits>

#include "cuda/architectures.hpp"
#include "cuda/launch.cuh"
#include "cuda/limits.hpp"
#include "cuda/tile_rows.hpp"
#include "ops/median/cuda.hpp"
#include "ops/median/device.cuh"
#include "ops/median/exchanges.cuh"

namespace cuesta {
namespace {

using namespace median_cuda;

/// A tile's places in words. Columns 4 g + j of a row, and those Apart more, are word
/// j · pitch + g of it, so that lanes which read neighbouring groups of four read neighbouring
/// words; rows and pairs of rows are padded where half a warp reads each.
template <int K, int Apart>
struct Layout {
  static constexpr int ksize = K, radius = K / 2, apart = Apart;
  static constexpr int side = (radius + 3) / 4 * 4, skip = side - radius;
  static constexpr int groups = (skip + Apart + K - 1 + 3) / 4;
  static constexpr bool whole_warps = Apart == 128;
  static constexpr int pitch = whole_warps ? groups : 20;
  static constexpr int row = 4 * pitch + (whole_warps ? 0 : 8);
  static constexpr int sorted = (K - 1) * 4 * pitch + (whole_warps ? 0 : 16);
  static_assert(pitch >= groups);
  /// Of eight exchanges of u8, on the pipe of halves. (H100, 2026-11-26.)
  static constexpr int halves = K == 7 ? 5 : K == 9 ? 3 : 4;
  static constexpr int threads = 128, blocks = K <= 5 ? 6 : K <= 9 ? 4 : 3;

  /// Of an element of a sorted column, and of a sample of either row beside.
  static constexpr int place(int x) { return (x + skip) % 4 * pitch + (x + skip) / 4; }
  static constexpr int of_sorted(int x, int i) { return i * 4 * pitch + place(x); }
  static constexpr int of_row(int r, int x) { return r * K * row + place(x); }

  CUESTA_HOST_DEVICE static constexpr int plane(int rows) { return (rows + K - 1) * row; }
  /// Bytes of a tile of `rows` rows: its results, its samples, its sorted columns.
  CUESTA_HOST_DEVICE static constexpr int result_row(int pixel) { return 2 * Apart * pixel; }
  static constexpr int bytes(int rows, int channels, int size) {
    return rows * result_row(channels * size) + channels * (plane(rows) + rows / 2 * sorted) * 4;
  }
};

template <int Halves, int N>
__device__ __forceinline__ void exchange_of(uint32_t& a, uint32_t& b) {
  if constexpr (N * 3 % 8 < Halves)
    exchange(InHalves(), a, b);
  else
    exchange(InPairs(), a, b);
}

#define NETWORK(size, registers)                                                            \
  template <int Halves, class L>                                                            \
  __device__ __forceinline__ void make_results(std::integral_constant<int, size>,           \
                                               const uint32_t* sorted, const uint32_t* row, \
                                               uint32_t(&out)[2][4]) {                      \
    uint32_t v[registers];
#define SORT(size)      \
  template <int Halves> \
  __device__ __forceinline__ void sort_column(uint32_t(&v)[size]) {
#define END }
#define C(n, x, i) v[n] = sorted[L::of_sorted(x, i)];
#define R(n, r, x) v[n] = row[L::of_row(r, x)];
#define V(n, a) v[n] = v[a];
#define X(a, b) exchange_of<Halves, __COUNTER__>(v[a], v[b]);
#define S(a, b) exchange_of<Halves, __COUNTER__>(v[a], v[b]);
#define MIN2(a, b) v[a] = __vminu2(v[a], v[b]);
#define MAX2(a, b) v[a] = __vmaxu2(v[a], v[b]);
#define MIN3(a, b, c) v[a] = __vimin3_u16x2(v[a], v[b], v[c]);
#define MAX3(a, b, c) v[a] = __vimax3_u16x2(v[a], v[b], v[c]);
#define O(r, x, n) out[r][x] = v[n];
#include "ops/median/networks.inc"
#undef NETWORK
#undef SORT
#undef END
#undef C
#undef R
#undef V
#undef X
#undef S
#undef MIN2
#undef MAX2
#undef MIN3
#undef MAX3
#undef O

/// What a block has, in words but for the results.
struct Tile {
  int32_t left, top, rows, channels;
  int log_pairs;  // of rows
  unsigned char* results;
  uint32_t *samples, *sorted;

  __device__ int pairs() const { return channels << log_pairs; }
  /// Of a pair of rows, counted through all channels.
  template <class L>
  __device__ int channel_of(int pair) const {
    return L::whole_warps ? 0 : pair >> log_pairs;
  }
  template <class L>
  __device__ int row_of(int pair) const {
    return L::whole_warps ? 2 * pair : pair % (1 << log_pairs) * 2;
  }
};

// -- In -------------------------------------------------------------------------------------------

static __device__ __noinline__ int32_t mapped(BorderMode mode, int32_t i, int32_t n) {
  return map_index(mode, i, n);
}

/// The row that stands for one; −1: none, or none that a result needs.
__device__ __forceinline__ int32_t row_of(const MedianRequest& q, int32_t y, int32_t radius) {
  if (uint32_t(y) < uint32_t(q.src.height)) return y;
  return y - radius < q.src.height ? mapped(q.mode, y, q.src.height) : -1;
}

/// The word at `at`, whose first `count` bytes are the picture's. Nothing past `end` is read.
__device__ __forceinline__ uint32_t load_last(const uint32_t* at, uint32_t count, const char* end) {
  if (reinterpret_cast<const char*>(at + 1) <= end) return __ldg(at);
  uint32_t word = 0;
#pragma unroll
  for (uint32_t i = 0; i < 3; ++i)
    if (i < count) word |= uint32_t(__ldg(reinterpret_cast<const uint8_t*>(at) + i)) << (8 * i);
  return word;
}

/// Four pixels of a row that has them, at any address; the picture ends at `end`. Aligned: at a
/// multiple of 4.
template <bool Aligned, int Words>
__device__ __forceinline__ void load_words(const char* from, const char* end,
                                           uint32_t (&words)[Words]) {
  const uint32_t shift = Aligned ? 0 : uint32_t(reinterpret_cast<uintptr_t>(from) & 3);
  const auto* at = reinterpret_cast<const uint32_t*>(from - shift);
  uint32_t all[Words + 1];
#pragma unroll
  for (int i = 0; i < Words; ++i) all[i] = __ldg(at + i);
  all[Words] = !Aligned && shift ? load_last(at + Words, shift, end) : 0;
#pragma unroll
  for (int i = 0; i < Words; ++i)
    words[i] = Aligned ? all[i] : __funnelshift_r(all[i], all[i + 1], 8 * shift);
}

/// Four pixels from column x of a row on, some of which may be outside; no row: all are.
template <class T, int Channels>
__device__ __forceinline__ void load_mapped(const MedianRequest& q, const char* row, int32_t x,
                                            uint32_t (&words)[Channels * sizeof(T)]) {
  constexpr int n = Channels * int(sizeof(T));
  if (row && x >= 0 && x <= q.src.width - 4)
    return load_words<false>(row + int64_t(x) * n, q.end, words);
#pragma unroll
  for (uint32_t& w : words) w = 0;
  if (x - q.radius >= q.src.width) return;  // no result reads it
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int32_t sx = mapped(q.mode, x + i, q.src.width);
    const T* from = reinterpret_cast<const T*>(row) + int64_t(sx) * Channels;
#pragma unroll
    for (int c = 0; c < Channels; ++c) {
      const int at = (i * Channels + c) * int(sizeof(T));
      const uint32_t v = row && sx >= 0 ? uint32_t(from[c]) : uint32_t(q.outside);
      words[at / 4] |= v << (8 * (at % 4));
    }
  }
}

/// Four pixels and those Apart beside them to their places in the planes.
template <class T, class L, int Channels>
__device__ __forceinline__ void keep_samples(uint32_t* to, int plane,
                                             const uint32_t (&a)[Channels * sizeof(T)],
                                             const uint32_t (&b)[Channels * sizeof(T)]) {
  constexpr int in_word = 4 / int(sizeof(T));
#pragma unroll
  for (int s = 0; s < 4 * Channels; ++s) {
    const int w = s / in_word, at = s % in_word;
    uint32_t& v = to[s % Channels * plane + s / Channels * L::pitch];
    if constexpr (sizeof(T) == 1)
      v = __byte_perm(a[w], b[w], at * 0x0011 + (4 + at) * 0x1100) & 0x00FF00FF;
    else
      v = __byte_perm(a[w], b[w], at ? 0x7632 : 0x5410);
  }
}

/// Tiles in the middle of a picture with rows of whole words; others in the middle; others.
enum class Where { middle_aligned, middle, anywhere };

/// A tile, without a branch, so that loads of several turns are in flight. Columns outside become
/// others: fix_sides() is next. The picture has four columns.
template <class T, class L, int Channels, Where W>
__device__ __forceinline__ void load_groups(const MedianRequest& q, const Tile& tile) {
  constexpr int n = Channels * int(sizeof(T)), together = n > 4          ? 1
                                                          : n > 2        ? 2
                                                          : L::ksize > 7 ? 4
                                                                         : 3;
  const int plane = L::plane(tile.rows), count = (tile.rows + L::ksize - 1) * L::groups;
  const int32_t x0 = tile.left - L::side, y0 = tile.top - L::radius;
  const char* corner = static_cast<const char*>(q.src.data);
  if constexpr (W != Where::anywhere) corner += y0 * q.src.stride_bytes + int64_t(x0) * n;
  for (int i = threadIdx.x; i < count; i += together * int(blockDim.x)) {
    uint32_t a[together][n], b[together][n];
#pragma unroll
    for (int k = 0; k < together; ++k) {
      const int at = min(i + k * int(blockDim.x), count - 1), r = at / L::groups;
      const int column = at % L::groups * 4;
      if constexpr (W != Where::anywhere) {
        const char* group = corner + r * q.src.stride_bytes + column * n;
        load_words<W == Where::middle_aligned>(group, q.end, a[k]);
        load_words<W == Where::middle_aligned>(group + L::apart * n, q.end, b[k]);
      } else {
        const int32_t sy = row_of(q, y0 + r, L::radius), last = q.src.width - 4;
        const char* row = corner + max(sy, 0) * q.src.stride_bytes;
        load_words<false>(row + int64_t(min(max(x0 + column, 0), last)) * n, q.end, a[k]);
        load_words<false>(row + int64_t(min(x0 + L::apart + column, last)) * n, q.end, b[k]);
        const uint32_t all = uint32_t(q.outside) * (sizeof(T) == 1 ? 0x01010101u : 0x00010001u);
#pragma unroll
        for (int w = 0; w < n; ++w)
          a[k][w] = sy < 0 ? all : a[k][w], b[k][w] = sy < 0 ? all : b[k][w];
      }
    }
#pragma unroll
    for (int k = 0; k < together; ++k) {
      const int at = min(i + k * int(blockDim.x), count - 1);
      keep_samples<T, L, Channels>(tile.samples + at / L::groups * L::row + at % L::groups, plane,
                                   a[k], b[k]);
    }
  }
}

/// Groups of four columns, of columns left + 4 g, that results need and that are not inside.
struct Outside {
  int begin, end;

  __device__ static Outside on_the_right(const MedianRequest& q, int32_t left, int groups) {
    const int begin = max(q.src.width - left, 0) / 4;
    const int end = max(q.src.width + q.radius - left + 3, 0) / 4;
    return {min(begin, groups), min(end, groups)};
  }
  __device__ int count() const { return max(end - begin, 0); }
};

/// Once more the groups that are not inside, by the border's rule.
template <class T, class L, int Channels>
__device__ __forceinline__ void fix_sides(const MedianRequest& q, const Tile& tile) {
  constexpr int n = Channels * int(sizeof(T));
  const int32_t x0 = tile.left - L::side, y0 = tile.top - L::radius;
  const bool none = q.src.width < 4;  // nothing was loaded
  const int left = none ? L::groups : x0 < 0 ? (L::side + 3) / 4 : 0;
  Outside first = Outside::on_the_right(q, x0, L::groups);
  Outside second = Outside::on_the_right(q, x0 + L::apart, L::groups);
  second.end = min(second.end, first.begin);  // the first has the others
  if (none) first = second = {0, 0};
  const int groups = left + first.count() + second.count();
  for (int i = threadIdx.x; i < (tile.rows + L::ksize - 1) * groups; i += blockDim.x) {
    const int r = i / groups, k = i % groups - left;
    const int g = k < 0               ? k + left
                  : k < first.count() ? first.begin + k
                                      : second.begin + k - first.count();
    const int32_t sy = row_of(q, y0 + r, L::radius);
    const char* row =
        sy < 0 ? nullptr : static_cast<const char*>(q.src.data) + sy * q.src.stride_bytes;
    uint32_t a[n], b[n];
    load_mapped<T, Channels>(q, row, x0 + 4 * g, a);
    load_mapped<T, Channels>(q, row, x0 + L::apart + 4 * g, b);
    keep_samples<T, L, Channels>(tile.samples + r * L::row + g, L::plane(tile.rows), a, b);
  }
}

template <class T, class L, int Channels>
__device__ __forceinline__ void load_tile(const MedianRequest& q, const Tile& tile) {
  const int32_t x0 = tile.left - L::side, y0 = tile.top - L::radius;
  if (x0 >= 0 && y0 >= 0 && x0 + L::apart + 4 * L::groups <= q.src.width &&
      tile.top + tile.rows + L::radius <= q.src.height) {
    const bool aligned =
        ((reinterpret_cast<uintptr_t>(q.src.data) | uintptr_t(q.src.stride_bytes)) & 3) == 0;
    if (aligned) return load_groups<T, L, Channels, Where::middle_aligned>(q, tile);
    return load_groups<T, L, Channels, Where::middle>(q, tile);
  }
  if (q.src.width >= 4) load_groups<T, L, Channels, Where::anywhere>(q, tile);
  __syncthreads();
  fix_sides<T, L, Channels>(q, tile);
}

template <class L, int Halves>
__device__ __forceinline__ void sort_tile(const Tile& tile) {
  constexpr int columns = 4 * L::groups;
  const int count = tile.pairs() * columns;
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    const int pair = i / columns, at = i % columns;
    const int place = L::pitch == L::groups ? at : at / L::groups * L::pitch + at % L::groups;
    const uint32_t* from = tile.samples + tile.channel_of<L>(pair) * L::plane(tile.rows) +
                           (tile.row_of<L>(pair) + 1) * L::row + place;
    uint32_t v[L::ksize - 1];
#pragma unroll
    for (int j = 0; j < L::ksize - 1; ++j) v[j] = from[j * L::row];
    sort_column<Halves>(v);
    uint32_t* to = tile.sorted + pair * L::sorted + place;
#pragma unroll
    for (int j = 0; j < L::ksize - 1; ++j) to[j * 4 * L::pitch] = v[j];
  }
}

// -- Out ------------------------------------------------------------------------------------------

/// Border `ignore`: 0 where the window leaves the picture.
template <int Apart>
__device__ __forceinline__ void zero_frame(const MedianRequest& q, int32_t x, int32_t y,
                                           uint32_t (&out)[2][4]) {
#pragma unroll
  for (int r = 0; r < 2; ++r)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      if (leaves(q, x + j, y + r)) out[r][j] &= 0xFFFF0000;
      if (leaves(q, x + j + Apart, y + r)) out[r][j] &= 0x0000FFFF;
    }
}

/// A thread's results to two rows of whole pixels, `stride` bytes apart, from column x on; the
/// rows and columns of several channels are the tile's.
template <class T, class L>
__device__ __forceinline__ void keep_results(char* row, int64_t stride, int x, int channels,
                                             int channel, const uint32_t (&out)[2][4]) {
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    auto* to = reinterpret_cast<T*>(row + r * stride);
    const uint32_t(&v)[4] = out[r];
    if constexpr (!L::whole_warps) {  // several channels
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        to[(x + j) * channels + channel] = T(v[j]);
        to[(x + j + L::apart) * channels + channel] = T(v[j] >> 16);
      }
    } else if constexpr (sizeof(T) == 1) {
      const uint32_t a = __byte_perm(v[0], v[1], 0x6240), b = __byte_perm(v[2], v[3], 0x6240);
      *reinterpret_cast<uint32_t*>(to + x) = __byte_perm(a, b, 0x5410);
      *reinterpret_cast<uint32_t*>(to + x + L::apart) = __byte_perm(a, b, 0x7632);
    } else {
      *reinterpret_cast<uint2*>(to + x) =
          make_uint2(__byte_perm(v[0], v[1], 0x5410), __byte_perm(v[2], v[3], 0x5410));
      *reinterpret_cast<uint2*>(to + x + L::apart) =
          make_uint2(__byte_perm(v[0], v[1], 0x7632), __byte_perm(v[2], v[3], 0x7632));
    }
  }
}

/// Writes the first `n` of a row's `bytes`, whole words, to any address.
__device__ __forceinline__ void write_row(char* to, const uint32_t* words, int bytes, int n) {
  const int lane = int(threadIdx.x) % 32, odd = int(reinterpret_cast<uintptr_t>(to) & 3);
  for (int k = lane; 4 * k - odd < n; k += 32) {
    const uint32_t low = k ? words[k - 1] : 0, high = 4 * k < bytes ? words[k] : 0;
    const uint32_t v = __funnelshift_l(low, high, 8 * odd);
    const int at = 4 * k - odd;
    if (at >= 0 && at + 4 <= n) {
      *reinterpret_cast<uint32_t*>(to + at) = v;
      continue;
    }
#pragma unroll
    for (int b = 0; b < 4; ++b)
      if (at + b >= 0 && at + b < n) to[at + b] = char(v >> (8 * b));
  }
}

template <class T, class L>
__device__ __forceinline__ void write_tile(const MedianRequest& q, const Tile& tile) {
  const int pixel = tile.channels * int(sizeof(T)), bytes = L::result_row(pixel);
  const int n = min(2 * L::apart, q.src.width - tile.left) * pixel;
  char* to = static_cast<char*>(q.dst.data) + int64_t(tile.left) * pixel;
  const int rows = min(tile.rows, q.src.height - tile.top);
  const bool aligned =
      ((reinterpret_cast<uintptr_t>(to) | uintptr_t(q.dst.stride_bytes) | uintptr_t(n)) & 15) == 0;
  for (int r = int(threadIdx.x) / 32; r < rows; r += int(blockDim.x) / 32) {
    char* row = to + (tile.top + int64_t(r)) * q.dst.stride_bytes;
    const unsigned char* from = tile.results + r * bytes;
    if (aligned) {
      for (int i = int(threadIdx.x) % 32; 16 * i < n; i += 32)
        reinterpret_cast<uint4*>(row)[i] = reinterpret_cast<const uint4*>(from)[i];
    } else {
      write_row(row, reinterpret_cast<const uint32_t*>(from), bytes, n);
    }
  }
}

// -------------------------------------------------------------------------------------------------

/// Blocks of 2^log_pairs pairs of rows, `across` of them beside each other.
template <class T, class L>
__global__ void __launch_bounds__(L::threads, L::blocks)
    median_networks(const __grid_constant__ MedianRequest q, int log_pairs, int32_t across) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800  // older ones have no such minima
  constexpr int halves = sizeof(T) == 1 ? L::halves : 0, positions = L::apart / 4;
  CUESTA_DYNAMIC_SHARED(uint4, memory);
  const int rows = 2 << log_pairs;
  Tile tile{int32_t(blockIdx.x % unsigned(across)) * 2 * L::apart,
            int32_t(blockIdx.x / unsigned(across)) * rows,
            rows,
            L::whole_warps ? 1 : q.src.channels,
            log_pairs,
            reinterpret_cast<unsigned char*>(memory),
            nullptr,
            nullptr};
  tile.samples = reinterpret_cast<uint32_t*>(tile.results +
                                             rows * L::result_row(tile.channels * int(sizeof(T))));
  tile.sorted = tile.samples + tile.channels * L::plane(rows);
  if constexpr (L::whole_warps) {
    load_tile<T, L, 1>(q, tile);
  } else {
    switch (tile.channels) {
      case 2: load_tile<T, L, 2>(q, tile); break;
      case 3: load_tile<T, L, 3>(q, tile); break;
      default: load_tile<T, L, 4>(q, tile);
    }
  }
  __syncthreads();
  sort_tile<L, halves>(tile);
  __syncthreads();
  // Whole tiles of one channel, to rows of whole words, need no shared memory.
  const int pixel = tile.channels * int(sizeof(T));
  const bool direct = L::whole_warps && tile.left + 2 * L::apart <= q.dst.width &&
                      tile.top + rows <= q.dst.height &&
                      ((reinterpret_cast<uintptr_t>(q.dst.data) | uintptr_t(q.dst.stride_bytes)) &
                       (4 * sizeof(T) - 1)) == 0;
  char* results = direct ? static_cast<char*>(q.dst.data) + tile.top * q.dst.stride_bytes +
                               int64_t(tile.left) * pixel
                         : reinterpret_cast<char*>(tile.results);
  const int64_t stride = direct ? q.dst.stride_bytes : L::result_row(pixel);
#pragma unroll 1
  for (int i = threadIdx.x; i < tile.pairs() * positions; i += blockDim.x) {
    const int pair = i / positions, t = i % positions;
    const int channel = tile.channel_of<L>(pair), y = tile.row_of<L>(pair);
    uint32_t out[2][4];
    make_results<halves, L>(std::integral_constant<int, L::ksize>(),
                            tile.sorted + pair * L::sorted + t,
                            tile.samples + channel * L::plane(rows) + y * L::row + t, out);
    if (q.mode == BorderMode::ignore) zero_frame<L::apart>(q, tile.left + 4 * t, tile.top + y, out);
    keep_results<T, L>(results + y * stride, stride, 4 * t, tile.channels, channel, out);
  }
  if (direct) return;
  __syncthreads();
  write_tile<T, L>(q, tile);
#endif
}

template <class T, class L>
void launch_tiles(const MedianArgs& args, Call& call) {
  const ConstAnyView& src = args.src;
  const int channels = src.channels, size = int(sizeof(T));
  // Fewer rows where blocks would be too few to fill the GPU.
  int log_pairs = L::whole_warps ? 3 : 2;
  const auto blocks = [&] {
    const dim3 grid = cuda::tiles(src, 2 * L::apart, 2 << log_pairs);
    return int64_t(grid.x) * grid.y;
  };
  while (log_pairs > 1 && blocks() < 2 * cuda::multiprocessors()) --log_pairs;
  // Rows of three channels share out evenly among three warps.
  const int most = channels == 3 ? 96 : L::threads;
  const int threads = std::min(most, (channels << log_pairs) * L::apart / 4);
  const auto bytes = size_t(L::bytes(2 << log_pairs, channels, size));
  const auto kernel = median_networks<T, L>;
  cuda::allow_shared(kernel, bytes, "median");
  cuda::launch("median", kernel, dim3(unsigned(blocks())), dim3(unsigned(threads)), bytes,
               cuda::stream_of(call), request_of(args), log_pairs,
               int32_t(cuda::blocks(src.width, 2 * L::apart)));
}

template <class T, int K>
void launch_networks(const MedianArgs& args, Call& call) {
  if (args.src.channels > 1) return launch_tiles<T, Layout<K, 64>>(args, call);
  // Strips (`fused`) have 3, and 5 of u8.
  if constexpr (K > 5 || (K == 5 && sizeof(T) == 2)) launch_tiles<T, Layout<K, 128>>(args, call);
}

template <class T>
void launch_samples(const MedianArgs& args, Call& call) {
  switch (args.options.ksize) {
    case 3: return launch_networks<T, 3>(args, call);
    case 5: return launch_networks<T, 5>(args, call);
    case 7: return launch_networks<T, 7>(args, call);
    case 9: return launch_networks<T, 9>(args, call);
    default: return launch_networks<T, 11>(args, call);
  }
}

}  // namespace

std::string_view median_cuda::networks_supports(const MedianArgs& args, const Parameters&) {
  const ConstAnyView& src = args.src;
  if (src.type != PixelType::u8 && src.type != PixelType::u16) return "other types than u8 and u16";
  if (const int capability = cuda::compute_capability(); capability != 0 && capability < 80)
    return "GPUs below compute capability 8.0";
  const int ksize = args.options.ksize;
  if (ksize < 3 || ksize > 11) return "windows other than 3 to 11";
  if (src.channels == 1 && (ksize == 3 || (ksize == 5 && src.type == PixelType::u8)))
    return "windows of 3, and of 5 of u8, of one channel";
  if (ksize == 3 && src.channels > 2) return "windows of 3 with three or four channels";
  return cuda::tiles_take(src);
}

void median_cuda::networks(const MedianArgs& args, Call& call) {
  if (args.src.type == PixelType::u8)
    launch_samples<uint8_t>(args, call);
  else
    launch_samples<uint16_t>(args, call);
}

}  // namespace cuesta
