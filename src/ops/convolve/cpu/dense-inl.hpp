// Rank-1 windows of u8 to u8 without negative taps: Gaussians and boxes. Exact: bytes across to
// s16, pairs of those rows down to s32, one rounding. Included as cpu/simd-inl.hpp is.
#if defined(CUESTA_CONVOLVE_DENSE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_CONVOLVE_DENSE_INL_HPP
#undef CUESTA_CONVOLVE_DENSE_INL_HPP
#else
#define CUESTA_CONVOLVE_DENSE_INL_HPP
#endif

#include "ops/convolve/cpu/bytes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

// Source bytes are kept as v - 128 in s8 and taps in u8, so that a row's sum, at most 256 · 255,
// stays in s16 as sum - 128 · row_sum.
struct DenseTaps {
  int16_t across[pair_count(Stencil::max_size)];       // two u8 taps each
  int32_t down_first[pair_count(Stencil::max_size)];   // two s16 taps each
  int32_t down_second[pair_count(Stencil::max_size)];  // the same, one row further down
  int32_t across_pairs, down_pairs, step;
  int32_t too_low;  // what the sums in s32 lack: 128 · row_sum · column_sum
};

DenseTaps dense_taps(const ConvolveArgs& args, const Plan& plan) {
  DenseTaps taps;
  taps.across_pairs = (args.width + 1) / 2;
  taps.down_pairs = pair_count(args.height);
  taps.step = args.src.channels;
  const auto across = [&](int32_t i) -> int64_t {
    return i < args.width ? args.integers.row[size_t(i)] / plan.row_scale : 0;
  };
  const auto down = [&](int32_t j) -> uint32_t {
    if (j < 0 || j >= args.height) return 0;
    return uint32_t(args.integers.column[size_t(j)] / plan.column_scale);
  };
  int64_t row_sum = 0, column_sum = 0;
  for (int32_t i = 0; i < args.width; ++i) row_sum += across(i);
  for (int32_t j = 0; j < args.height; ++j) column_sum += down(j);
  for (int32_t m = 0; m < taps.across_pairs; ++m)
    taps.across[m] = byte_pair(across(2 * m), across(2 * m + 1));
  for (int32_t m = 0; m < taps.down_pairs; ++m) {
    taps.down_first[m] = int32_t(down(2 * m) | down(2 * m + 1) << 16);
    taps.down_second[m] = int32_t(down(2 * m - 1) | down(2 * m) << 16);
  }
  taps.too_low = int32_t(128 * row_sum * column_sum);
  return taps;
}

// How an s32 sum becomes a byte.
enum class Round : uint8_t { none, shift_up, shift_even, multiply, divide };

struct DenseFinish {
  Round round;
  int32_t start;  // what sums begin with: what they lack, and half the divisor when rounding up
  int32_t shift, below_half, offset;
  float divisor, inverse;

  DenseFinish(const ConvolveArgs& args, const Plan& plan, const DenseTaps& taps) {
    shift = exact_log2(plan.divisor);
    if (shift == 0)
      round = Round::none;
    else if (shift > 0)
      round = args.rounding == Rounding::half_up ? Round::shift_up : Round::shift_even;
    else
      // Without ties (odd divisors) a quotient of sums below 2^22 is further from one half than the
      // two roundings of a multiplication by the inverse reach.
      round = plan.divisor % 2 && plan.most < (1 << 22) ? Round::multiply : Round::divide;
    shift = std::clamp(shift, 0, 31);
    below_half = shift > 0 ? int32_t((int64_t(1) << (shift - 1)) - 1) : 0;
    start = taps.too_low + (round == Round::shift_up ? below_half + 1 : 0);
    offset = args.offset;
    divisor = float(plan.divisor);
    inverse = float(1 / double(plan.divisor));
  }
};

