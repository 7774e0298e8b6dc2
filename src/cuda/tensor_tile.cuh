// Tiles of u8 and u16 pictures in shared memory, for kernels that multiply matrices of bytes.
//
// A tile's rows come by the bulk copy engine where the GPU has one, a copy a row: whole pieces of
// 16 bytes whatever the row's address, so a row is `shift` bytes into its place. A row above or
// below the picture is another row's address; samples left and right of it are written one by one,
// by the few blocks that have any.
#pragma once

#include <cuda/ptx>

#include "cuda/launch.cuh"
#include "cuda/tensor_band.hpp"
#include "cuesta/border.hpp"
#include "cuesta/image.hpp"

namespace cuesta::cuda::tensor {

namespace ptx = ::cuda::ptx;

/// map_index out of line, for the few columns and rows outside a picture.
static __device__ __noinline__ int32_t outside_index(BorderMode mode, int32_t i, int32_t n) {
  return map_index(mode, i, n);
}

/// Pictures and border, by value. The kernel takes `ignore` for `constant`.
template <class T, class Out>
struct StencilRequest {
  ImageView<const T, Space::device> src;
  ImageView<Out, Space::device> dst;
  BorderMode mode;
  T outside;

  /// The column or row that stands for one; −1: none.
  __device__ int32_t place(int32_t x) const { return inside(x, src.width); }
  __device__ int32_t place_row(int32_t y) const { return inside(y, src.height); }

 private:
  __device__ int32_t inside(int32_t i, int32_t n) const {
    return uint32_t(i) < uint32_t(n) ? i : outside_index(mode, i, n);
  }
};

/// Rows of samples T in shared memory, for a block of `Warps` warps.
template <class T, int Warps>
struct RowTile {
  static constexpr int size = sizeof(T);
  static constexpr int max_rows = 160;

  /// Where rows of a picture of `width` bytes go, of a tile from byte `from` of them on.
  template <bool Aligned>
  struct Rows {
    const TileShape& shape;
    uint8_t* tile;
    int32_t from, width;

    __device__ Pieces pieces(const T* row) const {
      return pieces_of(Aligned ? 0 : uint32_t(reinterpret_cast<uintptr_t>(row)), from, width,
                       shape.columns, shape.margin);
    }
    /// Where byte 0 of row r would be.
    __device__ uint8_t* place(int r, const Pieces& p) const {
      return tile + r * shape.pitch + int(p.shift) - (from - shape.margin);
    }
  };

  uint64_t arrived;         // an mbarrier
  uint8_t shift[max_rows];  // where in its place a row's byte left − margin is

  /// `arrivals`: warps that bring rows at a time.
  __device__ void init(uint32_t arrivals = Warps) {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) {
      ptx::mbarrier_init(&arrived, arrivals);
      ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
#endif
    __syncthreads();
  }

  /// Begins to bring rows top .. top + rows − 1 of q.src, from sample `left` on, to `tile`, their
  /// shifts to shift[first_row] and on. q.place() and q.place_row() map columns and rows (−1: none,
  /// then q.outside). All threads of the block call it, then synchronise, then wait(). A bulk copy
  /// is issued lane by lane, so the warps share the rows. Aligned: rows begin at multiples of 16
  /// bytes.
  template <bool Aligned, class Request>
  __device__ __forceinline__ void fetch_rows(const TileShape& shape, const Request& q,
                                             uint8_t* tile, int32_t left, int32_t top, int rows,
                                             int first_row) {
    const int warp = int(threadIdx.x) / 32;
    arrive(bring<Aligned>(shape, q, tile, left, top, rows, first_row, warp, Warps));
    write_rest<Aligned>(shape, q, tile, left, top, rows, warp, Warps);
  }

