// Strategy `simd`: the levels of the pyramid as planes of 16 bits, each made of whole rows in
// vector lanes; strength, limits and suppression of full size fused in rolling rows. What
// suppression leaves is two bits a pixel; hysteresis works on words of them
// (cpu/bit_hysteresis.hpp).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/boundaries/cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

#include <algorithm>
#include <new>

#include "cpu/bit_hysteresis.hpp"
#include "cpu/bits-inl.hpp"
#include "ops/boundaries/arithmetic.hpp"
#include "ops/boundaries/reference.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

// Samples before a row and past its end that vectors may touch.
constexpr ptrdiff_t room = 64;
constexpr ptrdiff_t round_up(ptrdiff_t n) { return (n + 63) / 64 * 64; }
constexpr ptrdiff_t padded(ptrdiff_t n) { return round_up(n) + 2 * room; }

using Word = hn::ScalableTag<int32_t>;
using Half = hn::Rebind<int16_t, Word>;
using Short = hn::ScalableTag<int16_t>;
template <class D>
constexpr ptrdiff_t lanes(D d) {
  return ptrdiff_t(hn::Lanes(d));
}

// A picture of 16 bits. A row's first and last sample are repeated beside it.
struct Plane {
  int16_t* data = nullptr;
  int32_t width = 0, height = 0;
  ptrdiff_t stride = 0;

  Plane() = default;
  Plane(int32_t wide, int32_t high, Scratch& scratch)
      : width(wide), height(high), stride(padded(wide)) {
    data = scratch.take<int16_t>(size_t(stride * high));
  }
  // Row y, or that of the border nearest to it.
  int16_t* row(int32_t y) const { return data + stride * std::clamp(y, 0, height - 1) + room; }
  void close_row(int32_t y) const {
    int16_t* r = row(y);
    r[-1] = r[0];
    std::fill_n(r + width, 4, r[width - 1]);
  }
};

HWY_INLINE hn::VFromD<Short> mix(hn::VFromD<Short> near, hn::VFromD<Short> far) {
  const Short d;
  const auto step = hn::Add(hn::Sub(far, near), hn::Set(d, int16_t(2)));
  return hn::Add(near, hn::ShiftRight<2>(step));
}

// ---- a level up

// Sums of 1 3 3 1 across every other sample, rounded: out[i] of sums[2 i - 1 .. 2 i + 2].
template <int Shift>
void reduce_across(const int16_t* sums, ptrdiff_t count, int16_t* HWY_RESTRICT out) {
  const Word d;
  const Half d16;
  for (ptrdiff_t x = 0; x < count; x += lanes(d)) {
    auto even = hn::Zero(d16), odd = even, before = even, after = even, unused = even;
    hn::LoadInterleaved2(d16, sums + 2 * x, even, odd);
    hn::LoadInterleaved2(d16, sums + 2 * x - 2, unused, before);
    hn::LoadInterleaved2(d16, sums + 2 * x + 2, after, unused);
    const auto inner = hn::Add(hn::PromoteTo(d, even), hn::PromoteTo(d, odd));
    const auto outer = hn::Add(hn::PromoteTo(d, before), hn::PromoteTo(d, after));
    const auto sum = hn::Add(hn::Add(inner, hn::Add(inner, inner)), outer);
    const auto rounded = hn::ShiftRight<Shift>(hn::Add(sum, hn::Set(d, 1 << (Shift - 1))));
    hn::StoreU(hn::DemoteTo(d16, rounded), d16, out + x);
  }
}

// A row of `to` from four of `from`, whose samples are at most 4095; `sums` has room for a row.
void reduce_row(const Plane& from, int32_t y, int16_t* HWY_RESTRICT sums, const Plane& to) {
  const Short d;
  const int16_t *a = from.row(2 * y - 1), *b = from.row(2 * y), *c = from.row(2 * y + 1),
                *e = from.row(2 * y + 2);
  for (ptrdiff_t x = -1; x < 2 * to.width + 2; x += lanes(d)) {
    const auto inner = hn::Add(hn::LoadU(d, b + x), hn::LoadU(d, c + x));
    const auto outer = hn::Add(hn::LoadU(d, a + x), hn::LoadU(d, e + x));
    hn::StoreU(hn::Add(hn::Add(inner, hn::Add(inner, inner)), outer), d, sums + x);
  }
  reduce_across<6>(sums, to.width, to.row(y));
  to.close_row(y);
}

// ---- a level down

