// Zero crossings of small windows, of u8 and u16: `tensor`'s sums (cuda/tensor_stencil.cuh), four
// columns or rows further than the results reach, then the rule.
//
// A block makes the sums of a tile of 512 columns and keeps them in shared memory as 16 bits, T
// more than the response cut to ±T: two responses are on either side of 0 and more than T apart
// exactly when they still are where both are cut. Then every thread marches down eight columns, a
// pair of pixels an instruction. Neighbours of a row's first and last pixels make eight columns on
// either side, and two rows, be summed twice.
//
// With T <= 16,383 and a, b such numbers: a − b + T, modulo 2^16, is above 2 T exactly when they
// cross, and the greater of two such is when either pair does.
#pragma once

#include "cuda/instructions.cuh"
#include "cuda/shifted_words.cuh"
#include "cuda/tensor_stencil.cuh"
#include "ops/log/window.hpp"

namespace cuesta::log_cuda {

struct CrossingTile {
  static constexpr int warps = 4, columns = 128 * warps, lane_columns = 8;
  /// Columns that a block has results of, but for the first, whose left eight are the picture's.
  static constexpr int own_columns = columns - 2 * lane_columns;
  static constexpr int rows_apart = 2 * columns + 32;  // bytes; four rows are in different banks

  /// Rows of sums for `rows` of results.
  static CUESTA_HOST_DEVICE constexpr int sum_rows(int rows) { return (rows + 2 + 3) / 4 * 4; }
};

template <class T>
struct CrossingRequest : cuda::tensor::StencilRequest<T, uint8_t> {
  uint32_t threshold;  // 1 to log::max_crossing_threshold
  int32_t radius;      // of the whole window where the border is `ignore`, else 0
};

/// Two responses cut to ±T, and T more.
__device__ __forceinline__ uint32_t cut_pair(int32_t a, int32_t b, uint32_t thresholds) {
  return __viaddmax_s16x2(__vmins2(cuda::saturate_s16(a, b), thresholds), thresholds, 0);
}

/// Puts T in place of responses that are 0 by definition: eight of row y from column x on.
template <class T>
__device__ __noinline__ uint4 without_voids(const CrossingRequest<T>& q, uint4 sums, int32_t x,
                                            int32_t y) {
  uint32_t words[4] = {sums.x, sums.y, sums.z, sums.w};
  const bool row = y < q.radius || y >= q.src.height - q.radius;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    if (!row && x + i >= q.radius && x + i < q.src.width - q.radius) continue;
    words[i / 2] = i % 2 ? (words[i / 2] & 0xFFFF) | q.threshold << 16
                         : (words[i / 2] & 0xFFFF0000) | q.threshold;
  }
  return make_uint4(words[0], words[1], words[2], words[3]);
}

/// The sums of a warp's 128 columns from x on and of `rows` rows from y on, to shared memory.
template <class K>
__device__ __forceinline__ void keep_sums(const CrossingRequest<typename K::Sample>& q,
                                          const uint8_t* tile, const uint8_t* shift,
                                          const cuda::tensor::Taps<K::reach> (&taps)[1], int32_t x,
                                          int32_t y, int rows, uint8_t* to) {
  const int lane = int(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
  const uint32_t thresholds = q.threshold * 0x10001;
  const bool rim = x < q.radius || x + 128 > q.src.width - q.radius || y < q.radius ||
                   y + rows > q.src.height - q.radius;
  x += 8 * g, y += t;
  to += t * CrossingTile::rows_apart + 16 * g;
  const auto keep = [&](const int32_t(&left)[2][4], const int32_t(&right)[2][4], bool) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int a = 2 * half, b = a + 1;
      uint4 v = make_uint4(cut_pair(left[0][a], left[0][b], thresholds),
                           cut_pair(left[1][a], left[1][b], thresholds),
                           cut_pair(right[0][a], right[0][b], thresholds),
                           cut_pair(right[1][a], right[1][b], thresholds));
      if (rim) v = without_voids(q, v, x + 64 * half, y);
      *reinterpret_cast<uint4*>(to + 128 * half) = v;
    }
    y += 4;
    to += 4 * CrossingTile::rows_apart;
  };
  cuda::tensor::make_sums<K>(tile, shift, taps, 0, rows, keep);
}