/// Row sums of two source rows of s8 bytes, interleaved for multiply_pairs: for every 2n samples (n
/// lanes of s16) four vectors: even samples' lower and upper half blocks, odd samples' the same.
/// Reads up to 2 vectors past the end.
void sum_across(const uint8_t* HWY_RESTRICT upper, const uint8_t* HWY_RESTRICT lower,
                const DenseTaps& taps, int16_t* HWY_RESTRICT to, ptrdiff_t count) {
  const Words d;
  const Bytes d8;
  const SignedBytes ds;
  const auto n = ptrdiff_t(hn::Lanes(d));
  const ptrdiff_t step = taps.step;
  for (ptrdiff_t x = 0; x < count; x += 2 * n) {
    auto even_u = hn::Zero(d), odd_u = even_u, even_l = even_u, odd_l = even_u;
    const uint8_t *u = upper + x, *l = lower + x;
    if (step == 1) {
      for (int32_t m = 0; m < taps.across_pairs; ++m, u += 2, l += 2) {
        const auto tap = hn::BitCast(d8, hn::Set(d, taps.across[m]));
        const auto load = [&](const uint8_t* p) { return hn::BitCast(ds, hn::LoadU(d8, p)); };
        even_u = hn::Add(even_u, multiply_pairs(tap, load(u)));
        odd_u = hn::Add(odd_u, multiply_pairs(tap, load(u + 1)));
        even_l = hn::Add(even_l, multiply_pairs(tap, load(l)));
        odd_l = hn::Add(odd_l, multiply_pairs(tap, load(l + 1)));
      }
    } else {
      for (int32_t m = 0; m < taps.across_pairs; ++m, u += 2 * step, l += 2 * step) {
        const auto tap = hn::BitCast(d8, hn::Set(d, taps.across[m]));
        // Samples x and x + step side by side, for even and for odd x.
        const auto even = [&](const uint8_t* p) {
          const auto next = hn::ShiftLeft<8>(hn::BitCast(d, hn::LoadU(d8, p + step)));
          return hn::BitCast(ds, hn::OddEven(hn::BitCast(d8, next), hn::LoadU(d8, p)));
        };
        const auto odd = [&](const uint8_t* p) {
          const hn::RebindToUnsigned<Words> du;
          const auto here = hn::ShiftRight<8>(hn::BitCast(du, hn::LoadU(d8, p)));
          return hn::BitCast(ds, hn::OddEven(hn::LoadU(d8, p + step), hn::BitCast(d8, here)));
        };
        even_u = hn::Add(even_u, multiply_pairs(tap, even(u)));
        odd_u = hn::Add(odd_u, multiply_pairs(tap, odd(u)));
        even_l = hn::Add(even_l, multiply_pairs(tap, even(l)));
        odd_l = hn::Add(odd_l, multiply_pairs(tap, odd(l)));
      }
    }
    hn::StoreU(hn::InterleaveLower(d, even_u, even_l), d, to + 2 * x);
    hn::StoreU(hn::InterleaveUpper(d, even_u, even_l), d, to + 2 * x + n);
    hn::StoreU(hn::InterleaveLower(d, odd_u, odd_l), d, to + 2 * x + 2 * n);
    hn::StoreU(hn::InterleaveUpper(d, odd_u, odd_l), d, to + 2 * x + 3 * n);
  }
}

template <Round How, class V>
HWY_INLINE V rounded(V sum, const DenseFinish& f) {
  const Longs d;
  const hn::RebindToFloat<Longs> df;
  if constexpr (How == Round::shift_up) return hn::ShiftRightSame(sum, f.shift);
  if constexpr (How == Round::shift_even) {
    const V is_odd = hn::And(hn::ShiftRightSame(sum, f.shift), hn::Set(d, 1));
    return hn::ShiftRightSame(hn::Add(sum, hn::Add(is_odd, hn::Set(d, f.below_half))), f.shift);
  }
  if constexpr (How == Round::multiply)
    return hn::NearestInt(hn::Mul(hn::ConvertTo(df, sum), hn::Set(df, f.inverse)));
  if constexpr (How == Round::divide)
    return hn::NearestInt(hn::Div(hn::ConvertTo(df, sum), hn::Set(df, f.divisor)));
  return sum;
}

// 2n bytes from the four vectors of sums that sum_across' order gives.
template <Round How, class V>
HWY_INLINE hn::VFromD<Bytes> bytes_of(V even_l, V even_u, V odd_l, V odd_u, const DenseFinish& f) {
  const Longs d;
  const Words d16;
  const Bytes d8;
  const auto word = [&](V a, V b) {
    a = rounded<How>(a, f), b = rounded<How>(b, f);
    if (f.offset != 0) {
      a = hn::Add(a, hn::Set(d, f.offset));
      b = hn::Add(b, hn::Set(d, f.offset));
    }
    const auto both = hn::ReorderDemote2To(d16, a, b);
    return hn::Max(hn::Zero(d16), hn::Min(hn::Set(d16, 255), both));
  };
  const auto odd = hn::ShiftLeft<8>(word(odd_l, odd_u));
  return hn::BitCast(d8, hn::Or(word(even_l, even_u), odd));
}