// mix() down the columns, one sample more at either end.
void expand_columns(const Plane& from, int32_t y, ptrdiff_t width, int16_t* HWY_RESTRICT out) {
  const Short d;
  const int16_t *near = from.row(y / 2), *far = from.row(y % 2 ? y / 2 + 1 : y / 2 - 1);
  for (ptrdiff_t x = -1; x <= width; x += lanes(d))
    hn::StoreU(mix(hn::LoadU(d, near + x), hn::LoadU(d, far + x)), d, out + x);
}

// Twice as many samples as `columns` has; with `fine`, added to it.
template <bool Adds>
void expand_across(const int16_t* columns, ptrdiff_t width, const int16_t* fine,
                   int16_t* HWY_RESTRICT out) {
  const Short d;
  for (ptrdiff_t x = 0; x < width; x += lanes(d)) {
    const auto at = hn::LoadU(d, columns + x);
    auto even = mix(at, hn::LoadU(d, columns + x - 1));
    auto odd = mix(at, hn::LoadU(d, columns + x + 1));
    if constexpr (Adds) {
      auto e = hn::Zero(d), o = e;
      hn::LoadInterleaved2(d, fine + 2 * x, e, o);
      even = hn::Add(even, e);
      odd = hn::Add(odd, o);
    }
    hn::StoreInterleaved2(even, odd, d, out + 2 * x);
  }
}

// ---- gradients

struct Tensors {
  hn::VFromD<Word> xx, yy, xy;
};

