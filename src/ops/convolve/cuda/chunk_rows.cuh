// Samples of a strip of a picture, some rows at a time, for kernels that march down it.
#pragma once

#include "cuda/tensor_tile.cuh"

namespace cuesta::convolve_mma {

using cuda::tensor::RowTile;
using cuda::tensor::TileShape;

/// How far that many products of depth 32 reach.
CUESTA_HOST_DEVICE constexpr int reach_of_products(int products) { return 16 * products - 8; }

inline constexpr int running = -1;  // products down: sums that run

/// Which rows a block brings: from sample `left` on; `count` rows from row `first` of the strip on,
/// which is row `top` of the picture; `chunk` of them at a time.
struct ChunkedStrip {
  int32_t left, top;
  int first, count, chunk;
};

/// A block's samples, in two places that take turns. K: warps, whether rows are aligned, whether
/// they are dealt (cuda/tensor_tile.cuh).
template <class T, class K>
struct ChunkRows {
  using Tile = RowTile<T, K::warps, K::dealt>;
  Tile tile[2];

  /// Begins to bring chunk `c` to its place in `tiles`. All threads of the block call it; one warp
  /// issues the copies, another one each time.
  template <class Request>
  __device__ __forceinline__ void fetch(const Request& q, const TileShape& shape,
                                        const ChunkedStrip& strip, uint8_t* tiles, int c) {
    const auto [row, rows] = rows_of(strip, c);
    uint8_t* there = place_of(shape, strip, tiles, c, row);
    const int32_t y = strip.top + strip.chunk * c + row - strip.first;
    const int warp = int(threadIdx.x) / 32;
    auto& place = tile[c % 2];
    if (warp == c % K::warps)
      place.arrive(place.template bring<K::aligned>(shape, q, there, strip.left, y, rows, row, 0,
                                                    1));
    if (K::aligned && y >= 0 && y + rows <= q.src.height)
      place.write_sides(shape, q, there, strip.left, y, rows, row, warp, K::warps);
    else
      place.template write_rest<K::aligned>(shape, q, there, strip.left, y, rows, row, warp,
                                            K::warps);
  }
  /// Waits for chunk `c`. All threads of the block call it.
  template <class Request>
  __device__ __forceinline__ void wait(const Request& q, const TileShape& shape,
                                       const ChunkedStrip& strip, uint8_t* tiles, int c) {
    auto& place = tile[c % 2];
    place.wait(c / 2 % 2);
    if (!K::aligned || !Tile::mirrors(shape, q, strip.left)) return;
    const auto [row, rows] = rows_of(strip, c);
    place.mirror_sides(shape, q, place_of(shape, strip, tiles, c, row), strip.left, rows, row);
    __syncthreads();
  }

 private:
  struct RowRange {
    int row, rows;
  };
  /// Rows of a chunk that are brought.
  __device__ static RowRange rows_of(const ChunkedStrip& strip, int c) {
    const int begin = strip.chunk * c, from = max(begin, strip.first);
    return {from - begin, max(min(begin + strip.chunk, strip.first + strip.count) - from, 0)};
  }
  __device__ static uint8_t* place_of(const TileShape& shape, const ChunkedStrip& strip,
                                      uint8_t* tiles, int c, int row) {
    return tiles + (c % 2 * strip.chunk + (K::dealt ? 0 : row)) * shape.pitch;
  }
};

}  // namespace cuesta::convolve_mma