/// Two output rows from `pairs` rows of sum_across. Reads up to 4 vectors past the end; writes
/// `count` bytes each; `second` may be null.
template <Round How>
void sum_down(const int16_t* const* pairs, const DenseTaps& taps, const DenseFinish& f,
              uint8_t* HWY_RESTRICT first, uint8_t* HWY_RESTRICT second, ptrdiff_t count) {
  const Longs d;
  const Words d16;
  const Bytes d8;
  const auto n = ptrdiff_t(hn::Lanes(d16));
  for (ptrdiff_t x = 0; x < count; x += 2 * n) {
    auto a0 = hn::Set(d, f.start), a1 = a0, a2 = a0, a3 = a0;
    auto b0 = a0, b1 = a0, b2 = a0, b3 = a0;
    for (int32_t m = 0; m < taps.down_pairs; ++m) {
      const int16_t* from = pairs[m] + 2 * x;
      const auto v0 = hn::LoadU(d16, from), v1 = hn::LoadU(d16, from + n);
      const auto v2 = hn::LoadU(d16, from + 2 * n), v3 = hn::LoadU(d16, from + 3 * n);
      const auto ta = hn::BitCast(d16, hn::Set(d, taps.down_first[m]));
      a0 = hn::Add(a0, multiply_pairs(v0, ta));
      a1 = hn::Add(a1, multiply_pairs(v1, ta));
      a2 = hn::Add(a2, multiply_pairs(v2, ta));
      a3 = hn::Add(a3, multiply_pairs(v3, ta));
      const auto tb = hn::BitCast(d16, hn::Set(d, taps.down_second[m]));
      b0 = hn::Add(b0, multiply_pairs(v0, tb));
      b1 = hn::Add(b1, multiply_pairs(v1, tb));
      b2 = hn::Add(b2, multiply_pairs(v2, tb));
      b3 = hn::Add(b3, multiply_pairs(v3, tb));
    }
    store_upto(bytes_of<How>(a0, a1, a2, a3, f), d8, first + x, count - x);
    if (second) store_upto(bytes_of<How>(b0, b1, b2, b3, f), d8, second + x, count - x);
  }
}

void sum_down(const int16_t* const* pairs, const DenseTaps& taps, const DenseFinish& f,
              uint8_t* first, uint8_t* second, ptrdiff_t count) {
  switch (f.round) {
    case Round::none: return sum_down<Round::none>(pairs, taps, f, first, second, count);
    case Round::shift_up: return sum_down<Round::shift_up>(pairs, taps, f, first, second, count);
    case Round::shift_even:
      return sum_down<Round::shift_even>(pairs, taps, f, first, second, count);
    case Round::multiply: return sum_down<Round::multiply>(pairs, taps, f, first, second, count);
    case Round::divide: return sum_down<Round::divide>(pairs, taps, f, first, second, count);
  }
}

// v - 128 as s8, in place.
void to_signed(uint8_t* row, ptrdiff_t count) {
  const Bytes d;
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d)))
    hn::StoreU(hn::Xor(hn::LoadU(d, row + x), hn::Set(d, 128)), d, row + x);
}

void dense_strips(const ConvolveArgs& args, const Plan& plan, Call& call) {
  const int32_t c = args.src.channels;
  const int32_t left = args.anchor_x, right = args.width - 1 - left, top = args.anchor_y;
  const DenseTaps taps = dense_taps(args, plan);
  const DenseFinish finish(args, plan, taps);
  const int32_t pairs = taps.down_pairs;
  const int32_t tile = tile_pixels(args.src.width, size_t(pairs) * size_t(c) * 4);
  // Each strip makes height - 1 rows that another makes too.
  const Strips strips(args.src.height, call.threads(), std::max(16, 4 * args.height));
  const ptrdiff_t stride = (ptrdiff_t(tile + args.width) * c + 63) / 64 * 64 + 128;
  const ptrdiff_t slot_size = 2 * stride;
  Scratch& scratch = call.scratch();
  const auto strip_count = size_t(strips.count);
  int16_t* const rings = scratch.take<int16_t>(size_t(slot_size) * size_t(pairs) * strip_count);
  uint8_t* const rows = scratch.take<uint8_t>(size_t(stride) * 2 * strip_count);
  const auto src = args.src.as<uint8_t>();
  const auto dst = args.dst.as<uint8_t>();

  parallel_tasks(strips.count, call.threads(), [&](int s) {
    int16_t* const ring = rings + slot_size * pairs * s;
    uint8_t *const upper = rows + stride * 2 * s, *const lower = upper + stride;
    const int32_t begin = strips.begin(s), stop = strips.end(s);
    for (int32_t x = 0; x < args.src.width; x += tile) {
      const int32_t end = std::min(x + tile, args.src.width);
      const ptrdiff_t count = ptrdiff_t(end - x) * c;
      const ptrdiff_t extended = ptrdiff_t(end - x + args.width - 1) * c;
      const auto slot = [&](int32_t p) { return ring + slot_size * (p % pairs); };
      const auto make_pair = [&](int32_t p) {
        int32_t y = begin - top + 2 * p;
        for (uint8_t* row : {upper, lower}) {
          cpu::extend_span(src, y++, args.border, x - left, end + right, row);
          to_signed(row, extended);
        }
        sum_across(upper, lower, taps, slot(p), count);
      };
      const int16_t* window[pair_count(Stencil::max_size)];
      for (int32_t p = 0; p + 1 < pairs; ++p) make_pair(p);
      for (int32_t y = begin, p = 0; y < stop; y += 2, ++p) {
        make_pair(p + pairs - 1);
        for (int32_t m = 0; m < pairs; ++m) window[m] = slot(p + m);
        const ptrdiff_t at = ptrdiff_t(x) * c;
        sum_down(window, taps, finish, dst.row(y) + at,
                 y + 1 < stop ? dst.row(y + 1) + at : nullptr, count);
      }
    }
  });
}

}  // namespace
}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
