// Strategy `mma-march`: rows of samples that come, and rows of results that leave, without a barrier
// of the block. From compute capability 9.0.
#pragma once

#include "cuda/any_alignment.cuh"
#include "cuda/tensor_tile.cuh"
#include "ops/convolve/cuda/march_plan.hpp"

namespace cuesta::convolve_mma {

using cuda::tensor::TileShape;
namespace ptx = ::cuda::ptx;

inline constexpr int ring_rows = 16;  // of a stage

/// Where row 4a + 2j + b of 16 stands where rows are dealt: at 8j + 2a + b, so that lanes 2t and
/// 2t + 1 of eight that read neighbouring places twice have rows 4t to 4t + 3 together.
__device__ __forceinline__ int dealt(int row) {
  return (row & ~14) | (row & 2) << 2 | (row & 12) >> 1;
}
/// Which row stands at a place.
__device__ __forceinline__ int row_dealt_to(int place) {
  return (place & ~14) | (place & 8) >> 2 | (place & 6) << 1;
}

/// An mbarrier at which warps arrive.
struct WarpBarrier {
  uint64_t bits;

  __device__ void init(int warps) { ptx::mbarrier_init(&bits, uint32_t(warps)); }
  /// By one lane of a warp.
  __device__ __forceinline__ void arrive() {
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bits);
  }
  __device__ __forceinline__ void wait(uint32_t parity) {
    while (!ptx::mbarrier_try_wait_parity(&bits, parity)) {
    }
  }
};

/// The rows of a strip, 16 a stage, in a ring of stages. The warps take turns at bringing a stage,
/// half a ring ahead; each releases it once it has multiplied its rows. Where no copy brings some of
/// its samples, each warp writes those of two rows, a step ahead.
///
/// Step k uses stage k % stages, in round k / stages, whose last bit is `parity`.
template <class K>
struct MarchRing {
  static constexpr int stages = K::stages, ahead = stages / 2;
  static_assert(ahead <= K::warps && ring_rows % K::warps == 0);
  WarpBarrier full[stages], empty[stages], complete[stages];
  uint8_t shift[stages][ring_rows];  // where in its place a row's byte left − margin is

  /// By one thread.
  __device__ void init() {
    for (int i = 0; i < stages; ++i) {
      full[i].init(1);
      empty[i].init(K::warps);
      complete[i].init(K::warps);
    }
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
};

/// A warp's part in the ring. Completes: wants_completion().
template <class K, bool Completes>
struct MarchFeed {
  using Ring = MarchRing<K>;
  using Request = typename K::Request;
  static constexpr int stages = Ring::stages, ahead = Ring::ahead;
  static constexpr TileShape shape =
      cuda::tensor::tile_shape(K::columns, reach_of_products(K::across), 16);
  static constexpr int row_bytes = shape.pitch, stage_bytes = ring_rows * row_bytes;
  static constexpr int own_rows = ring_rows / K::warps;  // that the warp completes

  const Request& q;
  Ring& ring;
  uint8_t* shared;
  int32_t left, top;  // of the strip's first row of samples
  int steps;

