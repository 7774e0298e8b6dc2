// Rows as warps read and write them at any base and stride: neighbouring columns a lane, whole
// words, the lanes' columns side by side. What is left and right of the picture is put in from
// registers.
#pragma once

#include <cstdint>

#include "cuda/launch.cuh"
#include "cuesta/border.hpp"

namespace cuesta::cuda {

inline constexpr int warp_lanes = 32;

/// map_index of an index outside. Out of line: loops unroll what happens inside, and this would be
/// copied into every step of them.
__device__ __noinline__ inline int32_t outside_index(BorderMode mode, int32_t i, int32_t n) {
  return map_index(mode, i, n);
}

/// The number of a lane in its row of lanes. Where vectors do not begin at multiples of their size,
/// the first lane of a warp is the last of the one before once more, so that every lane that writes
/// has the one before it at hand.
template <bool Aligned>
__device__ int32_t lane_number() {
  const auto thread = int32_t(blockIdx.x * blockDim.x + threadIdx.x);
  return Aligned ? thread : thread / warp_lanes * (warp_lanes - 1) + thread % warp_lanes;
}
/// Blocks of `threads` for rows of `width`, `columns` a lane.
constexpr unsigned lane_blocks(bool aligned, int32_t width, int32_t columns, int32_t threads) {
  return blocks(width, columns * (aligned ? threads : threads / warp_lanes * (warp_lanes - 1)));
}

/// The columns of a lane, `Columns` of them from x0 on. The last two lanes of a row are pulled
/// back, so that every lane's columns are inside, and so do those its window reaches beside them
/// (`Margin` columns) or else it is the first or last one: no lane meets the edge within its words.
/// Columns that two lanes own are made and written twice, alike. Pictures are at least Columns +
/// Margin wide.
template <int Columns, int Margin>
struct LaneColumns {
  int32_t number, x0;
  bool first, last;
  bool regular;  // its columns are those after the lane before
  bool active;   // false of lanes past the end, which do as the last one does
  bool ends;     // regular, and the next one is not
  bool inner;    // regular as those beside it are, and whole words around its window are inside

