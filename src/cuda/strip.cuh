// Rows of u8 and u16 pictures as warps read them that march down a strip: a lane has 16 pixels of a
// row as pairs of 16 bits, pixel j beside pixel j + 8. A neighbour at distance k is another
// register for all but k of 8, which take one permutation and one shuffle. u8 samples are the high
// bytes of their halves, the low bytes are anything: least and greatest do not mind.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/instructions.cuh"
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

/// The arguments of marches down strips. `outside` is the sample of `constant`. Results of rows and
/// columns outside [x_begin, x_end) × [y_begin, y_end) are 0 where `mode` is `ignore`.
struct StripPictures {
  ConstAnyView src;
  AnyView dst;
  BorderMode mode;
  uint32_t outside;
  int32_t x_begin, x_end, y_begin, y_end;
  int32_t sides;         // lanes on either side that are there for their neighbours
  int32_t strips, rows;  // of the picture; of a march
  bool wide;             // bases and strides are multiples of 16 bytes

  /// For windows that reach so far to either side.
  void set_strips(int reach) {
    sides = (std::max(reach, 1) - 1) / lane_pixels + 1;
    wide = has_word_rows(src, 16) && has_word_rows(dst, 16);
    // Where rows begin anywhere, vectors hold the end of one lane and most of the next: a lane
    // more, which the next strip has too, and one for what is left of the row's last.
    const int32_t lanes = (src.width - 1 + (wide ? 0 : lane_pixels - 1)) / lane_pixels + 1;
    const int32_t of_strip = strip_columns() / lane_pixels;
    strips = std::max(lanes - (wide ? 0 : 1) - 1, 0) / of_strip + 1;
  }
  /// Whether no lane's columns are inside the picture and outside, and rows are vectors.
  bool regular() const { return wide && src.width % lane_pixels == 0; }
  CUESTA_HOST_DEVICE constexpr int32_t strip_columns() const {
    return (32 - 2 * sides - (wide ? 0 : 1)) * lane_pixels;
  }
};

/// How a march meets memory.
enum class Rows : uint8_t {
  whole,   ///< as vectors of 16 bytes; each lane's columns are inside the picture or outside
  inner,   ///< at any address; all that is read is inside
  beside,  ///< at any address; what is outside is one sample
  any,
};

/// A march down a strip is a warp, and a block: the compiler then knows that all of it marches the
/// same way, and rows of a loop that is unrolled overlap.
struct StripMarch {
  int32_t strip, top, end;

  __device__ explicit StripMarch(const StripPictures& q)
      : strip(int32_t(blockIdx.x % unsigned(q.strips))),
        top(int32_t(int64_t(blockIdx.x / unsigned(q.strips)) * q.rows)),
        end(int32_t(min(int64_t(top) + q.rows, int64_t(q.src.height)))) {}
  /// Of rows read from `above` over the march to `below` under it, and of all the strip's columns.
  __device__ bool inside(const StripPictures& q, int above, int below, int more_columns) const {
    const int64_t left = int64_t(strip) * q.strip_columns() - int64_t(q.sides) * lane_pixels;
    return left >= 0 && left + 32 * lane_pixels + more_columns <= q.src.width && top >= above &&
           int64_t(top) + q.rows + below <= q.src.height;
  }
  __device__ Rows rows_of(const StripPictures& q, int above, int below, int in_word) const {
    const int64_t right = int64_t(strip) * q.strip_columns() + (32 - q.sides) * lane_pixels;
    // The word after the last column is touched where rows begin anywhere.
    const bool all = inside(q, above, below, q.wide ? 0 : in_word);
    const bool constant = q.mode == BorderMode::constant;
    if (q.wide && (all || (constant && (right <= q.src.width || q.src.width % lane_pixels == 0))))
      return Rows::whole;
    if (all) return Rows::inner;
    return constant ? Rows::beside : Rows::any;
  }
};

/// Writes those samples of `row` that are in [0, width); the first sample is that of column x.
template <class T>
__device__ __noinline__ void store_clipped(T* to, int32_t x, int32_t width, const Packed<T> row) {
  constexpr int in_word = 4 / int(sizeof(T)), bits = 8 * int(sizeof(T));
#pragma unroll
  for (int i = 0; i < lane_pixels; ++i)
    if (x + i >= 0 && x + i < width) to[x + i] = T(row.w[i / in_word] >> (i % in_word * bits));
}