  /// Whether no copy brings some of the strip's samples: those at and beyond the picture's sides,
  /// and rows that none stands for.
  __device__ __forceinline__ bool wants_completion() const {
    constexpr TileShape own = shape;
    const bool no_rows = q.mode == BorderMode::constant || q.mode == BorderMode::ignore;
    return cuda::tensor::RowTile<uint8_t, 1>::has_sides(own, left, q.src.width) ||
           (no_rows && (top < 0 || top + ring_rows * steps > q.src.height));
  }
  __device__ __forceinline__ void begin() {
    const int warp = int(threadIdx.x) / 32;
    if (warp < ahead) bring(warp, warp, 0, true);
    if constexpr (Completes) complete(0, 0, 0);
  }
  __device__ __forceinline__ uint8_t* place(int stage) const {
    return shared + stage * stage_bytes;
  }
  /// Row r of step k in the picture; −1: none.
  __device__ __forceinline__ int32_t row_of(int k, int r) const {
    return q.place_row(top + ring_rows * k + r);
  }
  __device__ __forceinline__ const uint8_t* picture_row(int32_t y) const {
    return reinterpret_cast<const uint8_t*>(q.src.row(max(y, 0)));
  }
  __device__ __forceinline__ cuda::tensor::Pieces pieces(const uint8_t* row) const {
    return cuda::tensor::pieces_of(K::aligned ? 0u : uint32_t(reinterpret_cast<uintptr_t>(row)),
                                   left, q.src.width, shape.columns, shape.margin);
  }
  /// Where byte 0 of row r of a stage would be.
  __device__ __forceinline__ uint8_t* byte_0(int stage, int r,
                                             const cuda::tensor::Pieces& p) const {
    return place(stage) + dealt(r) * row_bytes + int(p.shift) -
           (left - shape.margin);
  }
  /// Begins to bring the rows of step k; `parity` of the round in which its stage was used last,
  /// unless it is the first.
  __device__ __forceinline__ void bring(int k, int stage, uint32_t parity, bool first) {
    if (k >= steps) return;
    if (!first) ring.empty[stage].wait(parity);
    const int lane = int(threadIdx.x) % 32;
    auto* const arrived = &ring.full[stage].bits;
    int bytes = 0;
    if (lane < ring_rows) {
      const int32_t y = row_of(k, lane);
      const uint8_t* row = picture_row(y);
      const auto p = pieces(row);
      if (!K::aligned) ring.shift[stage][lane] = uint8_t(p.shift);
      if (y >= 0) bytes = p.to - p.from;
      if (bytes > 0)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, byte_0(stage, lane, p) + p.from,
                           row + p.from, uint32_t(bytes), arrived);
    }
    bytes = __reduce_add_sync(0xFFFFFFFF, bytes);
    __syncwarp();
    if (lane == 0)
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, arrived,
                                     uint32_t(bytes));
  }
  /// Writes what no copy brings of the warp's rows of step k, once the rest has come; `parity` of
  /// the round. Samples beyond the sides are taken from the tile where it has those that they stand
  /// for.
  __device__ __noinline__ void complete(int k, int stage, uint32_t parity) const {
    if (k >= steps) return;
    const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
    const int32_t stop = cuda::tensor::stop_of(left, q.src.width, shape.columns, shape.margin);
    ring.full[stage].wait(parity);
    for (int i = 0; i < own_rows; ++i) {
      const int r = own_rows * warp + i;
      const int32_t y = row_of(k, r);
      if (y < 0) {
        auto* words =
            reinterpret_cast<uint32_t*>(place(stage) + dealt(r) * row_bytes);
        for (int n = lane; n < row_bytes / 4; n += 32) words[n] = q.outside * 0x01010101u;
        continue;
      }
      const uint8_t* row = picture_row(y);
      const auto p = pieces(row);
      const auto rest = cuda::tensor::rest_of(p, left, stop, shape.margin, 1);
      uint8_t* const at = byte_0(stage, r, p);
      const auto write = [&](int32_t x) {
        const int32_t from = q.place(x);
        at[x] = from < 0                        ? q.outside
                : from >= p.from && from < p.to ? at[from]
                                                : __ldg(row + from);
      };
#pragma unroll 1
      for (int n = lane; n < cuda::tensor::rest_passes(shape.margin, 1) * 32; n += 32) {
        const int32_t first = left - shape.margin + n, last = stop - n - 1;
        if (first < rest.before) write(first);
        if (last >= rest.after) write(last);
      }
    }
    __syncwarp();
    if (lane == 0) ring.complete[stage].arrive();
  }
  /// Brings a later step's rows if it is the warp's turn, and waits for those of step k = stages ·
  /// round + Turn. `parity`: of the round.
  template <int Turn>
  __device__ __forceinline__ void step(int k, uint32_t parity) {
    constexpr int later = Turn + ahead, next = Turn + 1;
    if (int(threadIdx.x) / 32 == Turn % K::warps)
      bring(k + ahead, later % stages, later < stages ? parity ^ 1 : parity,
            later < stages && k < stages);
    if constexpr (Completes) {
      complete(k + 1, next % stages, next < stages ? parity : parity ^ 1);
      ring.complete[Turn].wait(parity);
    } else {
      ring.full[Turn].wait(parity);
    }
  }
  /// The warp has used the rows of a step. `used`: a sum of all of them, never INT_MIN, so that the
  /// arrival cannot come before they are in registers: the machine code of nvcc 13.0 lets an
  /// arrival wait for no load.
  template <int Turn>
  __device__ __forceinline__ void release(int32_t used) {
    __syncwarp();
    if (threadIdx.x % 32 == 0 && used != INT32_MIN) ring.empty[Turn].arrive();
  }
};

/// Rows of results of a block, 16 a slot, on their way to the picture. They leave `slack` steps
/// after they were made, when all warps have made theirs.
template <class K>
struct MarchResults {
  static constexpr int slack = 2, slots = 2 * slack;
  static constexpr int pitch = K::columns + 16, slot_bytes = ring_rows * pitch;
  static constexpr int lanes = K::columns / 16, abreast = 32 / lanes;  // of a row; rows of a warp
  static constexpr int takers = ring_rows / abreast;                   // warps that empty a slot
  static_assert(K::warps % takers == 0);

  const ImageView<uint8_t, Space::device>& to;
  WarpBarrier* made;  // of each slot
  uint8_t* memory;
  int32_t left, top, rows;  // of the strip
  int count = 0, gone = 0;  // slots made, and left

  /// Waits until the next slot's rows have left; returns where they are.
  __device__ __forceinline__ uint8_t* next() {
    if (count >= slack) leave();
    return memory + count % slots * slot_bytes;
  }
  /// The warp has written its part of that slot.
  __device__ __forceinline__ void finish() {
    __syncwarp();
    if (threadIdx.x % 32 == 0) made[count % slots].arrive();
    ++count;
  }
  __device__ __forceinline__ void leave_all() {
    while (gone < count) leave();
  }

 private:
  __device__ __forceinline__ void leave() {
    made[gone % slots].wait(gone / slots & 1);
    const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
    if (warp / takers == gone % (K::warps / takers)) {
      const int place = warp % takers * abreast + lane / lanes;
      const int32_t y = ring_rows * gone + row_dealt_to(place);
      const int32_t x = left + lane % lanes * 16, room = to.width - x;
      const uint4 v = *reinterpret_cast<const uint4*>(memory + gone % slots * slot_bytes +
                                                      place * pitch + lane % lanes * 16);
      const bool active = y < rows;
      uint8_t* there = to.row(top + (active ? y : 0)) + x;
      const uint32_t own[4] = {v.x, v.y, v.z, v.w};
      if (to.width - left >= K::columns) {
        if constexpr (K::aligned) {
          if (active) *reinterpret_cast<uint4*>(there) = v;
        } else {
          cuda::store_run(there, own, lane % lanes == 0, lane % lanes == lanes - 1, active);
        }
      } else if (active) {
#pragma unroll
        for (int i = 0; i < 16; ++i)
          if (i < room) there[i] = uint8_t(own[i / 4] >> i % 4 * 8);
      }
    }
    ++gone;
  }
};

}  // namespace cuesta::convolve_mma
