// The gradient and suppression of canny for aperture 3, without a mask: source to two masks, one
// bit a pixel, or the histogram of magnitudes of u8. Smoothing comes before. A warp marches 30
// lanes' columns down, with an apron of a lane on either side; rows are read three ahead. What a
// lane does with its pixels is its type's: half_lane.cuh for u8, color_lane.cuh for its three
// channels, wide_lane.cuh for u16. blockIdx.z is the picture.
//
// From device memory: the source read and 1/4 byte written a pixel, and what strips and their
// aprons read twice, mostly from the caches. What binds: issue.
#pragma once

#include <type_traits>

#include "cuda/overlap.cuh"
#include "cuda/sums.cuh"
#include "ops/canny/cuda/color_lane.cuh"
#include "ops/canny/cuda/half_lane.cuh"
#include "ops/canny/cuda/masks.cuh"
#include "ops/canny/cuda/nms_march.hpp"

namespace cuesta::canny_half {

using canny_nms::Job;

// ---- reading

/// How a warp meets the picture: all that it reads is inside it, in whole words of a lane; inside
/// it, anyhow; or partly outside.
enum class Meets { aligned, inside, edge };

/// W words in flight from memory; the lane's first sample is `back` bytes into them.
template <int W>
struct Ahead {
  uint32_t words[W], back;
};

/// How a lane that may be outside the picture reads rows: before them is the first sample, behind
/// them the last. Its words are of rows that begin at a word's first byte; others are `back` bytes
/// further. A word that the picture's memory ends in is read by bytes.
template <class Sample, int W>
struct Clamped {
  static constexpr int size = int(sizeof(Sample)), in_word = 4 / size;
  static constexpr uint32_t one = size == 1 ? 0 : 0x1010;  // a sample's bytes, everywhere
  static constexpr uint32_t behind = ~0u;

  int32_t first, last;        // words: the lane's, and where the row's last sample is
  uint32_t last_byte;         // in it
  uint32_t picks[W];          // of a word and the next, the bytes that come in: selectors of PRMT
  const uint8_t* memory_end;  // of the picture

  /// x is a multiple of a word's samples.
  __device__ Clamped(int32_t x, const Job& job)
      : first(x / in_word),
        last((job.width - 1) / in_word),
        last_byte(uint32_t((job.width - 1) % in_word * size)),
        memory_end(job.src + max(ptrdiff_t(job.height - 1) * job.src_stride, ptrdiff_t{0}) +
                   ptrdiff_t(job.width) * size) {
#pragma unroll
    for (int i = 0; i < W; ++i) {
      const int32_t word = first + i;
      const uint32_t end = word < last ? 4 - size : last_byte;
      picks[i] = one;
      for (uint32_t k = 0; k < 4; ++k) picks[i] += min(k - k % size, end) << (4 * k);
      if (word < 0) picks[i] = one;
      if (word > last) picks[i] = behind;
    }
  }
  __device__ void read(const Sample* row, Ahead<W>& to) const {
    to.back = uint32_t(reinterpret_cast<uintptr_t>(row) & 3);
    const auto* words =
        reinterpret_cast<const uint32_t*>(reinterpret_cast<const char*>(row) - to.back);
    const int32_t end = last + int32_t((to.back + last_byte) >> 2);
    const auto* tail = reinterpret_cast<const uint8_t*>(words + end);
    const bool is_cut = tail + 4 > memory_end;
    uint32_t cut = 0;
    if (is_cut) {
#pragma unroll
      for (int k = 0; k < 3; ++k)
        if (tail + k < memory_end) cut |= uint32_t(tail[k]) << (8 * k);
    }
#pragma unroll
    for (int i = 0; i < W; ++i) {
      const int32_t word = min(max(first + i, 0), end);
      to.words[i] = is_cut && word == end ? cut : packed::load(words + word);
    }
  }
  __device__ uint32_t take(int i, uint32_t word, uint32_t next, uint32_t back) const {
    const uint32_t selector =
        picks[i] == behind ? one + ((back + last_byte) & 3) * 0x1111 : picks[i] + back * 0x1111;
    return __byte_perm(word, next, selector);
  }
  __device__ void repeat(uint32_t (&)[W]) const {}
};

/// The same of three channels side by side, where a pixel fills no word. Beside the picture only
/// the next pixel counts: repeat() copies it, once the row is due.
template <int W>
struct Clamped<Rgb, W> {
  static constexpr int pixels = 4 * W / 3;