  __device__ LaneColumns(int32_t lane, int32_t width) : number(lane) {
    const int32_t lanes = (width - 1) / Columns + 1;
    const auto begin = [&](int32_t n) {
      return n >= lanes - 1 ? width - Columns : min(n * Columns, width - Columns - Margin);
    };
    active = lane < lanes;
    x0 = begin(lane);
    regular = active && x0 == lane * Columns;
    ends = regular && (lane + 1 == lanes || begin(lane + 1) != (lane + 1) * Columns);
    first = x0 == 0;
    last = x0 + Columns == width;
    inner = regular && !first && !ends && x0 <= width - Columns - 2 * Margin;
  }
};

/// Word `i` from an address that is a multiple of 4.
__device__ inline uint32_t word_at(const char* base, int i) {
  return __ldg(reinterpret_cast<const uint32_t*>(base) + i);
}
/// The bytes before `limit` of a word. Out of line, as few need it.
__device__ __noinline__ inline uint32_t partial_word_at(const char* at, const char* limit) {
  uint32_t v = 0;
#pragma unroll
  for (int i = 0; i < 3; ++i)
    if (at + i < limit) v |= uint32_t(uint8_t(at[i])) << 8 * i;
  return v;
}
/// The word at such an address; only its bytes before `limit` may be read.
__device__ inline uint32_t last_word_at(const char* at, const char* limit) {
  return at + 4 <= limit ? word_at(at, 0) : partial_word_at(at, limit);
}

/// 4 · Words bytes from any address; nothing is read from `limit` on.
template <int Words>
__device__ void load_bytes(const char* from, const char* limit, uint32_t (&words)[Words]) {
  static_assert(Words % 4 == 0);
  const auto address = reinterpret_cast<uintptr_t>(from);
  if (address % 16 == 0) {
#pragma unroll
    for (int i = 0; i < Words / 4; ++i) {
      const uint4 v = __ldg(reinterpret_cast<const uint4*>(from) + i);
      words[4 * i] = v.x, words[4 * i + 1] = v.y, words[4 * i + 2] = v.z, words[4 * i + 3] = v.w;
    }
    return;
  }
  const int shift = int(address % 4);
  const char* base = from - shift;
#pragma unroll
  for (int i = 0; i < Words; ++i) words[i] = word_at(base, i);
  const uint32_t past = shift == 0 ? 0 : last_word_at(base + 4 * Words, limit);
#pragma unroll
  for (int i = 0; i < Words; ++i)
    words[i] = __funnelshift_r(words[i], i + 1 < Words ? words[i + 1] : past, 8 * uint32_t(shift));
}

/// What is known of all lanes of a warp when compiling.
enum class Place {
  any,
  regular,  ///< columns begin at multiples of their number, addresses at multiples of 16 bytes
  inner,    ///< LaneColumns::inner, and the rows read are inside
};

/// The column of samples that stands for column `x` of a row of `width`, pixels of `Channels`; −1
/// for none. Only `Channels` times 2 columns are asked on either side.
template <int Channels>
__device__ int32_t column_for(BorderMode mode, int32_t x, int32_t width) {
  const int32_t c = (x + 2 * Channels) % Channels, pixel = (x - c) / Channels;
  const int32_t there = map_index(mode, pixel, width / Channels);
  return there < 0 ? -1 : there * Channels + c;
}

/// Rows of samples T for windows that reach `Reach` columns to either side (3 at most, or a pixel),
/// as 32-bit words: those of the lane's own columns and `side` on either side. Columns are of
/// samples, `Channels` a pixel. `Aligned`: base and stride of the picture are multiples of 16
/// bytes; otherwise any.
template <class T, int Columns, int Reach, bool Aligned, int Channels = 1>
struct LaneRows {
  static constexpr int size = sizeof(T);
  static constexpr int own = Columns * size / 4, side = (Reach * size + 3) / 4;
  static constexpr int count = own + 2 * side;
  static constexpr int margin = 4 * side / size;
  static constexpr int min_width = Columns + margin;
  static_assert(own >= 2 && Reach <= (Channels == 1 ? 3 : Channels));
  // Whether what stands outside is in the 8 bytes next to the edge, and else of the sides' samples.
  static constexpr bool is_near = Channels == 1 || 2 * Channels * size <= 8;
  static constexpr int far_columns = is_near ? 0 : margin;
  using Lane = LaneColumns<Columns, margin>;
  using Source = ImageView<const T, Space::device>;
  /// As loaded: the words, or a word more that covers them.
  struct Raw {
    uint32_t words[count + 1];
    int32_t y;  // the row that it was; −1 where there is none
  };

  Source src;
  BorderMode mode;
  uint32_t outside;  // a word of the samples outside
  Lane lane;
  // Which bytes of the 8 next to the edge stand outside it; of the first and last lane.
  uint32_t left[side] = {}, right[side] = {};
  // Or which columns stand for those of either side.
  int32_t far_left[far_columns + 1] = {}, far_right[far_columns + 1] = {};

  __device__ LaneRows(Source source, BorderMode border, T outside_sample, int32_t lane_number)
      : src(source),
        mode(border),
        outside(size == 1 ? outside_sample * 0x01010101u : outside_sample * 0x00010001u),
        lane(lane_number, source.width) {
    if (!lane.first && !lane.last) return;
#pragma unroll
    for (int i = 0; i < far_columns; ++i) {  // those past the reach: any that is
      const int32_t before = max(i - margin, -Reach), behind = min(i, Reach - 1);
      far_left[i] = max(column_for<Channels>(mode, before, src.width), 0);
      far_right[i] = max(column_for<Channels>(mode, src.width + behind, src.width), 0);
    }
    if constexpr (is_near) find_near();
  }