// Σ g gᵀ over `count` channels; each has three rows. Differences of samples fit 16 bits.
HWY_INLINE Tensors tensors(const int16_t* const (*rows)[3], int32_t count, ptrdiff_t x) {
  const Word d;
  const Half d16;
  Tensors sum{hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  const auto eighth = [&](auto a, auto b, auto c) HWY_ATTR {
    const auto wide = hn::PromoteTo(d, b);
    const auto all =
        hn::Add(hn::Add(hn::PromoteTo(d, a), hn::PromoteTo(d, c)), hn::Add(wide, wide));
    return hn::ShiftRight<3>(hn::Add(all, hn::Set(d, 4)));
  };
  for (int32_t c = 0; c < count; ++c) {
    const auto *above = rows[c][0] + x, *row = rows[c][1] + x, *below = rows[c][2] + x;
    const auto across = [&](const int16_t* r) HWY_ATTR {
      return hn::Sub(hn::LoadU(d16, r + 1), hn::LoadU(d16, r - 1));
    };
    const auto down = [&](ptrdiff_t i) HWY_ATTR {
      return hn::Sub(hn::LoadU(d16, below + i), hn::LoadU(d16, above + i));
    };
    const auto gx = eighth(across(above), across(row), across(below));
    const auto gy = eighth(down(-1), down(0), down(1));
    sum.xx = hn::Add(sum.xx, hn::Mul(gx, gx));
    sum.yy = hn::Add(sum.yy, hn::Mul(gy, gy));
    sum.xy = hn::Add(sum.xy, hn::Mul(gx, gy));
  }
  return sum;
}

using Rows = const int16_t* [3][3];
void take_rows(const Plane* planes, int32_t count, int32_t y, Rows& rows) {
  for (int32_t c = 0; c < count; ++c)
    for (int32_t j = 0; j < 3; ++j) rows[c][j] = planes[c].row(y + j - 1);
}

void activity_row(const Plane* planes, int32_t count, int32_t y, const Plane& to) {
  const Word d;
  const Half d16;
  Rows rows;
  take_rows(planes, count, y, rows);
  int16_t* out = to.row(y);
  for (ptrdiff_t x = 0; x < to.width; x += lanes(d)) {
    const Tensors j = tensors(rows, count, x);
    const auto root = floor_sqrt(d, hn::Add(j.xx, j.yy));
    hn::StoreU(hn::DemoteTo(d16, hn::Min(root, hn::Set(d, boundary::largest_activity))), d16,
               out + x);
  }
  to.close_row(y);
}

// Strengths, and octants as 16 bits, two for each: of the two pixels below.
void strength_row(const Plane* planes, int32_t count, int32_t y, const Plane& strengths,
                  const Plane& octants) {
  const Word d;
  const Half d16;
  Rows rows;
  take_rows(planes, count, y, rows);
  int16_t *out = strengths.row(y), *codes = octants.row(y);
  for (ptrdiff_t x = 0; x < strengths.width; x += lanes(d)) {
    const Tensors j = tensors(rows, count, x);
    const auto across = hn::Sub(j.xx, j.yy), along = hn::Add(j.xy, j.xy);
    const auto wide = hn::Abs(across), most = hn::Abs(along), sum = hn::Add(wide, most);
    const auto diagonal = hn::Sub(hn::Sub(sum, hn::ShiftRight<2>(sum)), hn::ShiftRight<5>(sum));
    const auto spread = hn::Max(hn::Max(wide, most), diagonal);
    const auto root = floor_sqrt(d, hn::ShiftRight<1>(hn::Add(hn::Add(j.xx, j.yy), spread)));
    hn::StoreU(hn::DemoteTo(d16, hn::Min(root, hn::Set(d, boundary::largest_strength))), d16,
               out + x);
    auto code = hn::IfThenElse(hn::Lt(along, hn::Zero(d)), hn::Set(d, 3), hn::Set(d, 1));
    code = hn::IfThenElse(hn::Gt(hn::Neg(across), most), hn::Set(d, 2), code);
    code = hn::IfThenZeroElse(hn::Gt(across, most), code);
    const auto narrow = hn::DemoteTo(d16, code);
    hn::StoreInterleaved2(narrow, narrow, d16, codes + 2 * x);
  }
  strengths.close_row(y);
}

// ---- the source

// Rows of responses, a plane for each channel, each made once, downwards; the last four are kept.
class Responses {
 public:
  static ptrdiff_t samples(int32_t width) { return padded(width) * 12; }
  Responses(ConstAnyView src, uint8_t* memory)
      : src_(src), stride_(padded(src.width)), memory_(memory) {}

  // Rows 2 y - 1 .. 2 y + 2 of channel c; the y of consecutive calls rise by 1.
  void make(int32_t y) {
    if (next_ < 0) next_ = std::max(0, 2 * y - 1);
    for (; next_ <= std::min(2 * y + 2, src_.height - 1); ++next_) {
      if (src_.type == PixelType::u8)
        read(src_.as<uint8_t>().row(next_));
      else
        read(src_.as<uint16_t>().row(next_));
    }
  }
  const uint8_t* row(int32_t c, int32_t y) const {
    return at(c, std::clamp(y, 0, src_.height - 1));
  }

 private:
  uint8_t* at(int32_t c, int32_t y) const { return memory_ + stride_ * (4 * c + y % 4) + room; }
  template <class T>
  void read(const T* from) {
    const uint8_t* table = boundary::responses().data();
    const int32_t width = src_.width;
    uint8_t* to[3] = {at(0, next_), at(1, next_), at(2, next_)};
    if (src_.channels == 1) {
      for (int32_t x = 0; x < width; ++x) to[0][x] = table[boundary::level_of(from[x])];
    } else {
      for (int32_t x = 0; x < width; ++x) {
        to[0][x] = table[boundary::level_of(from[3 * x])];
        to[1][x] = table[boundary::level_of(from[3 * x + 1])];
        to[2][x] = table[boundary::level_of(from[3 * x + 2])];
      }
    }
    for (int32_t c = 0; c < src_.channels; ++c) {
      to[c][-1] = to[c][0];
      std::fill_n(to[c] + width, 4, to[c][width - 1]);
    }
  }

  ConstAnyView src_;
  ptrdiff_t stride_;
  uint8_t* memory_;
  int32_t next_ = -1;
};

// Row y of a channel at half size.
void reduce_responses(const Responses& responses, int32_t c, int32_t y, ptrdiff_t count,
                      int16_t* HWY_RESTRICT sums, int16_t* HWY_RESTRICT out) {
  const Short d;
  const hn::Rebind<uint8_t, Short> d8;
  const uint8_t* rows[4];
  for (int32_t j = 0; j < 4; ++j) rows[j] = responses.row(c, 2 * y - 1 + j);
  const auto at = [&](int j, ptrdiff_t x)
                      HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(d8, rows[j] + x)); };
  for (ptrdiff_t x = -1; x < 2 * count + 2; x += lanes(d)) {
    const auto inner = hn::Add(at(1, x), at(2, x));
    const auto outer = hn::Add(at(0, x), at(3, x));
    hn::StoreU(hn::Add(hn::Add(inner, hn::Add(inner, inner)), outer), d, sums + x);
  }
  reduce_across<5>(sums, count, out);
}

