// Strategy `mma-march`: rows of samples that come, and rows of results that leave, without a barrier
// of the block. From compute capability 9.0.
#pragma once

#include "cuda/any_alignment.cuh"
#include "cuda/tensor_tile.cuh"

namespace cuesta::convolve_mma {

using cuda::tensor::RowTile;
using cuda::tensor::TileShape;
namespace ptx = ::cuda::ptx;

inline constexpr int ring_rows = 16;  // of a stage

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
/// half a ring ahead; each releases it once it has multiplied its rows. Where a stage has samples
/// that no copy brings (at and beyond the picture's sides), a warp writes them two steps ahead.
///
/// Step k uses stage k % stages, in round k / stages, whose last bit is `parity`.
template <class K>
struct MarchRing {
  static constexpr int stages = K::stages, ahead = stages / 2, complete_ahead = 2;
  static_assert(ahead <= K::warps && complete_ahead < ahead + 1);
  RowTile<uint8_t, K::warps, true> tile[stages];  // their barriers: rows have come
  WarpBarrier empty[stages], complete[stages];

  __device__ void init() {
    if (threadIdx.x == 0) {
      for (int i = 0; i < stages; ++i) {
        ptx::mbarrier_init(&tile[i].arrived, 1);
        empty[i].init(K::warps);
        complete[i].init(1);
      }
      ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
  }
};

/// Whether no copy brings some of a strip's samples: those at and beyond the picture's sides, and
/// rows that none stands for.
template <class Request>
__device__ __forceinline__ bool wants_completion(const Request& q, const TileShape& shape,
                                                 int32_t left, int32_t top, int rows) {
  const bool no_rows = q.mode == BorderMode::constant || q.mode == BorderMode::ignore;
  return RowTile<uint8_t, 1>::has_sides(shape, left, q.src.width) ||
         (no_rows && (top < 0 || top + rows > q.src.height));
}

/// A warp's part in the ring. Completes: wants_completion().
template <class K, bool Completes>
struct MarchFeed {
  using Ring = MarchRing<K>;
  using Request = typename K::Request;
  static constexpr int stages = Ring::stages, ahead = Ring::ahead;

  const Request& q;
  const TileShape& shape;
  Ring& ring;
  uint8_t* shared;
  int32_t left, top;  // of the strip's first row of samples
  int steps;

  __device__ __forceinline__ void begin() const {
    const int warp = int(threadIdx.x) / 32;
    if (warp < ahead) bring(warp, warp, 0, true);
    if (Completes && warp < Ring::complete_ahead) complete(warp, warp, 0);
  }
  __device__ __forceinline__ uint8_t* place(int stage) const {
    return shared + stage * ring_rows * shape.pitch;
  }
  /// Begins to bring the rows of step k; `parity` of the round in which its stage was used last,
  /// unless it is the first.
  __device__ __forceinline__ void bring(int k, int stage, uint32_t parity, bool first) const {
    if (k >= steps) return;
    if (!first) ring.empty[stage].wait(parity);
    auto& tile = ring.tile[stage];
    const int lane = int(threadIdx.x) % 32;
    const int32_t y = top + ring_rows * k + lane;
    int bytes = 0;
    if (lane < ring_rows) {
      const int32_t from = q.place_row(y);
      const auto* row = reinterpret_cast<const uint8_t*>(q.src.row(max(from, 0)));
      const auto p = cuda::tensor::pieces_of(
          K::aligned ? 0u : uint32_t(reinterpret_cast<uintptr_t>(row)), left, q.src.width,
          shape.columns, shape.margin);
      if (!K::aligned) tile.shift[lane] = uint8_t(p.shift);
      if (from >= 0) bytes = p.to - p.from;
      if (bytes > 0)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global,
                           place(stage) + cuda::tensor::dealt(lane) * shape.pitch + int(p.shift) -
                               (left - shape.margin) + p.from,
                           row + p.from, uint32_t(bytes), &tile.arrived);
    }
    tile.arrive(bytes);
  }
  /// Writes what no copy brings of the rows of step k.
  __device__ __noinline__ void complete(int k, int stage, uint32_t parity) const {
    if (k >= steps) return;
    auto& tile = ring.tile[stage];
    tile.wait(int(parity));
    const int32_t y = top + ring_rows * k;
    if (K::aligned && y >= 0 && y + ring_rows <= q.src.height)
      tile.write_sides(shape, q, place(stage), left, y, ring_rows, 0, 1);
    else
      tile.template write_rest<K::aligned>(shape, q, place(stage), left, y, ring_rows, 0, 1);
    __syncwarp();
    if (threadIdx.x % 32 == 0) ring.complete[stage].arrive();
  }
  /// Brings a later step's rows if it is the warp's turn, and waits for those of step k = stages ·
  /// round + Turn. `parity`: of the round.
  template <int Turn>
  __device__ __forceinline__ void step(int k, uint32_t parity) const {
    constexpr int later = Turn + ahead, soon = Turn + Ring::complete_ahead;
    const int warp = int(threadIdx.x) / 32;
    if (warp == Turn % K::warps)
      bring(k + ahead, later % stages, later < stages ? parity ^ 1 : parity,
            later < stages && k < stages);
    if constexpr (Completes) {
      if (warp == (Turn + K::warps / 2) % K::warps)
        complete(k + Ring::complete_ahead, soon % stages, soon < stages ? parity : parity ^ 1);
      ring.complete[Turn].wait(parity);
    } else {
      ring.tile[Turn].wait(int(parity));
    }
  }
  /// The warp has used the rows of a step. `used`: a sum of all of them, never INT_MIN, so that the
  /// arrival cannot come before they are in registers: the machine code of nvcc 13.0 lets an
  /// arrival wait for no load.
  template <int Turn>
  __device__ __forceinline__ void release(int32_t used) const {
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
      const int32_t y = ring_rows * gone + cuda::tensor::row_dealt_to(place);
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