  /// Begins to bring every `step`-th row from `first` on, what whole pieces hold of it, and returns
  /// the bytes of a lane's; a warp calls it, and then arrive().
  template <bool Aligned, class Request>
  __device__ __forceinline__ int bring(const TileShape& shape, const Request& q, uint8_t* tile,
                                       int32_t left, int32_t top, int rows, int first_row,
                                       int first, int step) {
    const int lane = int(threadIdx.x) % 32;
    const Rows<Aligned> in{shape, tile, left * size, q.src.width * size};
    int copied = 0;
#if __CUDA_ARCH__ >= 900
#pragma unroll 1
    for (int r = first + step * lane; r < rows; r += 32 * step) {
      const int32_t y = q.place_row(top + r);
      const T* row = q.src.row(max(y, 0));
      const Pieces p = in.pieces(row);
      if (!Aligned) shift[first_row + r] = uint8_t(p.shift);
      if (y < 0 || p.from == p.to) continue;
      copied += p.to - p.from;
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, in.place(r, p) + p.from,
                         reinterpret_cast<const uint8_t*>(row) + p.from, uint32_t(p.to - p.from),
                         &arrived);
    }
#else
    for (int r = first; r < rows; r += step) {
      const int32_t y = q.place_row(top + r);
      const T* row = q.src.row(max(y, 0));
      const Pieces p = in.pieces(row);
      if (!Aligned && lane == 0) shift[first_row + r] = uint8_t(p.shift);
      if (y < 0) continue;
      const auto* bytes = reinterpret_cast<const uint8_t*>(row);
      for (int32_t x = p.from + 16 * lane; x < p.to; x += 16 * 32)
        *reinterpret_cast<uint4*>(in.place(r, p) + x) =
            __ldg(reinterpret_cast<const uint4*>(bytes + x));
    }
#endif
    return copied;
  }
  /// Of a warp that has begun to bring `bytes`, a number for each lane.
  __device__ __forceinline__ void arrive(int bytes) {
#if __CUDA_ARCH__ >= 900
    bytes = __reduce_add_sync(0xFFFFFFFF, bytes);
    if (threadIdx.x % 32 == 0)
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived,
                                     uint32_t(bytes));
#endif
  }

  /// What no whole piece holds of every `step`-th row from `begin` on: at and beyond the picture's
  /// sides, and rows that none stands for. A warp calls it.
  template <bool Aligned, class Request>
  __device__ __forceinline__ void write_rest(const TileShape& shape, const Request& q,
                                             uint8_t* tile, int32_t left, int32_t top, int rows,
                                             int begin, int step) {
    const int lane = int(threadIdx.x) % 32;
    const int32_t width = q.src.width * size, from = left * size, margin = shape.margin;
    const bool no_rows = q.mode == BorderMode::constant || q.mode == BorderMode::ignore;
    if (!has_sides(shape, from, width) && !(no_rows && (top < 0 || top + rows > q.src.height)))
      return;
    const Rows<Aligned> in{shape, tile, from, width};
    const int32_t stop = stop_of(from, width, shape.columns, margin);
    for (int pass = 0; pass < rest_passes(margin, size); ++pass) {
      const int32_t own = (32 * pass + lane) * size;
      const int32_t first = from - margin + own, last = stop - own - size;
      const int32_t first_from = q.place(first / size), last_from = q.place(last / size);
      for (int r = begin; r < rows; r += step) {
        const int32_t y = q.place_row(top + r);
        const T* row = q.src.row(max(y, 0));
        const Pieces p = in.pieces(row);
        uint8_t* at = in.place(r, p);
        const auto write = [&](int32_t x, T value) { *reinterpret_cast<T*>(at + x) = value; };
        if (y < 0) {
          if (pass == 0)
            for (int32_t x = first; x < stop; x += 32 * size) write(x, q.outside);
          continue;
        }
        const Rest rest = rest_of(p, from, stop, margin, size);
        if (first < rest.before) write(first, first_from < 0 ? q.outside : __ldg(row + first_from));
        if (last >= rest.after) write(last, last_from < 0 ? q.outside : __ldg(row + last_from));
      }
    }
  }

  /// The same of rows that begin at multiples of 16 bytes and are all inside the picture: a load
  /// and a store a row, several in flight.
  template <class Request>
  __device__ __forceinline__ void write_sides(const TileShape& shape, const Request& q,
                                              uint8_t* tile, int32_t left, int32_t top, int rows,
                                              int begin, int step) {
    const int32_t width = q.src.width * size, from = left * size, margin = shape.margin;
    if (!has_sides(shape, from, width)) return;
    const Rows<true> in{shape, tile, from, width};
    const int32_t stop = stop_of(from, width, shape.columns, margin);
    const Pieces p = in.pieces(nullptr);
    const Rest rest = rest_of(p, from, stop, margin, size);
    const auto write = [&](int32_t x) {
      const int32_t place = q.place(x / size);
      const auto* row = reinterpret_cast<const uint8_t*>(q.src.row(top + begin) + max(place, 0));
      uint8_t* at = in.place(begin, p) + x;
#pragma unroll 8
      for (int r = begin; r < rows;
           r += step, row += step * q.src.stride_bytes, at += step * shape.pitch)
        *reinterpret_cast<T*>(at) = place < 0 ? q.outside : __ldg(reinterpret_cast<const T*>(row));
    };
    for (int pass = 0; pass < rest_passes(margin, size); ++pass) {
      const int32_t own = (32 * pass + int(threadIdx.x) % 32) * size;
      const int32_t first = from - margin + own, last = stop - own - size;
      if (first < rest.before) write(first);
      if (last >= rest.after) write(last);
    }
  }

  /// Whether a tile from byte `from` on has bytes that no whole piece holds, but for its rows.
  __device__ static bool has_sides(const TileShape& shape, int32_t from, int32_t width) {
    return from < shape.margin + 16 || width - from < shape.columns + shape.margin + 15;
  }

  /// For the copies of the fetch of this number: 0, 1, 2, ..., modulo 2.
  __device__ void wait(int parity) {
#if __CUDA_ARCH__ >= 900
    while (!ptx::mbarrier_try_wait_parity(&arrived, uint32_t(parity))) {
    }
#endif
  }
};

/// Rows of `Columns` samples and `Margin` more on either side, for a block of `Warps` warps. Rows
/// are `pitch` bytes apart, an odd multiple of `Odd` bytes, so that as many rows as that leaves of
/// 128 bytes are in different banks.
template <class T, int Columns, int Margin, int Odd, int Warps>
struct Tile : RowTile<T, Warps> {
  static constexpr TileShape shape =
      tile_shape(Columns * int(sizeof(T)), Margin* int(sizeof(T)), Odd);
  static constexpr int columns = shape.columns, margin = shape.margin;  // in bytes
  static constexpr int pitch = shape.pitch;

  /// As fetch_rows().
  template <bool Aligned, class Request>
  __device__ void fetch(const Request& q, uint8_t* tile, int32_t left, int32_t top, int rows,
                        int first_row = 0) {
    constexpr TileShape own{columns, margin, pitch};
    RowTile<T, Warps>::template fetch_rows<Aligned>(own, q, tile, left, top, rows, first_row);
  }
};

}  // namespace cuesta::cuda::tensor