// Brightness and opponent colors, in place of red, green and blue.
void make_opponents(int16_t* HWY_RESTRICT red, int16_t* HWY_RESTRICT green,
                    int16_t* HWY_RESTRICT blue, ptrdiff_t count) {
  const Short d;
  for (ptrdiff_t x = 0; x < count; x += lanes(d)) {
    const auto r = hn::LoadU(d, red + x), g = hn::LoadU(d, green + x), b = hn::LoadU(d, blue + x);
    const auto sum = hn::Add(r, g), difference = hn::Sub(r, g);
    const auto thrice = [&](auto v) HWY_ATTR { return hn::Add(v, hn::Add(v, v)); };
    hn::StoreU(hn::Add(sum, b), d, red + x);
    hn::StoreU(thrice(hn::Add(difference, difference)), d, green + x);
    hn::StoreU(thrice(hn::Sub(sum, hn::Add(b, b))), d, blue + x);
  }
}

// ---- full size

// The limits of row y, which are 16 apart, between their samples: out[-8 ..].
void limit_row(const Plane& limits, int32_t y, ptrdiff_t width, int32_t* HWY_RESTRICT columns,
               int16_t* HWY_RESTRICT out) {
  static constexpr int32_t shares[] = {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31};
  const hn::CappedTag<int32_t, 16> d;
  const hn::Rebind<int16_t, decltype(d)> d16;
  const auto [first, down] = boundary::place_of(y);
  const int16_t *above = limits.row(first), *below = limits.row(first + 1);
  for (int32_t x = -1; x <= limits.width; ++x)
    columns[x] = (32 - down) * above[x] + down * below[x];
  for (ptrdiff_t i = -1; 16 * i + 8 < width; ++i) {
    const auto begin = hn::Set(d, 32 * columns[i] + 512);
    const auto step = hn::Set(d, columns[i + 1] - columns[i]);
    for (ptrdiff_t k = 0; k < 16; k += lanes(d)) {
      const auto between = hn::Add(begin, hn::Mul(step, hn::LoadU(d, shares + k)));
      hn::StoreU(hn::DemoteTo(d16, hn::ShiftRight<10>(between)), d16, out + 16 * i + 8 + k);
    }
  }
}

// Suppression of a row of strengths between its neighbours: a maximum above half its limit becomes
// a candidate, above the limit strong.
void suppress(const int16_t* up, const int16_t* row, const int16_t* down, const int16_t* octants,
              const int16_t* limits, ptrdiff_t width, uint8_t* HWY_RESTRICT candidates,
              uint8_t* HWY_RESTRICT strong) {
  const Short d;
  const auto one = hn::Set(d, int16_t(1));
  for (ptrdiff_t x = 0; x < width; x += lanes(d)) {
    const auto at = [&](const int16_t* from) HWY_ATTR { return hn::LoadU(d, from + x); };
    const auto code = at(octants);
    const auto falling = hn::Eq(code, one);
    const auto vertical = hn::Eq(code, hn::Set(d, int16_t(2)));
    const auto flat = hn::Eq(code, hn::Zero(d));
    auto before = hn::IfThenElse(falling, at(up - 1), at(up + 1));
    auto after = hn::IfThenElse(falling, at(down + 1), at(down - 1));
    before = hn::IfThenElse(vertical, at(up), before);
    after = hn::IfThenElse(vertical, at(down), after);
    before = hn::IfThenElse(flat, at(row - 1), before);
    after = hn::IfThenElse(flat, at(row + 1), after);
    // Right and below may be equal: m >= n is m > n - 1.
    const auto m = at(row), limit = at(limits);
    const auto bound = hn::Max(before, hn::Sub(after, one));
    store_bits(d, hn::Gt(m, hn::Max(bound, hn::ShiftRight<1>(limit))), x, candidates);
    store_bits(d, hn::Gt(m, hn::Max(bound, limit)), x, strong);
  }
}

class Finder {
 public:
  Finder(const BoundariesArgs& args, Call& call)
      : args_(args),
        call_(call),
        scratch_(call.scratch()),
        threads_(call.threads()),
        channels_(args.src.channels),
        width_(args.src.width),
        height_(args.src.height) {}