  __device__ void find_near() {
#pragma unroll
    for (int s = 0; s < side; ++s) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int at = (4 * s + j) / size;  // column of the side, left to right
        if (at >= margin - Reach) {
          const int32_t x = column_for<Channels>(mode, at - margin, src.width);
          left[s] |= uint32_t(max(x, 0) * size + j % size & 7) << 4 * j;
        }
        if (at < Reach) {
          const int32_t x =
              column_for<Channels>(mode, src.width + at, src.width) - (src.width - 8 / size);
          right[s] |= uint32_t(max(x, 0) * size + j % size & 7) << 4 * j;
        }
      }
    }
  }

  __device__ const char* own_bytes(int32_t sy) const {
    return reinterpret_cast<const char*>(src.row(sy) + lane.x0);
  }

  /// Whether every lane, those past the end too, is as Place::regular has it.
  __device__ bool all_regular() const { return Aligned && src.width % Columns == 0; }

  /// Starts reading what stands for row y, at any distance outside. Nothing waits for what was
  /// read: no branch here ends in a choice between it and another value.
  template <Place P>
  __device__ void load(Raw& raw, int32_t y) const {
    uint32_t* w = raw.words;
    if constexpr (P != Place::inner) {
      raw.y = uint32_t(y) < uint32_t(src.height) ? y : outside_index(mode, y, src.height);
      y = max(raw.y, 0);
    }
    const char* p = own_bytes(y);
    const bool first = P != Place::inner && lane.first, last = P != Place::inner && lane.last;
    if (Aligned && (P != Place::any || lane.regular)) {
      // Sides that are not there: any address that is.
#pragma unroll
      for (int s = 0; s < side; ++s) {
        w[s] = word_at(p, first ? 0 : s - side);
        w[side + own + s] = word_at(p, last ? 0 : own + s);
      }
      if constexpr (own == 4) {
        const uint4 v = __ldg(reinterpret_cast<const uint4*>(p));
        w[side] = v.x, w[side + 1] = v.y, w[side + 2] = v.z, w[side + 3] = v.w;
      } else {
        static_assert(own == 2);
        const uint2 v = __ldg(reinterpret_cast<const uint2*>(p));
        w[side] = v.x, w[side + 1] = v.y;
      }
      return;
    }
    const int shift = int(reinterpret_cast<uintptr_t>(p) & 3);
    const char* base = p - shift;
    if constexpr (P == Place::inner) {
#pragma unroll
      for (int i = 0; i <= count; ++i) w[i] = word_at(base, i - side);
    } else {
#pragma unroll
      for (int s = 0; s < side; ++s) w[s] = word_at(base, first ? 0 : s - side);
#pragma unroll
      for (int i = 0; i < own; ++i) w[side + i] = word_at(base, i);
      // Words past the last needed byte are not touched; of the one that holds it, which may reach
      // past the end of the row, only the row's bytes: what follows may be nobody's, or never
      // written.
      const int end = (last ? own : own + side) - (shift == 0);
      const char* limit = reinterpret_cast<const char*>(src.row(y) + src.width);
#pragma unroll
      for (int s = 0; s <= side; ++s)
        w[side + own + s] = last_word_at(base + 4 * min(own + s, end), limit);
    }
  }

  /// Makes the first `count` words of `raw`, loaded for row y, the row's, its sides as the border
  /// has them.
  template <Place P>
  __device__ void finish(Raw& raw, int32_t y) const {
    uint32_t* w = raw.words;
    if constexpr (P != Place::inner) y = max(raw.y, 0);
    if (!Aligned || (P == Place::any && !lane.regular)) {
      const uint32_t shift = 8 * uint32_t(reinterpret_cast<uintptr_t>(own_bytes(y)) & 3);
#pragma unroll
      for (int i = 0; i < count; ++i) w[i] = __funnelshift_r(w[i], w[i + 1], shift);
    }
    if constexpr (P != Place::inner) {
      if (lane.first || lane.last) fill_sides(y, w);
      if (raw.y < 0) {
#pragma unroll
        for (int i = 0; i < count; ++i) w[i] = outside;
      }
    }
  }

 private:
  __device__ void fill_sides(int32_t sy, uint32_t* w) const {
    const bool constant = mode == BorderMode::constant || mode == BorderMode::ignore;
    if constexpr (is_near) {
#pragma unroll
      for (int s = 0; s < side; ++s) {
        if (lane.first)
          w[s] = constant                   ? outside
                 : mode == BorderMode::wrap ? wrapped(sy, src.width - margin + 4 * s / size)
                                            : __byte_perm(w[side], w[side + 1], left[s]);
        if (lane.last)
          w[side + own + s] = constant ? outside
                              : mode == BorderMode::wrap
                                  ? wrapped(sy, 4 * s / size)
                                  : __byte_perm(w[side + own - 2], w[side + own - 1], right[s]);
      }
    } else {
      static_assert(size == 2);
      const auto word = [&](int32_t a, int32_t b) {
        return uint32_t(src.row(sy)[a]) | uint32_t(src.row(sy)[b]) << 16;
      };
#pragma unroll
      for (int s = 0; s < side; ++s) {
        if (lane.first) w[s] = constant ? outside : word(far_left[2 * s], far_left[2 * s + 1]);
        if (lane.last)
          w[side + own + s] = constant ? outside : word(far_right[2 * s], far_right[2 * s + 1]);
      }
    }
  }
  __device__ uint32_t wrapped(int32_t sy, int32_t x) const {
    const auto* from = reinterpret_cast<const uint8_t*>(src.row(sy) + x);
    return from[0] | from[1] << 8 | from[2] << 16 | uint32_t(from[3]) << 24;
  }
};

