// Rows of u8 and u16 pictures as warps read them that walk down a strip: a lane has 16 pixels of a
// row as pairs of 16 bits, pixel j beside pixel j + 8. A neighbour at distance k is another
// register for all but k of 8, which take one permutation and one shuffle. u8 samples are the high
// bytes of their halves, the low bytes are anything: least and greatest do not mind.
#pragma once

#include <cstdint>

#include "cuda/limits.hpp"
#include "cuda/row_words.cuh"
#include "cuesta/border.hpp"

namespace cuesta::cuda {

/// Pixels of a lane and registers of them.
inline constexpr int lane_pixels = 16, lane_pairs = 8;

struct Pairs {
  uint32_t r[lane_pairs];
};

/// The pixels of a lane in the order of memory.
template <class T>
struct Packed {
  static constexpr int count = 4 * int(sizeof(T));
  uint32_t w[count];
};

template <class T>
__device__ __forceinline__ Pairs pairs_of(const Packed<T>& row) {
  Pairs out;
  if constexpr (sizeof(T) == 1) {
#pragma unroll
    for (int j = 0; j < lane_pairs; ++j)
      out.r[j] =
          __byte_perm(row.w[j / 4], row.w[2 + j / 4], (j % 4) * 0x0011 + (4 + j % 4) * 0x1100);
  } else {
#pragma unroll
    for (int j = 0; j < lane_pairs; ++j)
      out.r[j] = __byte_perm(row.w[j / 2], row.w[4 + j / 2], j % 2 ? 0x7632 : 0x5410);
  }
  return out;
}

template <class T>
__device__ __forceinline__ Packed<T> packed_of(const Pairs& v) {
  Packed<T> out;
  if constexpr (sizeof(T) == 1) {
    uint32_t t[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) t[k] = __byte_perm(v.r[2 * k], v.r[2 * k + 1], 0x7351);
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      out.w[k] = __byte_perm(t[2 * k], t[2 * k + 1], 0x5410);
      out.w[2 + k] = __byte_perm(t[2 * k], t[2 * k + 1], 0x7632);
    }
  } else {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      out.w[k] = __byte_perm(v.r[2 * k], v.r[2 * k + 1], 0x5410);
      out.w[4 + k] = __byte_perm(v.r[2 * k], v.r[2 * k + 1], 0x7632);
    }
  }
  return out;
}

/// Pairs in as few registers as they need, in no order of memory's; unfold() takes one operation
/// for two pairs of u8.
template <class T>
__device__ __forceinline__ Packed<T> fold(const Pairs& v) {
  Packed<T> out;
#pragma unroll
  for (int k = 0; k < Packed<T>::count; ++k)
    out.w[k] = sizeof(T) == 1
                   ? __byte_perm(v.r[2 * k % lane_pairs], v.r[(2 * k + 1) % lane_pairs], 0x7351)
                   : v.r[k];
  return out;
}
template <class T>
__device__ __forceinline__ Pairs unfold(const Packed<T>& v) {
  Pairs out;
#pragma unroll
  for (int j = 0; j < lane_pairs; ++j) {
    if constexpr (sizeof(T) == 1)
      out.r[j] = j % 2 ? v.w[j / 2] : v.w[j / 2] << 8;
    else
      out.r[j] = v.w[j];
  }
  return out;
}

/// The same of pixels in the order of memory that were unfolded.
template <class T>
__device__ __forceinline__ Pairs pairs_of(const Pairs& unfolded) {
  Pairs out;
#pragma unroll
  for (int j = 0; j < lane_pairs; ++j) {
    if constexpr (sizeof(T) == 1) {
      const int byte = j % 4 / 2 * 2 + 1, r = j / 4 * 2 + j % 2;
      out.r[j] = __byte_perm(unfolded.r[r], unfolded.r[r + 4], byte * 0x0011 + (4 + byte) * 0x1100);
    } else {
      out.r[j] = __byte_perm(unfolded.r[j / 2], unfolded.r[4 + j / 2], j % 2 ? 0x7632 : 0x5410);
    }
  }
  return out;
}