  int32_t first, end;         // bytes of a row: where the lane begins, and the row ends
  uint32_t picks[W];          // of the word before and this one, the bytes of repeat()
  bool before, behind;        // the lane ends where the row begins; begins where it ends
  const uint8_t* memory_end;  // of the picture

  __device__ Clamped(int32_t x, const Job& job)
      : first(3 * x),
        end(3 * job.width),
        before(x == -pixels),
        behind(x == job.width),
        memory_end(job.src + max(ptrdiff_t(job.height - 1) * job.src_stride, ptrdiff_t{0}) +
                   ptrdiff_t(job.width) * 3) {
    // The pixel behind the last one has that one's bytes, which are three further to the left.
#pragma unroll
    for (int i = 0; i < W; ++i) {
      picks[i] = 0x7654;
      for (int32_t k = 0; k < 4; ++k) {
        const int32_t byte = first + 4 * i + k - end;
        if (!behind && byte >= 0 && byte < 3)
          picks[i] = (picks[i] & ~(15u << (4 * k))) | uint32_t(k + 1) << (4 * k);
      }
    }
  }
  __device__ void read(const Rgb* row, Ahead<W>& to) const {
    to.back = uint32_t(reinterpret_cast<uintptr_t>(row) & 3);
    const auto* words =
        reinterpret_cast<const uint32_t*>(reinterpret_cast<const char*>(row) - to.back);
    const int32_t last = (end + int32_t(to.back) - 1) / 4;
    const auto* tail = reinterpret_cast<const uint8_t*>(words + last);
    const bool is_cut = tail + 4 > memory_end;
    uint32_t cut = 0;
    if (is_cut) {
#pragma unroll
      for (int k = 0; k < 3; ++k)
        if (tail + k < memory_end) cut |= uint32_t(tail[k]) << (8 * k);
    }
#pragma unroll
    for (int i = 0; i < W; ++i) {
      const int32_t word = first / 4 + i;
      to.words[i] = word < 0 || word > last  ? 0
                    : is_cut && word == last ? cut
                                             : packed::load(words + word);
    }
  }
  __device__ uint32_t take(int, uint32_t word, uint32_t next, uint32_t back) const {
    return packed::shift_pair(word, next, back * 8);
  }
  /// A whole warp calls it with a row that take() gave.
  __device__ void repeat(uint32_t (&row)[W]) const {
#pragma unroll
    for (int i = W - 1; i >= 0; --i) row[i] = __byte_perm(i > 0 ? row[i - 1] : 0, row[i], picks[i]);
    const uint32_t next = __shfl_down_sync(~0u, row[0], 1);
    const uint32_t last = __shfl_up_sync(~0u, row[W - 1], 1);
    if (before) row[W - 1] = next << 8;
    if (behind) row[0] = last >> 8;
  }
};

/// The samples of W words from x of a row inside the picture, from the last aligned address before
/// them.
template <Meets M, class Sample, int W>
__device__ inline void read(const Sample* row, int32_t x, Ahead<W>& to) {
  if constexpr (M == Meets::aligned) {
    to.back = 0;
    if constexpr (W == 4) {
      const uint4 v = __ldg(reinterpret_cast<const uint4*>(row + x));
      to.words[0] = v.x, to.words[1] = v.y, to.words[2] = v.z, to.words[3] = v.w;
    } else {
#pragma unroll
      for (int i = 0; i < W; i += 2) {
        const uint2 v = __ldg(reinterpret_cast<const uint2*>(row + x) + i / 2);
        to.words[i] = v.x, to.words[i + 1] = v.y;
      }
    }
  } else {
    const char* at = reinterpret_cast<const char*>(row + x);
    to.back = uint32_t(reinterpret_cast<uintptr_t>(at) & 3);
    const auto* words = reinterpret_cast<const uint32_t*>(at - to.back);
#pragma unroll
    for (int i = 0; i < W; ++i) to.words[i] = packed::load(words + i);
  }
}
/// What was read; its last bytes are the first that the next lane read. The last lane's are not
/// used: of its pixels only the first and its neighbours are.
template <Meets M, int W, class Edge>
__device__ inline void take(const Ahead<W>& from, const Edge& edge, uint32_t (&row)[W]) {
  const uint32_t beyond = M == Meets::aligned ? 0 : __shfl_down_sync(~0u, from.words[0], 1);
#pragma unroll
  for (int i = 0; i < W; ++i) {
    const uint32_t next = i + 1 < W ? from.words[i + 1] : beyond;
    if constexpr (M == Meets::aligned)
      row[i] = from.words[i];
    else if constexpr (M == Meets::inside)
      row[i] = packed::shift_pair(from.words[i], next, from.back * 8);
    else
      row[i] = edge.take(i, from.words[i], next, from.back);
  }
  if constexpr (M == Meets::edge) edge.repeat(row);
}

// ---- the march

/// Marches a lane whose first column is x down rows [first, end): measured(y, lane, turn) with
/// every row of magnitudes, found(y, candidates, strong) with every row of maxima.
template <class L, Meets M, bool Maxima, class Measured, class Found>
__device__ inline void march(const Job& job, typename L::Limit low, typename L::Limit high,
                             int32_t x, int32_t first, int32_t end, Measured&& measured,
                             Found&& found) {
  using Sample = typename L::Sample;
  constexpr int before = Maxima ? 2 : 1;  // rows that the first row needs, and the last behind it
  constexpr int ahead = 3, words = L::pixels * int(sizeof(Sample)) / 4;
  L lane = {};
  const Clamped<Sample, words> edge(x, job);  // of no other than Meets::edge
  const auto limits = L::limits(
      low, high, [&](int i) { return M != Meets::edge || uint32_t(x + i) < uint32_t(job.width); });
  Ahead<words> next[ahead];
  bool some = true;  // a magnitude above low in the warp's last row, if anybody asks
  const auto load = [&](int32_t y, Ahead<words>& to) {
    const int32_t row = min(M == Meets::edge ? max(y, 0) : y, job.height - 1);
    const auto* at = reinterpret_cast<const Sample*>(job.src + ptrdiff_t(row) * job.src_stride);
    if constexpr (M == Meets::edge)
      edge.read(at, to);
    else
      read<M>(at, x, to);
  };
#pragma unroll
  for (int i = 0; i < ahead; ++i) load(first - before + i, next[i]);
    // Row r comes in, three to a round: the rows of magnitudes turn their names by themselves.
#pragma unroll 1
  for (int32_t y = first - before; y < end + before; y += 3) {
    const auto step = [&]<int turn>(std::integral_constant<int, turn> this_turn) {
      const int32_t r = y + turn;
      uint32_t row[words];
      typename L::Gradient gx[L::gradients_of], gy[L::gradients_of];
      take<M>(next[turn], edge, row);
      load(r + ahead, next[turn]);
      lane.template measure<turn>(
          row, limits, M != Meets::edge || uint32_t(r - 1) < uint32_t(job.height), gx, gy);
      if (r - 1 >= first && r - 1 < end) measured(r - 1, lane, this_turn);
      if constexpr (Maxima) {
        uint32_t candidates = 0, strong = 0;
        if (!L::skips || some) lane.template find_maxima<turn>(limits, candidates, strong);
        found(r - 2, candidates, strong);
        some = !L::skips || __any_sync(~0u, lane.template any<turn>());
        if (some) lane.directions.find(gx, gy);
      }
    };
    step(std::integral_constant<int, 0>());
    step(std::integral_constant<int, 1>());
    step(std::integral_constant<int, 2>());
  }
}

// ---- the kernel

/// Warps of a block that counts nothing: none waits for another.
inline constexpr int march_warps = 1;
inline constexpr int magnitudes = 2041;  // of u8: 0 to 2,040; l2's roots are fewer

/// Strips of a picture: they cover its masks, whose rows may end behind its own.
template <class L>
constexpr int32_t strips(int32_t width) {
  constexpr int32_t columns = 30 * L::pixels;
  return int32_t((int64_t(canny_nms::mask_bytes(width)) * 8 + columns - 1) / columns);
}

/// What a block counts of magnitudes of u8.
template <class L, int Warps>
struct BlockBins {
  uint32_t* counted;  // shared, `magnitudes` of them
  uint32_t* bins;     // the picture's

