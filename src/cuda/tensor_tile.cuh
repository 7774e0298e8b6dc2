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

/// Rows of `Columns` samples and `Margin` more on either side, for a block of `Warps` warps. Rows
/// are `pitch` bytes apart, an odd multiple of `Odd` bytes, so that as many rows as that leaves of
/// 128 bytes are in different banks.
template <class T, int Columns, int Margin, int Odd, int Warps>
struct Tile {
  static constexpr int size = sizeof(T);
  static constexpr int columns = Columns * size, margin = Margin * size;  // in bytes
  static constexpr int pitch =
      Odd * (((columns + 2 * margin + 15 + 15) / 16 * 16 + Odd - 1) / Odd | 1);
  static constexpr int max_rows = 160;

  uint64_t arrived;         // an mbarrier
  uint8_t shift[max_rows];  // where in its place a row's byte left − margin is

  __device__ void init() {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) {
      ptx::mbarrier_init(&arrived, Warps);
      ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
#endif
    __syncthreads();
  }

  /// Begins to bring rows top .. top + rows − 1 of q.src, from sample `left` on, to `tile`, their
  /// shifts to shift[first] and on. q.place() and q.place_row() map columns and rows (−1: none,
  /// then q.outside). All threads of the block call it, then synchronise, then wait(). A bulk copy
  /// is issued lane by lane, so the warps share the rows. Aligned: rows begin at multiples of 16
  /// bytes.
  template <bool Aligned, class Request>
  __device__ void fetch(const Request& q, uint8_t* tile, int32_t left, int32_t top, int rows,
                        int first_row = 0) {
    const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    const int32_t width = q.src.width * size, height = q.src.height, from = left * size;
    const auto pieces = [&](const T* row) {
      return pieces_of(Aligned ? 0 : uint32_t(reinterpret_cast<uintptr_t>(row)), from, width,
                       columns, margin);
    };
    // Where byte 0 of row r would be.
    const auto place = [&](int r, const Pieces& p) {
      return tile + r * pitch + int(p.shift) - (from - margin);
    };
#if __CUDA_ARCH__ >= 900
    int bytes = 0;
#pragma unroll 1
    for (int r = warp + Warps * lane; r < rows; r += 32 * Warps) {
      const int32_t y = q.place_row(top + r);
      const T* row = q.src.row(max(y, 0));
      const Pieces p = pieces(row);
      if (!Aligned) shift[first_row + r] = uint8_t(p.shift);
      if (y < 0 || p.from == p.to) continue;
      bytes += p.to - p.from;
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, place(r, p) + p.from,
                         reinterpret_cast<const uint8_t*>(row) + p.from, uint32_t(p.to - p.from),
                         &arrived);
    }
    bytes = __reduce_add_sync(0xFFFFFFFF, bytes);
    if (lane == 0)
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived,
                                     uint32_t(bytes));
#else
    for (int r = warp; r < rows; r += Warps) {
      const int32_t y = q.place_row(top + r);
      const T* row = q.src.row(max(y, 0));
      const Pieces p = pieces(row);
      if (!Aligned && lane == 0) shift[first_row + r] = uint8_t(p.shift);
      if (y < 0) continue;
      const auto* bytes = reinterpret_cast<const uint8_t*>(row);
      for (int32_t x = p.from + 16 * lane; x < p.to; x += 16 * 32)
        *reinterpret_cast<uint4*>(place(r, p) + x) =
            __ldg(reinterpret_cast<const uint4*>(bytes + x));
    }
#endif
    // What no whole piece holds: at and beyond the picture's sides, and rows that none stands for.
    const bool sides = left == 0 || width - from < columns + margin + 15;
    const bool no_rows = q.mode == BorderMode::constant || q.mode == BorderMode::ignore;
    if (!sides && !(no_rows && (top < 0 || top + rows > height))) return;
    const int32_t stop = stop_of(from, width, columns, margin);
    const int32_t first = from - margin + lane * size, last = stop - (lane + 1) * size;
    const int32_t first_from = q.place(first / size), last_from = q.place(last / size);
    for (int r = warp; r < rows; r += Warps) {
      const int32_t y = q.place_row(top + r);
      const T* row = q.src.row(max(y, 0));
      const Pieces p = pieces(row);
      uint8_t* at = place(r, p);
      const auto write = [&](int32_t x, T value) { *reinterpret_cast<T*>(at + x) = value; };
      if (y < 0) {
        for (int32_t x = first; x < stop; x += 32 * size) write(x, q.outside);
        continue;
      }
      const Rest rest = rest_of(p, from, stop, margin, size);
      if (first < rest.before) write(first, first_from < 0 ? q.outside : __ldg(row + first_from));
      if (last >= rest.after) write(last, last_from < 0 ? q.outside : __ldg(row + last_from));
    }
  }

  /// For the copies of the fetch of this number: 0, 1, 2, ..., modulo 2.
  __device__ void wait(int parity) {
#if __CUDA_ARCH__ >= 900
    while (!ptx::mbarrier_try_wait_parity(&arrived, uint32_t(parity))) {
    }
#endif
  }
};

}  // namespace cuesta::cuda::tensor