/// Bytes [from, end) of `words` to `to` and on, at any address: for the few lanes at an end.
template <int Words>
__device__ __noinline__ void store_single_bytes(char* to, const uint4 words, int from, int end) {
  const uint32_t w[4] = {words.x, words.y, words.z, words.w};
#pragma unroll
  for (int i = 0; i < 4 * Words; ++i)
    if (i >= from && i < end) to[i] = char(w[i / 4] >> 8 * (i % 4));
}

/// Writes 4 · Words bytes a lane into a row of the picture: `row` begins it, and `x` bytes on is
/// where the lane's begin. They leave as vectors: where those would not begin at multiples of their
/// size (`Aligned` says that they do), each is shifted together with the lane before. Every lane of
/// the warp calls it; lanes not `regular` write by themselves. `Plain`: they are inner ones.
template <bool Aligned, bool Plain, int Words, class Lane>
__device__ void store_lanes(char* row, int64_t x, const uint32_t (&words)[Words],
                            const Lane& lane) {
  static_assert(Words == 2 || Words == 4);
  using Vector = std::conditional_t<Words == 4, uint4, uint2>;
  constexpr int bytes = 4 * Words;
  char* to = row + x;
  const auto store_vector = [](char* at, const uint32_t* v) {
    if constexpr (Words == 4)
      *reinterpret_cast<Vector*>(at) = {v[0], v[1], v[2], v[3]};
    else
      *reinterpret_cast<Vector*>(at) = {v[0], v[1]};
  };
  const auto store_bytes = [&](int from, int end) {
    store_single_bytes<Words>(to, {words[0], words[1], words[Words - 2], words[Words - 1]}, from,
                              end);
  };
  if constexpr (Aligned) {
    if (Plain || lane.regular)
      store_vector(to, words);
    else if (lane.active)
      store_bytes(0, bytes);
  } else {
    uint32_t both[2 * Words];
#pragma unroll
    for (int i = 0; i < Words; ++i) {
      both[i] = __shfl_up_sync(~0u, words[i], 1);
      both[Words + i] = words[i];
    }
    if (threadIdx.x % warp_lanes == 0 && (Plain || lane.number > 0)) return;
    if constexpr (!Plain) {
      if (!lane.active) return;
      if (!lane.regular) return store_bytes(0, bytes);
    }
    // The lane's vector begins in the lane before, `shift` bytes before its end. Moved by words in
    // two steps, so that no register is indexed.
    const int shift = int(reinterpret_cast<uintptr_t>(row) & (bytes - 1));
    if (shift == 0) return store_vector(to, words);
    const int begin = bytes - shift;
    if constexpr (Words == 4) {
#pragma unroll
      for (int i = 0; i < 6; ++i) both[i] = begin & 8 ? both[i + 2] : both[i];
    }
#pragma unroll
    for (int i = 0; i <= Words; ++i) both[i] = begin & 4 ? both[i + 1] : both[i];
#pragma unroll
    for (int i = 0; i < Words; ++i)
      both[i] = __funnelshift_r(both[i], both[i + 1], 8 * uint32_t(begin & 3));
    if (Plain || lane.number > 0)
      store_vector(to - shift, both);
    else
      store_bytes(0, begin);
    if (!Plain && lane.ends) store_bytes(begin, bytes);
  }
}