  /// All threads of the block call it.
  __device__ __forceinline__ void clear(int thread) const {
    for (int i = thread; i < magnitudes; i += Warps * 32) counted[i] = 0;
    __syncthreads();
  }
  __device__ __forceinline__ void add(uint32_t m) const {
    atomicAdd(counted + canny_cuda::bin_of(int32_t(m), L::norm), 1u);
  }
  /// Takes off what a lane counted as 0 outside the picture, then adds the block's to the picture's
  /// bins. All threads of the block call it.
  __device__ __forceinline__ void flush(uint32_t outside, int thread) const {
    outside = cuda::warp_sum(outside);
    if (thread % 32 == 0 && outside != 0) atomicAdd(counted, 0u - outside);
    __syncthreads();
    for (int i = thread; i < magnitudes; i += Warps * 32)
      if (counted[i] != 0) atomicAdd(bins + i, counted[i]);
  }
};

template <class L, bool Count, int Warps>
__device__ inline void nms_march(const Job& first_job, const typename L::Table& table,
                                 const canny_cuda::NmsOutput& out, int32_t rows_per_warp) {
  using Group = typename L::Group;
  const Job job = first_job.picture(blockIdx.z);
  using Bins = BlockBins<L, Warps>;
  __shared__ uint32_t counted[Count ? magnitudes : 1];
  const int lane = int(threadIdx.x), thread = int(threadIdx.y) * 32 + lane;
  const Bins bins{counted,
                  Count ? out.bins + ptrdiff_t(blockIdx.z) * out.bins_per_picture : nullptr};
  if constexpr (Count) bins.clear(thread);
  cuda::wait_for_before();
  uint32_t outside = 0;  // of what was counted as 0
  const int32_t across = strips<L>(job.width);
  const int64_t number = int64_t(blockIdx.x) * Warps + threadIdx.y;
  const int64_t first_row = number / across * rows_per_warp;
  const int32_t base = int32_t(number % across) * (30 * L::pixels) - L::pixels;
  const int32_t x = base + lane * L::pixels;
  const bool makes = lane > 0 && lane < 31;
  if (first_row < job.height) {
    const int32_t first = int32_t(first_row), end = min(first + rows_per_warp, job.height);
    const auto low = Count ? 0 : L::low_of(table, blockIdx.z);
    const auto high = Count ? 0 : L::high_of(table, blockIdx.z);
    const ptrdiff_t groups = canny_nms::mask_bytes(job.width) / ptrdiff_t(sizeof(Group));
    const bool stores = makes && uint32_t(x) / L::pixels < groups;
    const auto row = ptrdiff_t(blockIdx.z) * job.height + first;
    const ptrdiff_t from = row * groups + uint32_t(x) / L::pixels;
    Group* candidates = reinterpret_cast<Group*>(out.candidates) + from;
    Group* strong = reinterpret_cast<Group*>(out.strong) + from;
    const auto measured = [&](int32_t, const L& l, auto turn) {
      if constexpr (Count) {
        if (!makes) return;
        l.template each_magnitude<turn>([&](uint32_t m) { bins.add(m); });
        const int64_t inside = max(int64_t(job.width) - uint32_t(x), int64_t{0});
        outside += uint32_t(max(L::pixels - inside, int64_t{0}));
      }
    };
    const auto found = [&](int32_t y, uint32_t c, uint32_t s) {
      if (!stores || y < first || y >= end) return;
      *candidates = Group(c);
      *strong = Group(s);
      candidates += groups;
      strong += groups;
    };
    const bool inside =
        base > 0 && base + 32 * L::pixels <= job.width && first >= 2 && end + 2 <= job.height;
    const auto address = reinterpret_cast<uintptr_t>(job.src) | uintptr_t(job.src_stride);
    constexpr int bytes = L::pixels * int(sizeof(typename L::Sample));
    constexpr int alignment = bytes & -bytes;  // of every lane's first
    if (!inside)
      march<L, Meets::edge, !Count>(job, low, high, x, first, end, measured, found);
    else if (address % alignment == 0)
      march<L, Meets::aligned, !Count>(job, low, high, x, first, end, measured, found);
    else
      march<L, Meets::inside, !Count>(job, low, high, x, first, end, measured, found);
  }
  if constexpr (Count) bins.flush(outside, thread);
}

template <class L, bool Count, int Warps>
__global__ void __launch_bounds__(Warps * 32, L::warps / Warps)
    gradient_nms_march(const __grid_constant__ Job first_job,
                       const __grid_constant__ typename L::Table table, canny_cuda::NmsOutput out,
                       int32_t rows_per_warp) {
#if __CUDA_ARCH__ >= 800
  nms_march<L, Count, Warps>(first_job, table, out, rows_per_warp);
#else
  if constexpr (L::min_major < 8) nms_march<L, Count, Warps>(first_job, table, out, rows_per_warp);
#endif
}

}  // namespace cuesta::canny_half