/// Eight columns a thread, down the rows.
class CrossingMarch {
 public:
  __device__ CrossingMarch(uint32_t threshold, const uint8_t* sums)
      : lifted_((threshold + 1) * 0x10001),
        zero_((2 * threshold + 1) * 0x10001),
        lift_((0x8000 - (2 * threshold + 1)) * 0x10001),
        at_(sums) {
    load();
#pragma unroll
    for (int i = 0; i < 4; ++i) above_[i] = here_[i] + lifted_;
    down();
  }
  /// The results of the next row.
  __device__ __forceinline__ cuda::tensor::Results<uint8_t> row() {
    uint32_t a[4], greatest[4], others[5], least = ~0u;
    others[4] = ~after_;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      a[i] = here_[i] + lifted_, others[i] = below_[i];
      least = __vminu2(least, a[i] ^ zero_);
    }
    const uint8_t* row = at_;
    down();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const uint32_t right = __byte_perm(others[i], others[i + 1], 0x5432);
      greatest[i] = __viaddmax_u16x2(a[i], below_[i], __viaddmax_u16x2(a[i], right, 0));
    }
    // A pixel whose response is 0 crosses none; its neighbours may cross each other.
    if ((least - 0x10001) & ~least & 0x80008000) {
      uint32_t before = uint32_t(*reinterpret_cast<const uint16_t*>(row - 2)) + lifted_ << 16;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const uint32_t left = __byte_perm(before, a[i], 0x5432);
        const uint32_t right = __byte_perm(others[i], others[i + 1], 0x5432);
        const uint32_t around =
            __viaddmax_u16x2(above_[i], below_[i], __viaddmax_u16x2(left, right, 0));
        greatest[i] = __vmaxu2(greatest[i], around & __vcmpeq2(a[i], zero_));
        before = a[i];
      }
    }
    uint32_t sign[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      sign[i] = __vminu2(greatest[i], zero_) + lift_;
      above_[i] = a[i];
    }
    cuda::tensor::Results<uint8_t> out;
#pragma unroll
    for (int i = 0; i < 2; ++i)  // the signs of the halves
      out.word[i] = cuda::permute_bytes<0xFDB9>(sign[2 * i], sign[2 * i + 1]);
    return out;
  }

 private:
  __device__ __forceinline__ void load() {
    const uint4 v = *reinterpret_cast<const uint4*>(at_);
    here_[0] = v.x, here_[1] = v.y, here_[2] = v.z, here_[3] = v.w;
  }
  __device__ __forceinline__ void down() {
    at_ += CrossingTile::rows_apart;
    load();
    after_ = *reinterpret_cast<const uint16_t*>(at_ + 16);
#pragma unroll
    for (int i = 0; i < 4; ++i) below_[i] = ~here_[i];
  }

  uint32_t lifted_, zero_, lift_;
  const uint8_t* at_;  // of the row in here_
  uint32_t here_[4], after_;
  uint32_t below_[4];  // its complement
  uint32_t above_[4];  // the row before, T + 1 more
};