/// A lane's part of a strip, in a march whose rows are as `Kind` says.
template <class T, Rows Kind>
class StripLane {
 public:
  static constexpr int in_word = 4 / int(sizeof(T)), bits = 8 * int(sizeof(T));
  static constexpr int count = Packed<T>::count;
  /// A row in flight: where rows begin anywhere, words that cover it, and of the word in which the
  /// picture's row ends only that row's bytes.
  struct Ends {
    uint16_t two;
    uint8_t one;
  };
  struct Nothing {};
  static constexpr bool covers = Kind == Rows::inner || Kind == Rows::beside;
  struct Raw : std::conditional_t<Kind == Rows::beside, Ends, Nothing> {
    uint32_t w[count + (covers ? 1 : 0)];
  };
  /// Where the samples of a strip's columns are, for lanes at the picture's sides.
  using Map = int32_t[32 * lane_pixels];

  __device__ StripLane(const StripPictures& q, const StripMarch& march, Map& map)
      : q_(q),
        src_(q.src.as<T, Space::device>()),
        dst_(q.dst.as<T, Space::device>()),
        x0_(march.strip * q.strip_columns() + (int32_t(threadIdx.x) - q.sides) * lane_pixels),
        map_(map + int32_t(threadIdx.x) * lane_pixels),
        // Words that the lane's samples begin and end in are the row's too.
        interior_(Kind == Rows::whole ? x0_ >= 0 && x0_ < src_.width
                                      : x0_ >= 4 && x0_ <= src_.width - lane_pixels - 4) {
    if constexpr (Kind == Rows::any) {
      if (!interior_) {
#pragma unroll 1
        for (int i = 0; i < lane_pixels; ++i) map_[i] = map_index(q.mode, x0_ + i, src_.width);
      }
    }
    const auto lane = int32_t(threadIdx.x);
    // The first lane of vectors across lanes is the strip's before.
    const int32_t first = q.sides + (covers && !q.wide && march.strip > 0 ? 1 : 0);
    writes_ = lane >= first && lane < 32 - q.sides && (covers || x0_ < src_.width);
  }

  /// Starts reading row y, at any distance outside the picture but for Rows::inner.
  __device__ __forceinline__ Raw load(int32_t y) const {
    Raw out;
    if constexpr (Kind == Rows::inner) {
      const Place at = place_of(y);
#pragma unroll
      for (int i = 0; i <= count; ++i) out.w[i] = __ldg(at.base + i);
    } else if constexpr (Kind == Rows::beside) {
      const Place at = place_of(y);
      const Reach reach = reach_of(at, y);
      out.two = 0, out.one = 0;
#pragma unroll
      for (int i = 0; i <= count; ++i) {
        out.w[i] = 0;
        if (i < reach.words) out.w[i] = __ldg(at.base + i);
      }
      const auto* end = reinterpret_cast<const uint8_t*>(at.base + reach.words);
      if (reach.bytes & 2) out.two = __ldg(reinterpret_cast<const uint16_t*>(end));
      if (reach.bytes & 1) out.one = __ldg(end + (reach.bytes & 2));
    } else {
      const Packed<T> row = Kind == Rows::whole ? load_whole(y) : load_any(y);
#pragma unroll
      for (int i = 0; i < count; ++i) out.w[i] = row.w[i];
    }
    return out;
  }
  /// What was read as row y.
  __device__ __forceinline__ Packed<T> finish(const Raw& raw, int32_t y) const {
    Packed<T> out;
    if constexpr (!covers) {
#pragma unroll
      for (int i = 0; i < count; ++i) out.w[i] = raw.w[i];
    } else {
      const Place at = place_of(y);
      uint32_t w[count + 1];
#pragma unroll
      for (int i = 0; i <= count; ++i) w[i] = raw.w[i];
      if constexpr (Kind == Rows::beside) {
        const Reach reach = reach_of(at, y);
        const uint32_t last = raw.two | uint32_t(raw.one) << (reach.bytes & 2) * 8;
#pragma unroll
        for (int i = 0; i <= count; ++i) w[i] |= i == reach.words ? last : 0;
      }
#pragma unroll
      for (int i = 0; i < count; ++i) out.w[i] = __funnelshift_r(w[i], w[i + 1], at.shift);
      if constexpr (Kind == Rows::beside) {
        const int own = uint32_t(y) < uint32_t(src_.height) ? columns_inside() * bits : 0;
        const uint32_t beyond = q_.outside * (bits == 8 ? 0x01010101u : 0x00010001u);
#pragma unroll
        for (int i = 0; i < count; ++i) {
          const int n = min(max(own - 32 * i, 0), 32);
          const uint32_t keep = n == 32 ? ~0u : (1u << n) - 1;
          out.w[i] = (out.w[i] & keep) | (beyond & ~keep);
        }
      }
    }
    return out;
  }