  void run() {
    call_.stage("pyramid");
    Plane first[3];
    take_source(first);
    Plane sums[3];
    for (int32_t c = 0; c < channels_; ++c) {
      const Plane second = level_above(first[c]), third = level_above(second);
      double_samples(third);
      sums[c] = sum_of(first[c], sum_of(second, third));
    }
    call_.stage("surround");
    const Plane limits = surround_limits(first);
    call_.stage("strength");
    const int32_t wide = first[0].width, high = first[0].height;
    const Plane strengths(wide, high, scratch_), octants(2 * wide, high, scratch_);
    for_rows(strengths, 0,
             [&](int32_t y, uint8_t*) { strength_row(sums, channels_, y, strengths, octants); });
    call_.stage("suppression and hysteresis");
    find_edges(strengths, octants, limits);
  }

 private:
  // body(y, memory of `bytes` that no other row uses meanwhile), rows over threads.
  template <class Body>
  void for_rows(const Plane& of, ptrdiff_t bytes, const Body& body) {
    const Strips strips(of.height, threads_);
    auto* memory = scratch_.take<uint8_t>(size_t(round_up(bytes) * strips.count));
    parallel_tasks(strips.count, threads_, [&](int s) {
      for (int32_t y = strips.begin(s); y < strips.end(s); ++y)
        body(y, memory + round_up(bytes) * s);
    });
  }
  static int16_t* sums_in(uint8_t* memory) { return reinterpret_cast<int16_t*>(memory) + room; }

  void take_source(Plane* planes) {
    const int32_t wide = boundary::half(width_), high = boundary::half(height_);
    for (int32_t c = 0; c < channels_; ++c) planes[c] = Plane(wide, high, scratch_);
    const Strips strips(high, threads_);
    const ptrdiff_t of_sums = round_up(2 * padded(width_ + 2));
    const ptrdiff_t bytes = of_sums + round_up(Responses::samples(width_));
    auto* memory = scratch_.take<uint8_t>(size_t(bytes * strips.count));
    parallel_tasks(strips.count, threads_, [&](int s) {
      int16_t* sums = sums_in(memory + bytes * s);
      Responses responses(args_.src, memory + bytes * s + of_sums);
      for (int32_t y = strips.begin(s); y < strips.end(s); ++y) {
        responses.make(y);
        for (int32_t c = 0; c < channels_; ++c)
          reduce_responses(responses, c, y, wide, sums, planes[c].row(y));
        if (channels_ == 3) {
          make_opponents(planes[0].row(y), planes[1].row(y), planes[2].row(y), wide);
        } else {
          int16_t* gray = planes[0].row(y);
          for (int32_t x = 0; x < wide; ++x) gray[x] = int16_t(3 * gray[x]);
        }
        for (int32_t c = 0; c < channels_; ++c) planes[c].close_row(y);
      }
    });
  }

  Plane level_above(const Plane& from) {
    const Plane to(boundary::half(from.width), boundary::half(from.height), scratch_);
    for_rows(to, 2 * padded(from.width + 2),
             [&](int32_t y, uint8_t* memory) { reduce_row(from, y, sums_in(memory), to); });
    return to;
  }
  void double_samples(const Plane& plane) {
    for_rows(plane, 0, [&](int32_t y, uint8_t*) {
      int16_t* row = plane.row(y);
      for (int32_t x = -1; x < plane.width + 4; ++x) row[x] = int16_t(2 * row[x]);
    });
  }
  Plane sum_of(const Plane& fine, const Plane& coarse) {
    const Plane to(fine.width, fine.height, scratch_);
    for_rows(to, 2 * padded(coarse.width), [&](int32_t y, uint8_t* memory) {
      int16_t* columns = sums_in(memory);
      expand_columns(coarse, y, coarse.width, columns);
      expand_across<true>(columns, coarse.width, fine.row(y), to.row(y));
      to.close_row(y);
    });
    return to;
  }

  Plane surround_limits(const Plane* first) {
    Plane around(first[0].width, first[0].height, scratch_);
    for_rows(around, 0, [&](int32_t y, uint8_t*) { activity_row(first, channels_, y, around); });
    for (int level = 1; level < 4; ++level) around = level_above(around);
    for (int time = 0; time < 2; ++time) around = smoothed(around);
    const int64_t threshold = boundary::fixed_threshold(args_.options);
    for (int32_t y = 0; y < around.height; ++y) {
      int16_t* row = around.row(y);
      for (int32_t x = 0; x < around.width; ++x)
        row[x] = int16_t(boundary::limit(threshold, row[x]));
      around.close_row(y);
    }
    return around;
  }
  Plane smoothed(const Plane& from) {
    const Plane to(from.width, from.height, scratch_);
    for_rows(to, 0, [&](int32_t y, uint8_t*) {
      const int16_t *a = from.row(y - 1), *b = from.row(y), *c = from.row(y + 1);
      const auto column = [&](int32_t x) { return a[x] + 2 * b[x] + c[x]; };
      int16_t* row = to.row(y);
      for (int32_t x = 0; x < to.width; ++x)
        row[x] = int16_t((column(x - 1) + 2 * column(x) + column(x + 1) + 8) >> 4);
      to.close_row(y);
    });
    return to;
  }