template <class K, int Blocks>
__global__ void __launch_bounds__(32 * CrossingTile::warps, Blocks)
    log_crossings(const __grid_constant__ CrossingRequest<typename K::Sample> q, int rows,
                  const __grid_constant__ cuda::tensor::Bands<K::reach, 1> bands) {
  using Band = cuda::tensor::Band<K::reach>;
  using C = CrossingTile;
  CUESTA_DYNAMIC_SHARED(__align__(128) uint8_t, tile);
  __shared__ typename K::Tile in;
  constexpr int count = Band::down * Band::across, threads = 32 * C::warps;
  __shared__ uint32_t taps_there[count];
  const int32_t left = int32_t(blockIdx.x) * C::own_columns;
  const int64_t y0 = int64_t(cuda::block_row()) * rows;
  if (y0 >= q.src.height) return;
  const auto top = int32_t(y0), here = min(rows, q.src.height - top);
  const int sum_rows = C::sum_rows(here), lane = int(threadIdx.x) % 32;
  uint8_t* sums = tile + (C::sum_rows(rows) + 4 * (K::groups - 1)) * K::Tile::pitch;
  const uint32_t* words = cuda::opaque(bands.plane[0].words);
  for (int i = int(threadIdx.x); i < count; i += threads) taps_there[i] = words[i];
  // What is left of a picture's first column crosses nothing.
  if (int(threadIdx.x) < sum_rows)
    reinterpret_cast<uint16_t*>(sums + (int(threadIdx.x) + 1) * C::rows_apart)[-1] =
        uint16_t(q.threshold);
  in.init();
  in.template fetch<K::aligned>(q, tile, left, top - 1 - K::reach, sum_rows + 4 * (K::groups - 1));
  __syncthreads();
  cuda::tensor::Taps<K::reach> taps[1];
  taps[0].load(taps_there);
  in.wait(0);
  const int warp = int(threadIdx.x) / 32;
  if (left + 128 * warp < q.src.width + 8)
    keep_sums<K>(q, tile, in.shift, taps, left + 128 * warp, top - 1, sum_rows, sums + 256 * warp);
  __syncthreads();
  // Half of the threads for the upper rows, half for the lower ones.
  constexpr int across = C::columns / C::lane_columns;
  const int group = int(threadIdx.x) % across, half = int(threadIdx.x) / across;
  const int32_t x = left + C::lane_columns * group;
  const int first = half == 0 ? 0 : (here + 1) / 2, end = half == 0 ? (here + 1) / 2 : here;
  const int32_t room = q.src.width - x;
  const bool own = (group > 0 || left == 0) && group < across - 1 && room > 0;
  const bool leads = lane == 0 || x == 0 || (group == 1 && left > 0);
  const bool ends = lane == 31 || group == across - 2 || room < 2 * C::lane_columns;
  // A lane alone in its row's warp writes sample by sample.
  const bool whole = own && room >= C::lane_columns && (K::aligned || !(leads && ends));
  CrossingMarch march(q.threshold, sums + first * C::rows_apart + 16 * group);
  uint8_t* to = q.dst.row(top + min(first, here - 1)) + x;
#pragma unroll 2
  for (int y = first; y < end; ++y) {
    const cuda::tensor::Results<uint8_t> out = march.row();
    const uint32_t before = K::aligned ? 0 : __shfl_up_sync(0xFFFFFFFF, out.word[1], 1);
    if (whole && K::aligned)
      out.store(to);
    else if (whole)
      cuda::store_shifted(to, out.word, before, leads, ends);
    else if (own)
      out.store(to, 0, min(room, C::lane_columns));
    to += q.dst.stride_bytes;
  }
}

template <class K, int Blocks>
void launch_crossings(const CrossingRequest<typename K::Sample>& q,
                      const cuda::tensor::Bands<K::reach, 1>& bands, int rows,
                      cudaStream_t stream) {
  using C = CrossingTile;
  const int32_t across = std::max(q.src.width - C::lane_columns, 1);
  const dim3 grid =
      cuda::grid_of(cuda::blocks(across, C::own_columns), cuda::blocks(q.src.height, rows));
  const size_t shared = size_t(C::sum_rows(rows) + 4 * (K::groups - 1)) * K::Tile::pitch +
                        size_t(C::sum_rows(rows)) * C::rows_apart;
  const auto kernel = log_crossings<K, Blocks>;
  cuda::check(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared)),
      "log");
  cuda::launch("log", kernel, grid, dim3(32 * C::warps), shared, stream, q, rows, bands);
}

}  // namespace cuesta::log_cuda