/// A register of pixels j as that of pixels j + 8, and of j − 8.
__device__ __forceinline__ uint32_t wrap_after(uint32_t v) {
  return __byte_perm(v, __shfl_down_sync(~0u, v, 1), 0x5432);
}
__device__ __forceinline__ uint32_t wrap_before(uint32_t v) {
  return __byte_perm(__shfl_up_sync(~0u, v, 1), v, 0x5432);
}
/// out(x) = in(x + K) and in(x − K), 1 <= K <= 8.
template <int K>
__device__ __forceinline__ Pairs after(const Pairs& v) {
  Pairs out;
#pragma unroll
  for (int j = 0; j < lane_pairs; ++j)
    out.r[j] =
        j + K < lane_pairs ? v.r[(j + K) % lane_pairs] : wrap_after(v.r[(j + K) % lane_pairs]);
  return out;
}
template <int K>
__device__ __forceinline__ Pairs before(const Pairs& v) {
  Pairs out;
#pragma unroll
  for (int j = 0; j < lane_pairs; ++j)
    out.r[j] = j >= K ? v.r[(j - K + lane_pairs) % lane_pairs]
                      : wrap_before(v.r[(j - K + lane_pairs) % lane_pairs]);
  return out;
}

/// What walks down strips are told. `outside` is the sample of `constant`. Results of rows and
/// columns outside [x_begin, x_end) × [y_begin, y_end) are 0 where `mode` is `ignore`.
struct StripPictures {
  ConstAnyView src;
  AnyView dst;
  BorderMode mode;
  uint32_t outside;
  int32_t x_begin, x_end, y_begin, y_end;
  int32_t sides;         // lanes on either side that are there for their neighbours
  int32_t strips, rows;  // of the picture; of a walk
  bool wide;             // bases and strides are multiples of 16 bytes

  /// For windows that reach so far to either side.
  void set_strips(int reach) {
    sides = (std::max(reach, 1) - 1) / lane_pixels + 1;
    strips = (src.width - 1) / strip_columns() + 1;
    wide = has_word_rows(src, 16) && has_word_rows(dst, 16);
  }
  CUESTA_HOST_DEVICE constexpr int32_t strip_columns() const {
    return (32 - 2 * sides) * lane_pixels;
  }
};

/// A walk down a strip is a warp, and a block: the compiler then knows that all of it walks the
/// same way, and rows of a loop that is unrolled overlap.
struct StripWalk {
  int32_t strip, top, end;

  __device__ explicit StripWalk(const StripPictures& q)
      : strip(int32_t(blockIdx.x % unsigned(q.strips))),
        top(int32_t(int64_t(blockIdx.x / unsigned(q.strips)) * q.rows)),
        end(int32_t(min(int64_t(top) + q.rows, int64_t(q.src.height)))) {}
  /// Whether rows are words of 16 bytes, and every lane's columns lie inside the picture or
  /// outside, where all samples are one, or the walk meets nothing outside: rows from `above` over
  /// it to `below` under it, of all the strip's columns.
  __device__ bool is_whole(const StripPictures& q, int above, int below) const {
    const int64_t left = int64_t(strip) * q.strip_columns() - int64_t(q.sides) * lane_pixels;
    const int64_t right = left + 32 * lane_pixels;
    if (q.mode == BorderMode::constant)
      return q.wide && (right <= q.src.width || q.src.width % lane_pixels == 0);
    return q.wide && left >= 0 && right <= q.src.width && top >= above &&
           int64_t(top) + q.rows + below <= q.src.height;
  }
};

/// A lane's part of a strip. `Whole`: the walk is_whole().
template <class T, bool Whole>
class StripLane {
 public:
  static constexpr int in_word = 4 / int(sizeof(T)), bits = 8 * int(sizeof(T));
  /// Where the samples of a strip's columns lie, for lanes at the picture's sides.
  using Map = int32_t[32 * lane_pixels];

  __device__ StripLane(const StripPictures& q, const StripWalk& walk, Map& map)
      : q_(q),
        src_(q.src.as<T, Space::device>()),
        dst_(q.dst.as<T, Space::device>()),
        x0_(walk.strip * q.strip_columns() + (int32_t(threadIdx.x) - q.sides) * lane_pixels),
        map_(map + int32_t(threadIdx.x) * lane_pixels),
        // Words that the lane's samples begin and end in are the row's too.
        interior_(Whole ? x0_ >= 0 && x0_ < src_.width
                        : x0_ >= 4 && x0_ <= src_.width - lane_pixels - 4) {
    if (!Whole && !interior_) {
#pragma unroll 1
      for (int i = 0; i < lane_pixels; ++i) map_[i] = map_index(q.mode, x0_ + i, src_.width);
    }
    const auto lane = int32_t(threadIdx.x);
    writes_ = lane >= q.sides && lane < 32 - q.sides && x0_ < src_.width;
  }