  void find_edges(const Plane& half, const Plane& octants, const Plane& limits) {
    const Strips strips(height_, threads_);
    const ptrdiff_t stride = padded(width_ + 1);
    const ptrdiff_t words = width_ / 64 + 1 + room;
    // Three rows of strengths, one of columns, one of limits, their columns, two of bits.
    const ptrdiff_t bytes = round_up(2 * 5 * stride + 4 * padded(limits.width) + 16 * words);
    auto* memory = scratch_.take<uint8_t>(size_t(bytes * strips.count));
    auto* bits = scratch_.take<BitStrip>(size_t(strips.count));
    for (int32_t s = 0; s < strips.count; ++s) {
      const int32_t rows = strips.end(s) - strips.begin(s);
      auto* room_of = scratch_.take<uint64_t>(BitStrip::memory_words(width_, rows));
      new (&bits[s]) BitStrip(width_, rows, room_of);
    }
    parallel_tasks(strips.count, threads_, [&](int s) {
      bits[s].clear();
      find_strip(half, octants, limits, strips.begin(s), strips.end(s), memory + bytes * s,
                 bits[s]);
    });
    BitStrip::join(bits, strips.count);
    const auto dst = args_.dst.as<uint8_t>();
    parallel_tasks(strips.count, threads_, [&](int s) {
      for (int32_t y = strips.begin(s); y < strips.end(s); ++y)
        unpack_row(bits[s].edges(y - strips.begin(s)), width_, dst.row(y));
    });
  }

  void find_strip(const Plane& half, const Plane& octants, const Plane& limits, int32_t begin,
                  int32_t end, uint8_t* memory, BitStrip& strip) const {
    const ptrdiff_t stride = padded(width_ + 1);
    int16_t* strengths = reinterpret_cast<int16_t*>(memory) + room;
    int16_t *columns = strengths + 3 * stride, *limit = columns + stride;
    auto* of_limits = reinterpret_cast<int32_t*>(memory + 2 * 5 * stride);
    auto* candidates = reinterpret_cast<uint64_t*>(of_limits + padded(limits.width));
    auto* strong = candidates + width_ / 64 + 1 + room;
    const auto row = [&](int32_t y) { return strengths + stride * ((y + 3) % 3); };
    const auto make = [&](int32_t y) {
      int16_t* to = row(y);
      if (y < 0 || y >= height_) {
        std::fill_n(to - 1, width_ + 2, int16_t(0));
        return;
      }
      expand_columns(half, y, half.width, columns);
      expand_across<false>(columns, half.width, nullptr, to);
      to[-1] = to[width_] = 0;
    };
    const int32_t words = strip.words();
    const uint64_t last_word = ~uint64_t{0} >> ((64 - width_ % 64) % 64);
    make(begin - 1);
    make(begin);
    for (int32_t y = begin; y < end; ++y) {
      make(y + 1);
      limit_row(limits, y, width_, of_limits + room, limit);
      candidates[words - 1] = strong[words - 1] = 0;  // vectors may leave the last bytes alone
      suppress(row(y - 1), row(y), row(y + 1), octants.row(y / 2), limit, width_,
               reinterpret_cast<uint8_t*>(candidates), reinterpret_cast<uint8_t*>(strong));
      candidates[words - 1] &= last_word;
      strong[words - 1] &= last_word;
      strip.add_row(y - begin, candidates, strong);
    }
    strip.close();
  }

  const BoundariesArgs& args_;
  Call& call_;
  Scratch& scratch_;
  int threads_;
  int32_t channels_, width_, height_;
};

}  // namespace

void boundaries_simd_target(const BoundariesArgs& args, Call& call) { Finder(args, call).run(); }

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cuesta {

HWY_EXPORT(boundaries_simd_target);
void boundaries_simd(const BoundariesArgs& args, Call& call) {
  HWY_DYNAMIC_DISPATCH(boundaries_simd_target)(args, call);
}

}  // namespace cuesta
#endif
