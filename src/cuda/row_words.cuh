// Rows of u8 pictures as threads that march down columns read them: whole words, borders written
// out.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/launch.cuh"
#include "cuesta/border.hpp"

namespace cuesta::cuda {

/// What a thread of `Columns` columns (a multiple of 4) reads of a row: samples x0 − 4 .. x0 +
/// Columns + 3.
template <int Columns>
struct RowWords {
  static constexpr int count = Columns / 4 + 2;
  uint32_t words[count];

  /// Column x0 + i as a float plus 2^15, −4 <= i < Columns + 4: the byte in the middle of a
  /// mantissa. Sums whose weights are 289 at most stay below 2^24 and so exact; differences lose
  /// the 2^15.
  __device__ float biased(int i) const {
    return __uint_as_float(
        __byte_perm(words[(i + 4) / 4], 0x47000000u, 0x7404 + ((i + 4) % 4 << 4)));
  }
};

/// The columns of a block of `BlockThreads` threads and four more on either side: where the sample
/// is, −1 outside. Filled by the whole block.
template <int BlockThreads, int Columns>
struct ColumnMap {
  static constexpr int count = BlockThreads * Columns + 8;
  int32_t x[count];

  __device__ void fill(BorderMode mode, int32_t left, int32_t width) {
    for (int i = threadIdx.x; i < count; i += BlockThreads)
      x[i] = map_index(mode, left - 4 + i, width);
    __syncthreads();
  }
};

/// Whether a thread's columns and four more on either side are inside: it then needs no map.
template <int Columns>
__device__ bool is_interior(int32_t x0, int32_t width) {
  return x0 >= 4 && x0 + Columns + 4 <= width;
}

/// Reads row y, at any distance outside the picture, `Reach` columns to either side. `mapped` is
/// the block's map from x0 − 4 on. Aligned: base and stride of the picture are multiples of 4.
template <bool Aligned, int Reach, int Columns>
__device__ RowWords<Columns> load_row(ImageView<const uint8_t, Space::device> src, BorderMode mode,
                                      int32_t outside, int32_t x0, int32_t y, bool interior,
                                      const int32_t* mapped) {
  static_assert(Reach <= 4);
  const int32_t sy = map_index(mode, y, src.height);
  const uint8_t* row = src.row(max(sy, 0));
  RowWords<Columns> out = {};
  if (Aligned && interior && sy >= 0) {
    const auto* from = reinterpret_cast<const uint32_t*>(row + x0 - 4);
#pragma unroll
    for (int i = 0; i < RowWords<Columns>::count; ++i) out.words[i] = __ldg(from + i);
    return out;
  }
  // No branch, so that all loads are in flight together.
#pragma unroll
  for (int i = 4 - Reach; i < Columns + 4 + Reach; ++i) {
    const int32_t sx = mapped[i];
    const uint32_t v = row[max(sx, 0)];
    out.words[i / 4] |= ((sx | sy) < 0 ? uint32_t(outside) : v) << (i % 4 * 8);
  }
  return out;
}

/// Writes the bytes of columns x0 .. x0 + Columns − 1 that are inside the picture.
template <bool Aligned, int Columns>
__device__ void store_bytes(ImageView<uint8_t, Space::device> dst, int32_t x0, int32_t y,
                            const uint32_t (&bytes)[Columns / 4]) {
  uint8_t* to = dst.row(y) + x0;
  if (Aligned && x0 + Columns <= dst.width) {
#pragma unroll
    for (int i = 0; i < Columns / 4; ++i) reinterpret_cast<uint32_t*>(to)[i] = bytes[i];
    return;
  }
#pragma unroll
  for (int i = 0; i < Columns; ++i)
    if (x0 + i < dst.width) to[i] = uint8_t(bytes[i / 4] >> (i % 4 * 8));
}

/// How a block marches: rows at multiples of 16 bytes, rows read above and below, threads, and
/// columns of each.
template <bool Aligned, int Reach, int Threads, int Columns>
struct Marching {
  static constexpr bool aligned = Aligned;
  static constexpr int reach = Reach, threads = Threads, columns = Columns;
};

/// A block marches down `rows` rows of q.src; q.mode and q.outside say what is around it.
/// take(parity, row) gets row after row, from `reach` above the first to `reach` below the last;
/// parity, a constant by its type, is 0 and 1 in turn. After each, store(x0, y) gets the row that
/// is now complete, `reach` above, once it is one of the block's.
template <class Way, class Request, class Take, class Store>
__device__ void march_down(const Request& q, int32_t rows, Take&& take, Store&& store) {
  constexpr int reach = Way::reach, threads = Way::threads, columns = Way::columns;
  const auto src = q.src.template as<uint8_t, Space::device>();
  __shared__ ColumnMap<threads, columns> map;
  const int32_t left = int32_t(blockIdx.x) * threads * columns;
  map.fill(q.mode, left, src.width);
  const int32_t x0 = left + int32_t(threadIdx.x) * columns;
  if (x0 >= src.width) return;
  const bool interior = is_interior<columns>(x0, src.width);
  const int32_t y0 = int32_t(blockIdx.y) * rows, end = min(y0 + rows, src.height);
  const auto load = [&](int32_t y) {
    return load_row<Way::aligned, reach, columns>(src, q.mode, q.outside, x0, y, interior,
                                                  map.x + threadIdx.x * columns);
  };
  RowWords<columns> even = load(y0 - reach);
  for (int32_t y = y0 - reach; y < end + reach; y += 2) {
    const RowWords<columns> odd = load(y + 1);
    take(std::integral_constant<int, 0>(), even);
    if (y - reach >= y0) store(x0, y - reach);
    even = load(y + 2);
    take(std::integral_constant<int, 1>(), odd);
    if (y + 1 - reach >= y0 && y + 1 - reach < end) store(x0, y + 1 - reach);
  }
}

/// Rows a thread marches: as many as still give every multiprocessor enough blocks of
/// `columns_per_block`, since the rows above and below are read once more; not below `least`.
/// (H200, 2026-11-21, LoG: 8 rows are best at 1024², 16 at 4096², 32 at 8192².)
inline int32_t rows_to_march(ConstAnyView picture, int32_t columns_per_block, int32_t least) {
  for (int32_t rows = 32; rows > least; rows /= 2) {
    const dim3 grid = tiles(picture, columns_per_block, rows);
    if (int64_t(grid.x) * grid.y >= 8 * multiprocessors()) return rows;
  }
  return least;
}

/// Whether rows of a picture may be read and written in words of `bytes`.
inline bool has_word_rows(ConstAnyView picture, int bytes = 4) {
  return reinterpret_cast<uintptr_t>(picture.data) % uintptr_t(bytes) == 0 &&
         picture.stride_bytes % bytes == 0;
}

}  // namespace cuesta::cuda