/// The same of 32-bit samples, whose rows begin at multiples of 4 bytes: `Words` of them a lane,
/// in vectors of four.
template <bool Aligned, bool Plain, int Words, class Lane>
__device__ void store_lane_words(char* row, const uint32_t (&words)[Words], const Lane& lane) {
  static_assert(Words % 4 == 0);
  auto* to = reinterpret_cast<uint32_t*>(row) + lane.x0;
  const auto store_vectors = [](uint32_t* at, const uint32_t* v) {
#pragma unroll
    for (int i = 0; i < Words; i += 4)
      *reinterpret_cast<uint4*>(at + i) = {v[i], v[i + 1], v[i + 2], v[i + 3]};
  };
  const auto store_singly = [&](int from, int end) {
#pragma unroll
    for (int i = 0; i < Words; ++i)
      if (i >= from && i < end) to[i] = words[i];
  };
  if constexpr (Aligned) {
    if (Plain || lane.regular)
      store_vectors(to, words);
    else if (lane.active)
      store_singly(0, Words);
  } else {
    uint32_t all[Words + 3];  // from the third last word of the lane before on
#pragma unroll
    for (int i = 0; i < Words + 3; ++i)
      all[i] = i < 3 ? __shfl_up_sync(~0u, words[Words - 3 + i], 1) : words[i - 3];
    if (threadIdx.x % warp_lanes == 0 && (Plain || lane.number > 0)) return;
    if (!Plain && !lane.active) return;
    if (!Plain && !lane.regular) return store_singly(0, Words);
    const int shift = int(reinterpret_cast<uintptr_t>(row) % 16 / 4), begin = 3 - shift;
#pragma unroll
    for (int i = 0; i < Words + 1; ++i) all[i] = begin & 2 ? all[i + 2] : all[i];
#pragma unroll
    for (int i = 0; i < Words; ++i) all[i] = begin & 1 ? all[i + 1] : all[i];
    if (Plain || lane.number > 0)
      store_vectors(to - shift, all);
    else
      store_singly(0, Words - shift);
    if (!Plain && lane.ends) store_singly(Words - shift, Words);
  }
}

/// body(place), a constant by its type, for a warp whose rows are inside or not. Bodies differ
/// by what they do at a picture's edges, and so that a warp there is not much slower than others:
/// the last of a launch would be waited for.
template <class Rows, class Body>
__device__ void march_by_place(const Rows& rows, bool rows_inside, Body&& body) {
  if (rows_inside && __all_sync(~0u, rows.lane.inner))
    body(std::integral_constant<Place, Place::inner>());
  else if (rows.all_regular())
    body(std::integral_constant<Place, Place::regular>());
  else
    body(std::integral_constant<Place, Place::any>());
}

/// Marches down rows y0 .. end − 1 and `Reach` more on either side: take(plain, parity, words, y,
/// reload) gets the words of row after row, and y, the row whose window ends there (below y0 at
/// first, and perhaps past the last at the end); parity, a constant by its type, is 0 and 1 in
/// turn. It calls reload() once it has read the words: `Ahead` rows are in flight. plain, another
/// constant, says that the warp and its rows, window included, are inside.
template <int Ahead, int Reach, class Rows, class Take>
__device__ void march_down(const Rows& rows, int32_t y0, int32_t end, Take&& take) {
  static_assert(Ahead == 2 || Ahead == 4);
  const auto all = [&](auto place) {
    constexpr Place where = place();
    constexpr std::bool_constant<where == Place::inner> plain;
    const auto step = [&](auto i, int32_t y, typename Rows::Raw& raw) {
      rows.template finish<where>(raw, y);
      take(plain, std::integral_constant<int, i() % 2>(), raw.words, y - Reach, [&] {
        if (y + Ahead < end + Reach) rows.template load<where>(raw, y + Ahead);
      });
    };
    typename Rows::Raw raw[Ahead];
#pragma unroll
    for (int i = 0; i < Ahead; ++i)
      rows.template load<where>(raw[i], min(y0 - Reach + i, end + Reach - 1));
    for (int32_t y = y0 - Reach; y < end + Reach; y += Ahead) {
      step(std::integral_constant<int, 0>(), y, raw[0]);
      step(std::integral_constant<int, 1>(), y + 1, raw[1]);
      if constexpr (Ahead == 4) {
        step(std::integral_constant<int, 2>(), y + 2, raw[2]);
        step(std::integral_constant<int, 3>(), y + 3, raw[3]);
      }
    }
  };
  march_by_place(rows, y0 >= Reach && end + Reach <= rows.src.height, all);
}

}  // namespace cuesta::cuda