  /// Writes row y, which is one of the picture's where `wanted`, if the columns are this lane's to
  /// write. All lanes call it.
  __device__ __forceinline__ void store(bool wanted, int32_t y, Packed<T> row) const {
    if constexpr (Kind == Rows::whole) {
      store_if(wanted && writes_, dst_.row(y) + x0_, row);
    } else if constexpr (covers) {
      T* to = dst_.row(y);
      const uint32_t shift = reinterpret_cast<uintptr_t>(to) & 15;
      const Packed<T> moved = after_last_bytes(row, shift);
      const int32_t x = x0_ - int32_t(shift / sizeof(T));
      if constexpr (Kind == Rows::inner) {
        store_if(wanted && writes_, to + x, moved);
      } else {
        if (!wanted || !writes_) return;
        if (x >= 0 && x <= dst_.width - lane_pixels)
          store_if(true, to + x, moved);
        else
          store_clipped(to, x, dst_.width, moved);
      }
    } else {
      T* to = dst_.row(y) + x0_;
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
  /// The word that the lane's first sample of a row is in, and how far in it.
  struct Place {
    const uint32_t* base;
    uint32_t shift;  // bits
  };
  __device__ __forceinline__ Place place_of(int32_t y) const {
    const char* from = reinterpret_cast<const char*>(src_.row(y) + x0_);
    const auto into = uint32_t(reinterpret_cast<uintptr_t>(from) & 3);
    return {reinterpret_cast<const uint32_t*>(from - into), 8 * into};
  }
  /// Whole words from there to the end of the row, as far as they are read, and bytes behind them.
  struct Reach {
    int words, bytes;
  };
  __device__ __forceinline__ int columns_inside() const {
    return x0_ < 0 ? 0 : min(max(src_.width - x0_, 0), lane_pixels);
  }
  __device__ __forceinline__ Reach reach_of(const Place& at, int32_t y) const {
    if (x0_ < 0 || x0_ >= src_.width || uint32_t(y) >= uint32_t(src_.height)) return {0, 0};
    const int bytes = min(src_.width - x0_, 2 * lane_pixels) * int(sizeof(T)) + int(at.shift / 8);
    return {min(bytes / 4, count + 1), bytes / 4 < count + 1 ? bytes % 4 : 0};
  }
  /// The lane's bytes from `shift` before its first on, which are the lane's before.
  __device__ __forceinline__ Packed<T> after_last_bytes(const Packed<T>& row,
                                                        uint32_t shift) const {
    uint32_t all[count + 4];
#pragma unroll
    for (int i = 0; i < 4; ++i) all[i] = __shfl_up_sync(~0u, row.w[count - 4 + i], 1);
#pragma unroll
    for (int i = 0; i < count; ++i) all[4 + i] = row.w[i];
    // Moved by words in steps, so that no register is indexed.
    const uint32_t begin = 16 - shift;
#pragma unroll
    for (int i = 0; i < count; ++i) all[i] = begin & 16 ? all[i + 4] : all[i];
#pragma unroll
    for (int i = 0; i < count + 2; ++i) all[i] = begin & 8 ? all[i + 2] : all[i];
#pragma unroll
    for (int i = 0; i <= count; ++i) all[i] = begin & 4 ? all[i + 1] : all[i];
    Packed<T> out;
#pragma unroll
    for (int i = 0; i < count; ++i) out.w[i] = __funnelshift_r(all[i], all[i + 1], 8 * (begin & 3));
    return out;
  }
  __device__ __forceinline__ Packed<T> load_whole(int32_t y) const {
    Packed<T> out;
#pragma unroll
    for (uint32_t& w : out.w) w = q_.outside * (bits == 8 ? 0x01010101u : 0x00010001u);
    if (interior_ && uint32_t(y) < uint32_t(src_.height)) out = load_wide(src_.row(y) + x0_);
    return out;
  }
  __device__ __forceinline__ Packed<T> load_any(int32_t y) const {
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
  __device__ __forceinline__ void store_if(bool on, T* to, const Packed<T>& row) const {
#pragma unroll
    for (int i = 0; i < int(sizeof(T)); ++i)
      cuda::store_if(
          on, reinterpret_cast<uint4*>(to) + i,
          make_uint4(row.w[4 * i], row.w[4 * i + 1], row.w[4 * i + 2], row.w[4 * i + 3]));
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

/// A warp marches down its strip, one of Step::min_marches of a multiprocessor, with Step::ahead
/// rows in flight (2 where rows begin anywhere). step.push() gets row after row and gives the
/// result of the row Step::reach above; the loop is unrolled for `round` rows, so that none of what
/// a step keeps of earlier rows moves between registers, if it keeps no row longer.
template <class Step, class T, Rows Kind>
__device__ __forceinline__ void march_down(const StripPictures& q, const StripMarch& march,
                                           Packed<T> (&stage)[Step::round][32],
                                           typename StripLane<T, Kind>::Map& map) {
  constexpr int reach = Step::reach, round = Step::round;
  constexpr int ahead = Kind == Rows::whole ? Step::ahead : 2;
  // Where loads and stores are many operations they are loops of their own.
  constexpr bool loads_apart = Kind == Rows::any,
                 stores_apart = loads_apart || Kind == Rows::beside;
  using Strip = StripLane<T, Kind>;
  const Strip strip(q, march, map);
  const int lane = threadIdx.x;
  Step step;
  int32_t y = march.top - reach;
  typename Strip::Raw coming[ahead];
  if constexpr (!loads_apart) {
#pragma unroll
    for (int i = 0; i < ahead; ++i) coming[i] = strip.load(y + i);
  }
#pragma unroll 1
  for (; y < march.end + reach; y += round) {
    if constexpr (loads_apart) {
#pragma unroll 4
      for (int i = 0; i < round; ++i) stage[i][lane] = strip.finish(strip.load(y + i), y + i);
    }
#pragma unroll
    for (int i = 0; i < round; ++i) {
      Packed<T> in;
      if constexpr (loads_apart) {
        in = stage[i][lane];
      } else {
        in = strip.finish(coming[0], y + i);
#pragma unroll
        for (int k = 0; k + 1 < ahead; ++k) coming[k] = coming[k + 1];
        coming[ahead - 1] = strip.load(y + i + ahead);
      }
      const Packed<T> out = step.push(in);
      const int32_t to = y + i - reach;
      if constexpr (stores_apart)
        stage[i][lane] = out;
      else
        strip.store(to >= march.top && to < march.end, to, out);
    }
    if constexpr (stores_apart) {
#pragma unroll 1
      for (int i = 0; i < round; ++i) {
        const int32_t to = y + i - reach;
        strip.store(to >= march.top && to < march.end, to, stage[i][lane]);
      }
    }
  }
}

/// body(kind), a constant by its type, for the rows of a march.
template <class Body>
__device__ __forceinline__ void by_rows(Rows kind, Body&& body) {
  switch (kind) {
    case Rows::whole: return body(std::integral_constant<Rows, Rows::whole>());
    case Rows::inner: return body(std::integral_constant<Rows, Rows::inner>());
    case Rows::beside: return body(std::integral_constant<Rows, Rows::beside>());
    default: return body(std::integral_constant<Rows, Rows::any>());
  }
}

/// `Regular`: StripPictures::regular(). What other pictures need would take registers.
template <class Step, class T, bool Regular>
__global__ void __launch_bounds__(32, Step::min_marches)
    strip_march(const __grid_constant__ StripPictures q) {
  __shared__ Packed<T> stage[Step::round][32];
  __shared__ int32_t map[32 * lane_pixels];
  const StripMarch march(q);
  constexpr int below = Step::reach + Step::ahead;
  if constexpr (Regular) {
    if (q.mode == BorderMode::constant || march.inside(q, Step::reach, below, 0))
      march_down<Step, T, Rows::whole>(q, march, stage, map);
    else
      march_down<Step, T, Rows::any>(q, march, stage, map);
  } else {
    const Rows kind = march.rows_of(q, Step::reach, below, 4 / int(sizeof(T)));
    by_rows(kind, [&](auto rows) { march_down<Step, T, rows()>(q, march, stage, map); });
  }
}

/// Rows of a march: as few as make `marches` of them a multiprocessor, in whole rounds with the
/// `over` that are read besides.
inline int32_t rows_of_marches(int32_t strips, int32_t height, int over, int marches, int round) {
  const int64_t bands = std::max<int64_t>(int64_t(marches) * multiprocessors() / strips, 1);
  const auto rows = int32_t((height + bands - 1) / bands);
  return std::max((rows + over + round - 1) / round * round - over, round - over % round);
}

inline unsigned strip_marches(const StripPictures& q) {
  return unsigned(q.strips) * blocks(q.src.height, q.rows);
}

/// Launches strip_march with `marches` of them a multiprocessor. q.strips, q.rows and q.wide are
/// set here.
template <class Step, class T>
void launch_strip_marches(std::string_view operation, StripPictures q, int marches,
                          cudaStream_t stream) {
  q.set_strips(Step::reach);
  q.rows = rows_of_marches(q.strips, q.src.height, 2 * Step::reach, marches, Step::round);
  const auto kernel = q.regular() ? strip_march<Step, T, true> : strip_march<Step, T, false>;
  launch(operation, kernel, dim3(strip_marches(q)), dim3(32), 0, stream, q);
}

}  // namespace cuesta::cuda
