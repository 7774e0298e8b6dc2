// The row kernels of boundaries in 16-bit lanes: levels up and down, gradients, responses, limits
// and suppression. Included as cpu/simd-inl.hpp is.
#if defined(CUESTA_BOUNDARIES_ROWS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_BOUNDARIES_ROWS_INL_HPP
#undef CUESTA_BOUNDARIES_ROWS_INL_HPP
#else
#define CUESTA_BOUNDARIES_ROWS_INL_HPP
#endif

#include <algorithm>

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

// |fine - E(coarse)| from rows of both; `columns` are those of the coarse level.
void detail_row(const int16_t* columns, ptrdiff_t width, const int16_t* fine,
                int16_t* HWY_RESTRICT out) {
  const Short d;
  expand_across<false>(columns, (width + 1) / 2, nullptr, out);
  for (ptrdiff_t x = 0; x < width; x += lanes(d))
    hn::StoreU(hn::Abs(hn::Sub(hn::LoadU(d, fine + x), hn::LoadU(d, out + x))), d, out + x);
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

// |gx| - |gy| of one channel.
void grain_row(const Plane& from, int32_t y, const Plane& to) {
  const int16_t *above = from.row(y - 1), *row = from.row(y), *below = from.row(y + 1);
  int16_t* out = to.row(y);
  for (ptrdiff_t x = 0; x < to.width; ++x) {
    const auto across = [&](const int16_t* r) { return r[x + 1] - r[x - 1]; };
    const auto down = [&](ptrdiff_t i) { return below[i] - above[i]; };
    const int32_t gx = (across(above) + 2 * across(row) + across(below) + 4) >> 3;
    const int32_t gy = (down(x - 1) + 2 * down(x) + down(x + 1) + 4) >> 3;
    out[x] = int16_t(std::abs(gx) - std::abs(gy));
  }
  to.close_row(y);
}

// J of a row: xx, yy and xy.
void tensor_row(const Plane* planes, int32_t count, int32_t y, int32_t* HWY_RESTRICT xx,
                int32_t* HWY_RESTRICT yy, int32_t* HWY_RESTRICT xy) {
  const Word d;
  Rows rows;
  take_rows(planes, count, y, rows);
  for (ptrdiff_t x = 0; x < planes[0].width; x += lanes(d)) {
    const Tensors j = tensors(rows, count, x);
    hn::StoreU(j.xx, d, xx + x);
    hn::StoreU(j.yy, d, yy + x);
    hn::StoreU(j.xy, d, xy + x);
  }
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

}  // namespace
}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