  /// Row y, at any distance outside the picture.
  __device__ __forceinline__ Packed<T> load(int32_t y) const {
    if constexpr (Whole) {
      Packed<T> out;
#pragma unroll
      for (uint32_t& w : out.w) w = q_.outside * (bits == 8 ? 0x01010101u : 0x00010001u);
      if (interior_ && uint32_t(y) < uint32_t(src_.height)) out = load_wide(src_.row(y) + x0_);
      return out;
    }
    const int32_t sy = map_index(q_.mode, y, src_.height);
    const T* row = src_.row(max(sy, 0));
    if (interior_ && sy >= 0) return q_.wide ? load_wide(row + x0_) : load_words(row + x0_);
    Packed<T> out = {};
#pragma unroll
    for (int i = 0; i < lane_pixels; ++i) {
      const int32_t sx = interior_ ? 0 : map_[i];
      const uint32_t v = row[max(sx, 0)];
      out.w[i / in_word] |= ((sx | sy) < 0 ? q_.outside : v) << (i % in_word * bits);
    }
    return out;
  }

  /// Writes row y, which is one of the picture's where `wanted`, if the columns are this lane's to
  /// write.
  __device__ __forceinline__ void store(bool wanted, int32_t y, Packed<T> row) const {
    T* to = dst_.row(y) + x0_;
    if constexpr (Whole) {
      store_if(wanted && writes_, to, row);
    } else {
      if (!wanted || !writes_) return;
      if (q_.mode == BorderMode::ignore) clear(y, row);
      if (x0_ > dst_.width - lane_pixels) {
#pragma unroll
        for (int i = 0; i < lane_pixels; ++i)
          if (x0_ + i < dst_.width) to[i] = T(row.w[i / in_word] >> (i % in_word * bits));
      } else if (q_.wide) {
        store_if(true, to, row);
      } else {
        store_words(to, row);
      }
    }
  }

 private:
  __device__ __forceinline__ Packed<T> load_wide(const T* from) const {
    Packed<T> out;
#pragma unroll
    for (int i = 0; i < int(sizeof(T)); ++i) {
      const uint4 four = __ldg(reinterpret_cast<const uint4*>(from) + i);
      out.w[4 * i] = four.x, out.w[4 * i + 1] = four.y;
      out.w[4 * i + 2] = four.z, out.w[4 * i + 3] = four.w;
    }
    return out;
  }
  __device__ __forceinline__ Packed<T> load_words(const T* from) const {
    Packed<T> out;
    const auto at = reinterpret_cast<uintptr_t>(from);
    const auto* words = reinterpret_cast<const uint32_t*>(at & ~uintptr_t(3));
    uint32_t w[Packed<T>::count + 1];
#pragma unroll
    for (int i = 0; i <= Packed<T>::count; ++i) w[i] = __ldg(words + i);
#pragma unroll
    for (int i = 0; i < Packed<T>::count; ++i)
      out.w[i] = __funnelshift_r(w[i], w[i + 1], unsigned(at & 3) * 8);
    return out;
  }
  /// No branch: one a row would end what the compiler can overlap.
  __device__ __forceinline__ void store_if(bool on, T* to, const Packed<T>& row) const {
#pragma unroll
    for (int i = 0; i < int(sizeof(T)); ++i)
      asm volatile(
          "{ .reg .pred on; setp.ne.s32 on, %0, 0; @on st.global.v4.b32 [%1], {%2, %3, %4, %5}; "
          "}" ::"r"(int(on)),
          "l"(reinterpret_cast<uint4*>(to) + i), "r"(row.w[4 * i]), "r"(row.w[4 * i + 1]),
          "r"(row.w[4 * i + 2]), "r"(row.w[4 * i + 3]));
  }
  /// Samples up to the first whole word, words, and the rest.
  __device__ __forceinline__ void store_words(T* to, const Packed<T>& row) const {
    const auto head = int((4 - reinterpret_cast<uintptr_t>(to) % 4) % 4 / sizeof(T));
    constexpr int last = Packed<T>::count - 1;
#pragma unroll
    for (int i = 0; i < in_word - 1; ++i)
      if (i < head) to[i] = T(row.w[0] >> (i * bits));
    auto* words = reinterpret_cast<uint32_t*>(to + head);
#pragma unroll
    for (int i = 0; i < last; ++i)
      words[i] = __funnelshift_r(row.w[i], row.w[i + 1], unsigned(head * bits));
    if (head == 0) words[last] = row.w[last];
#pragma unroll
    for (int i = 1; i < in_word; ++i)
      if (head != 0 && i >= head) to[lane_pixels - in_word + i] = T(row.w[last] >> (i * bits));
  }
  __device__ __forceinline__ void clear(int32_t y, Packed<T>& row) const {
    const bool keeps = y >= q_.y_begin && y < q_.y_end;
#pragma unroll
    for (int i = 0; i < lane_pixels; ++i)
      if (!keeps || x0_ + i < q_.x_begin || x0_ + i >= q_.x_end)
        row.w[i / in_word] &= ~((bits == 8 ? 255u : 65535u) << (i % in_word * bits));
  }

  const StripPictures& q_;
  ImageView<const T, Space::device> src_;
  ImageView<T, Space::device> dst_;
  int32_t x0_;
  int32_t* map_;
  bool interior_, writes_;
};

/// A warp walks down its strip, one of Step::least_walks of a multiprocessor, with Step::ahead rows
/// under way. step.push() gets row after row and gives the result of the row Step::reach above; the
/// loop is unrolled for `round` rows, so that none of what a step keeps of earlier rows moves
/// between registers, if it keeps no row longer.
template <class Step, class T, bool Whole>
__device__ __forceinline__ void walk_down(const StripPictures& q, const StripWalk& walk,
                                          Packed<T> (&stage)[Step::round][32],
                                          typename StripLane<T, Whole>::Map& map) {
  constexpr int reach = Step::reach, round = Step::round, ahead = Step::ahead;
  const StripLane<T, Whole> strip(q, walk, map);
  const int lane = threadIdx.x;
  Step step;
  int32_t y = walk.top - reach;
  Packed<T> coming[ahead];
  if constexpr (Whole) {
#pragma unroll
    for (int i = 0; i < ahead; ++i) coming[i] = strip.load(y + i);
  }
#pragma unroll 1
  for (; y < walk.end + reach; y += round) {
    // Where loads and stores are many operations they are loops of their own.
    if constexpr (!Whole) {
#pragma unroll 4
      for (int i = 0; i < round; ++i) stage[i][lane] = strip.load(y + i);
    }
#pragma unroll
    for (int i = 0; i < round; ++i) {
      const Packed<T> in = Whole ? coming[0] : stage[i][lane];
      if constexpr (Whole) {
#pragma unroll
        for (int k = 0; k + 1 < ahead; ++k) coming[k] = coming[k + 1];
        coming[ahead - 1] = strip.load(y + i + ahead);
      }
      const Packed<T> out = step.push(in);
      const int32_t to = y + i - reach;
      if constexpr (Whole)
        strip.store(to >= walk.top && to < walk.end, to, out);
      else
        stage[i][lane] = out;
    }
    if constexpr (!Whole) {
#pragma unroll 1
      for (int i = 0; i < round; ++i) {
        const int32_t to = y + i - reach;
        strip.store(to >= walk.top && to < walk.end, to, stage[i][lane]);
      }
    }
  }
}

template <class Step, class T>
__global__ void __launch_bounds__(32, Step::least_walks)
    strip_walk(const __grid_constant__ StripPictures q) {
  __shared__ Packed<T> stage[Step::round][32];
  __shared__ int32_t map[32 * lane_pixels];
  const StripWalk walk(q);
  if (walk.is_whole(q, Step::reach, Step::reach + Step::ahead))
    walk_down<Step, T, true>(q, walk, stage, map);
  else
    walk_down<Step, T, false>(q, walk, stage, map);
}

/// Rows of a walk: as few as make `walks` of them a multiprocessor, in whole rounds with the `over`
/// that are read besides.
inline int32_t rows_of_walks(int32_t strips, int32_t height, int over, int walks, int round) {
  const int64_t bands = std::max<int64_t>(int64_t(walks) * multiprocessors() / strips, 1);
  const auto rows = int32_t((height + bands - 1) / bands);
  return std::max((rows + over + round - 1) / round * round - over, round - over % round);
}

inline unsigned strip_walks(const StripPictures& q) {
  return unsigned(q.strips) * blocks(q.src.height, q.rows);
}

/// Launches strip_walk with `walks` of them a multiprocessor. q.strips, q.rows and q.wide are set
/// here.
template <class Step, class T>
void launch_strip_walks(std::string_view operation, StripPictures q, int walks,
                        cudaStream_t stream) {
  q.set_strips(Step::reach);
  q.rows = rows_of_walks(q.strips, q.src.height, 2 * Step::reach, walks, Step::round);
  launch(operation, strip_walk<Step, T>, dim3(strip_walks(q)), dim3(32), 0, stream, q);
}

}  // namespace cuesta::cuda
