// Strategy `simd`: each model on rows of vectors, the mask packed from the row of differences while
// it is in L1. Median and samples work in bytes, mean and mixture in 32-bit lanes.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/background/cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

#include <hwy/cache_control.h>

#include <algorithm>
#include <cstring>

#include "core/background_models.hpp"
#include "core/bits.hpp"
#include "cpu/bits-inl.hpp"
#include "cpu/simd-inl.hpp"
#include "ops/background/reference.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

namespace gaussians = background::gaussians;

using D8 = hn::ScalableTag<uint8_t>;
using D32 = hn::ScalableTag<int32_t>;
using D8of32 = hn::Rebind<uint8_t, D32>;
using D16of32 = hn::Rebind<uint16_t, D32>;

template <class V>
HWY_INLINE V distance(V a, V b) {
  return hn::Sub(hn::Max(a, b), hn::Min(a, b));
}

// One vector at column x: `count` pixels of it exist.
struct Place {
  ptrdiff_t x, count;
};

// Where one row's verdicts go: `difference` always, `background` by request.
struct Verdicts {
  uint8_t *background, *difference;
  template <class D, class V>
  HWY_INLINE void put(D d, Place at, V level, V apart) const {
    if (background) store_upto(level, d, background + at.x, at.count);
    store_upto(apart, d, difference + at.x, at.count);
  }
};

// step(place) for every vector of a row.
template <class D, class Step>
HWY_INLINE void for_row(D d, ptrdiff_t width, const Step& step) {
  const auto lanes = ptrdiff_t(hn::Lanes(d));
  for (ptrdiff_t x = 0; x < width; x += lanes) step(Place{x, width - x});
}

void learn_row(background::First, const BackgroundArgs& args, int32_t y, const Verdicts& to) {
  const D8 d;
  const uint8_t* frame = args.frame.as<uint8_t>().row(y);
  const uint8_t* state = args.state.as<uint8_t>().row(y);
  for_row(d, args.frame.width, [&](Place at) HWY_ATTR {
    const auto level = load_upto(d, state + at.x, at.count);
    to.put(d, at, level, distance(load_upto(d, frame + at.x, at.count), level));
  });
}

void learn_row(background::Median, const BackgroundArgs& args, int32_t y, const Verdicts& to) {
  const D8 d;
  const uint8_t* frame = args.frame.as<uint8_t>().row(y);
  uint8_t* medians = args.state.as<uint8_t>().row(2 * y);
  uint8_t* deviations = args.state.as<uint8_t>().row(2 * y + 1);
  const auto one = hn::Set(d, uint8_t(1));
  const auto least = hn::Set(d, uint8_t(background::min_deviation));
  // One step from v towards `target`.
  const auto step = [&](auto v, auto target) HWY_ATTR {
    return hn::Sub(hn::Add(v, hn::Min(hn::SaturatedSub(target, v), one)),
                   hn::Min(hn::SaturatedSub(v, target), one));
  };
  for_row(d, args.frame.width, [&](Place at) HWY_ATTR {
    const auto v = load_upto(d, frame + at.x, at.count);
    const auto level = load_upto(d, medians + at.x, at.count);
    const auto spread = load_upto(d, deviations + at.x, at.count);
    const auto apart = distance(v, level);
    const auto target =
        hn::IfThenElse(hn::Eq(apart, hn::Zero(d)), spread, hn::SaturatedAdd(apart, apart));
    store_upto(step(level, v), d, medians + at.x, at.count);
    store_upto(hn::Max(step(spread, target), least), d, deviations + at.x, at.count);
    const auto beyond = hn::Eq(hn::Max(apart, spread), apart);  // apart >= spread
    to.put(d, at, level, hn::IfThenElseZero(beyond, apart));
  });
}

// u8 of values that fit, after a clamp at 255.
template <class V>
HWY_INLINE auto level_of(V v) {
  return hn::DemoteTo(D8of32(), hn::Min(v, hn::Set(D32(), 255)));
}
template <class V>
HWY_INLINE V rounded_level(V q8) {
  return hn::ShiftRight<8>(hn::Add(q8, hn::Set(D32(), 128)));
}
HWY_INLINE auto load_u8(const uint8_t* from, Place at) {
  return hn::PromoteTo(D32(), load_upto(D8of32(), from + at.x, at.count));
}
HWY_INLINE auto load_u16(const uint16_t* from, Place at) {
  return hn::PromoteTo(D32(), load_upto(D16of32(), from + at.x, at.count));
}
template <class V>
HWY_INLINE void store_u16(V v, uint16_t* to, Place at) {
  store_upto(hn::DemoteTo(D16of32(), v), D16of32(), to + at.x, at.count);
}

void learn_row(background::Mean, const BackgroundArgs& args, int32_t y, const Verdicts& to) {
  const D32 d;
  const uint8_t* frame = args.frame.as<uint8_t>().row(y);
  uint16_t* means = args.state.as<uint16_t>().row(y);
  const auto dither = hn::Set(d, args.dither);
  const int rate = args.rate;
  for_row(d, args.frame.width, [&](Place at) HWY_ATTR {
    const auto v = load_u8(frame, at);
    const auto m = load_u16(means, at);
    const auto level = hn::Min(rounded_level(m), hn::Set(d, 255));
    const auto delta = hn::Add(hn::Sub(hn::ShiftLeft<8>(v), m), dither);
    store_u16(hn::Add(m, hn::ShiftRightSame(delta, rate)), means, at);
    to.put(D8of32(), at, level_of(level), level_of(distance(v, level)));
  });
}

// floor(log2 v) of v in 1 .. 65535: the exponent of the float, which is exact.
template <class V>
HWY_INLINE V log2_of(V v) {
  const D32 d;
  const hn::RebindToFloat<D32> df;
  return hn::Sub(hn::ShiftRight<23>(hn::BitCast(d, hn::ConvertTo(df, v))), hn::Set(d, 127));
}

void learn_row(background::Mixture, const BackgroundArgs& args, int32_t y, const Verdicts& to) {
  constexpr int count = gaussians::count;
  const D32 d;
  const uint8_t* frame = args.frame.as<uint8_t>().row(y);
  uint16_t* planes[3 * count];
  for (int p = 0; p < 3 * count; ++p) planes[p] = args.state.as<uint16_t>().row(3 * count * y + p);
  const auto zero = hn::Zero(d), one = hn::Set(d, 1);
  const auto rate = hn::Set(d, args.rate), dither = hn::Set(d, args.dither);

  for_row(d, args.frame.width, [&](Place at) HWY_ATTR {
    using V = hn::VFromD<D32>;
    V w[count], m[count], s[count], squared[count];
    for (int k = 0; k < count; ++k) {
      w[k] = load_u16(planes[k], at);
      m[k] = load_u16(planes[count + k], at);
      s[k] = load_u16(planes[2 * count + k], at);
    }
    const V v = load_u8(frame, at);
    const V v8 = hn::ShiftLeft<8>(v);

    // Vectors of all ones or zeros stand for the conditions.
    const auto holds = [&](auto mask) HWY_ATTR { return hn::VecFromMask(d, mask); };
    V match[count], explained = zero, matched = zero, nearest = hn::Set(d, 255);
    for (int k = 0; k < count; ++k) {
      const V apart = hn::ShiftRight<4>(distance(v8, m[k]));
      squared[k] = hn::Mul(apart, apart);
      const V present = holds(hn::Gt(w[k], zero));
      const V far = holds(hn::Gt(squared[k], hn::Mul(s[k], hn::Set(d, gaussians::learn_within))));
      match[k] = hn::AndNot(matched, hn::AndNot(far, present));
      matched = hn::Or(matched, match[k]);
      const V unexplained =
          holds(hn::Gt(squared[k], hn::Mul(s[k], hn::Set(d, gaussians::explain_within))));
      V fits = hn::AndNot(unexplained, present);
      V level = distance(v, rounded_level(m[k]));
      if (k > 0) {
        const auto lasts = hn::Gt(w[k], hn::Set(d, gaussians::lasting));
        fits = hn::And(fits, holds(lasts));
        level = hn::IfThenElse(lasts, level, hn::Set(d, 255));
      }
      explained = hn::Or(explained, fits);
      nearest = hn::Min(nearest, level);
    }
    to.put(D8of32(), at, level_of(rounded_level(m[0])), level_of(hn::AndNot(explained, nearest)));

    // The matched component, if any, learns.
    V cw = one, cm = zero, cs = zero, cq = zero;
    for (int k = 0; k < count; ++k) {
      const auto here = hn::MaskFromVec(match[k]);
      cw = hn::IfThenElse(here, w[k], cw);
      cm = hn::IfThenElse(here, m[k], cm);
      cs = hn::IfThenElse(here, s[k], cs);
      cq = hn::IfThenElse(here, squared[k], cq);
    }
    const V shift = hn::Max(hn::Sub(hn::Add(rate, log2_of(cw)), hn::Set(d, 15)), one);
    const V finer = hn::Shr(dither, hn::Sub(rate, shift));
    cm = hn::Add(cm, hn::Shr(hn::Add(hn::Sub(v8, cm), finer), shift));
    cs = hn::Add(cs, hn::Shr(hn::Add(hn::Sub(cq, cs), finer), shift));
    cs = hn::Min(hn::Max(cs, hn::Set(d, gaussians::min_variance)),
                 hn::Set(d, gaussians::max_variance));
    for (int k = 0; k < count; ++k) {
      const auto here = hn::MaskFromVec(match[k]);
      m[k] = hn::IfThenElse(here, cm, m[k]);
      s[k] = hn::IfThenElse(here, cs, s[k]);
      const V rise = hn::Sub(hn::Set(d, gaussians::whole), w[k]);
      const V gain = hn::ShiftRightSame(hn::Add(rise, dither), args.rate);
      const V loss = hn::ShiftRightSame(hn::Add(w[k], dither), args.rate);
      w[k] = hn::IfThenElse(here, hn::Add(w[k], gain), hn::Sub(w[k], loss));
    }
    const auto fresh = hn::MaskFromVec(hn::Not(matched));
    w[count - 1] = hn::IfThenElse(fresh, hn::Set(d, gaussians::whole >> args.rate), w[count - 1]);
    m[count - 1] = hn::IfThenElse(fresh, v8, m[count - 1]);
    s[count - 1] = hn::IfThenElse(fresh, hn::Set(d, gaussians::first_variance), s[count - 1]);

    for (int k = count - 1; k > 0; --k) {
      const auto swap = hn::Gt(w[k], w[k - 1]);
      for (V* of : {w, m, s}) {
        const V low = hn::IfThenElse(swap, of[k - 1], of[k]);
        of[k - 1] = hn::IfThenElse(swap, of[k], of[k - 1]);
        of[k] = low;
      }
    }
    for (int k = 0; k < count; ++k) {
      store_u16(w[k], planes[k], at);
      store_u16(m[k], planes[count + k], at);
      store_u16(s[k], planes[2 * count + k], at);
    }
  });
}

// What is drawn for a vector of pixels: the low byte of sampled::bits_of(), and way_of().
template <class V>
struct Drawn {
  V low, ways;
};
template <class D>
HWY_INLINE Drawn<hn::VFromD<D>> drawn(D d, uint32_t key, int32_t y, ptrdiff_t x) {
  namespace sampled = background::sampled;
#if HWY_TARGET == HWY_SCALAR
  const uint32_t bits = sampled::bits_of(key, int32_t(x), y);
  return {hn::Set(d, uint8_t(bits)), hn::Set(d, uint8_t(sampled::way_of(bits)))};
#else
  const hn::RepartitionToWide<D> d16;
  const hn::RepartitionToWide<decltype(d16)> d32;
  const auto lanes = uint32_t(hn::Lanes(d32));
  const auto per_column = hn::Mul(hn::Iota(d32, 0), hn::Set(d32, sampled::of_column));
  const uint32_t start = key + uint32_t(y) * sampled::of_row + uint32_t(x) * sampled::of_column;
  const auto mixed = [&](uint32_t i) HWY_ATTR {
    auto bits = hn::Add(per_column, hn::Set(d32, start + i * lanes * sampled::of_column));
    bits = hn::Mul(hn::Xor(bits, hn::ShiftRight<16>(bits)), hn::Set(d32, 0x85EBCA6Bu));
    bits = hn::Mul(hn::Xor(bits, hn::ShiftRight<13>(bits)), hn::Set(d32, 0xC2B2AE35u));
    return hn::BitCast(d16, hn::Xor(bits, hn::ShiftRight<16>(bits)));
  };
  const auto first = hn::ConcatEven(d16, mixed(1), mixed(0));
  const auto second = hn::ConcatEven(d16, mixed(3), mixed(2));
  const auto bytes = [d](auto hi, auto lo) HWY_ATTR {
    return hn::ConcatEven(d, hn::BitCast(d, hi), hn::BitCast(d, lo));
  };
  return {bytes(second, first),
          hn::And(bytes(hn::ShiftRight<7>(second), hn::ShiftRight<7>(first)), hn::Set(d, 7))};
#endif
}

// Three rows of a plane, the middle one that of the pixels whose neighbours are meant; past the
// picture the nearest row.
struct Around {
  const uint8_t* rows[3];
  // `row(y)`: where the plane's rows begin.
  template <class Row>
  Around(int32_t y, int32_t height, const Row& row)
      : rows{row(std::max(y - 1, 0)), row(y), row(std::min(y + 1, height - 1))} {}
};

// Of each pixel of a vector what the neighbour of its way holds.
template <class D, class V>
HWY_INLINE V neighbours(D d, const Around& around, Place at, V ways) {
  const auto lanes = ptrdiff_t(hn::Lanes(d));
  const uint8_t* rows[3];
  for (int32_t i = 0; i < 3; ++i) rows[i] = around.rows[i] + at.x;
  HWY_ALIGN uint8_t clamped[3][hn::MaxLanes(d) + 3];
  if (at.x == 0 || at.count <= lanes) {  // a neighbour lies past the row
    std::memset(clamped, 0, sizeof(clamped));
    for (int32_t i = 0; i < 3; ++i) {
      const auto inside = size_t(std::min(lanes + 1, at.count));
      clamped[i][0] = at.x > 0 ? rows[i][-1] : rows[i][0];
      std::memcpy(clamped[i] + 1, rows[i], inside);
      clamped[i][inside + 1] = rows[i][inside - 1];  // where at.count <= lanes
      rows[i] = clamped[i] + 1;
    }
  }
  const auto way = [&](int32_t n) HWY_ATTR {
    const int32_t cell = n + (n >= 4);
    return hn::LoadU(d, rows[cell / 3] + cell % 3 - 1);
  };
  const auto has = [&](uint8_t bit)
                       HWY_ATTR { return hn::Eq(hn::And(ways, hn::Set(d, bit)), hn::Set(d, bit)); };
  const auto odd = has(1), second = has(2), lower = has(4);
  const auto one_of_four = [&](int32_t n) HWY_ATTR {
    return hn::IfThenElse(second, hn::IfThenElse(odd, way(n + 3), way(n + 2)),
                          hn::IfThenElse(odd, way(n + 1), way(n)));
  };
  return hn::IfThenElse(lower, one_of_four(4), one_of_four(0));
}

// Row y of the founding frame: neighbours of its pixels are the samples of the state.
void found_row(const BackgroundArgs& args, int32_t y, const Verdicts& to) {
  namespace sampled = background::sampled;
  constexpr int planes = background::Sampled::planes;
  const D8 d;
  const auto frame = args.frame.as<uint8_t>();
  const auto state = args.state.as<uint8_t>();
  const Around around(y, frame.height, [&](int32_t of) { return frame.row(of); });
  for (int32_t plane = 1; plane < sampled::count; ++plane) {
    uint8_t* samples = state.row(y * planes + plane);
    const uint32_t key = sampled::founding_key(plane);
    for_row(d, frame.width, [&](Place at) HWY_ATTR {
      const auto ways = drawn(d, key, y, at.x).ways;
      store_upto(neighbours(d, around, at, ways), d, samples + at.x, at.count);
    });
  }
  for_row(d, frame.width, [&](Place at) HWY_ATTR {
    const auto level = load_upto(d, frame.row(y) + at.x, at.count);
    const auto put = [&](int32_t plane, auto value) HWY_ATTR {
      store_upto(value, d, state.row(y * planes + plane) + at.x, at.count);
    };
    put(0, level);
    put(sampled::age_plane, hn::Zero(d));
    put(sampled::restless_plane, hn::Zero(d));
    to.put(d, at, level, hn::Zero(d));
  });
}

void learn_row(background::Sampled, const BackgroundArgs& args, int32_t y, const Verdicts& to) {
  if (args.founds) return found_row(args, y, to);
  namespace sampled = background::sampled;
  constexpr int planes = background::Sampled::planes;
  const D8 d;
  const auto turn = sampled::turn_of(args.number);
  const uint8_t* frame = args.frame.as<uint8_t>().row(y);
  uint8_t* rows[planes];
  for (int p = 0; p < planes; ++p) rows[p] = args.state.as<uint8_t>().row(planes * y + p);
  const Around around(y, args.frame.height, [&](int32_t row) {
    return args.state.as<uint8_t>().row(row * planes + turn.reads);
  });
  const auto set = [d](int32_t v) HWY_ATTR { return hn::Set(d, uint8_t(v)); };
  const auto zero = hn::Zero(d);
  const ptrdiff_t below = planes * args.state.stride_bytes;

  for_row(d, args.frame.width, [&](Place at) HWY_ATTR {
    // A plane's row is too short for the hardware to foresee where its next one lies.
    for (const int32_t plane : {0, 1, sampled::age_plane, sampled::restless_plane, turn.writes})
      hwy::Prefetch(rows[plane] + at.x + below);
    hwy::Prefetch(rows[turn.reads] + at.x + 2 * below);
    hwy::Prefetch(frame + at.x + args.frame.stride_bytes);

    const auto load = [&](int32_t plane)
                          HWY_ATTR { return load_upto(d, rows[plane] + at.x, at.count); };
    const auto v = load_upto(d, frame + at.x, at.count);
    const auto bits = drawn(d, turn.key, y, at.x);
    const auto draws = hn::Eq(hn::And(bits.low, set(7)), zero);
    const auto takes = hn::Eq(hn::And(bits.low, set(0x78)), zero);
    const auto taken = neighbours(d, around, at, bits.ways);
    const auto write = [&](auto learns) HWY_ATTR {
      const auto other = hn::IfThenElse(takes, taken, load(turn.writes));
      store_upto(hn::IfThenElse(learns, v, other), d, rows[turn.writes] + at.x, at.count);
    };

    // Where two samples are within the radius of every pixel, nothing depends on the others: still
    // scenes read a few planes of the dozen.
    const auto one = distance(v, load(0)), two = distance(v, load(1));
    auto nearest = hn::Min(one, two), second = hn::Max(one, two);
    const auto far = [&]() HWY_ATTR { return hn::Gt(second, set(sampled::radius)); };
    const auto known = load(sampled::restless_plane), age = load(sampled::age_plane);
    static_assert(sampled::count % 2 == 0);
    for (int k = 2; k < sampled::count && !hn::AllFalse(d, far()); k += 2) {
      for (const int plane : {k, k + 1}) {
        const auto apart = distance(v, load(plane));
        second = hn::Min(second, hn::Max(apart, nearest));
        nearest = hn::Min(nearest, apart);
      }
    }
    const auto level = to.background ? load(0) : zero;
    // And where nothing was unexplained of late, the pixels stay at rest.
    if (hn::AllTrue(d, hn::Eq(hn::Or(known, age), zero)) && hn::AllFalse(d, far())) {
      write(draws);
      return to.put(d, at, level, zero);
    }
    const auto calm = hn::And(known, set(127));
    const auto was_far = hn::Eq(hn::And(known, set(128)), set(128));
    const auto restless = hn::IfThenElse(
        hn::Xor(far(), was_far),
        hn::Min(hn::Add(calm, set(sampled::restless_step)), set(sampled::most_restless)),
        hn::SaturatedSub(calm, set(1)));
    const auto explained = hn::Not(hn::Gt(second, hn::Add(restless, set(sampled::radius))));
    const auto older =
        hn::IfThenElse(explained, hn::SaturatedSub(age, set(2)), hn::SaturatedAdd(age, set(1)));
    const auto is_old = [&](int32_t frames) HWY_ATTR { return hn::Gt(older, set(frames - 1)); };
    write(hn::Or(is_old(sampled::absorbed_after),
                 hn::And(explained, hn::Or(is_old(sampled::absorbed_after / 2), draws))));
    const auto known_next = hn::IfThenElse(far(), hn::Or(restless, set(128)), restless);
    store_upto(older, d, rows[sampled::age_plane] + at.x, at.count);
    store_upto(known_next, d, rows[sampled::restless_plane] + at.x, at.count);
    to.put(d, at, level, hn::IfThenZeroElse(explained, second));
  });
}

// Row y of the mask: difference > limit, the limit an integer in 0 .. 254.
void mask_row(AnyView mask, int32_t y, const uint8_t* difference, uint64_t* words, int32_t limit) {
  const bool bits = mask.type == PixelType::bit;
  uint64_t* to = bits ? bits_of(mask).row(y) : words;
  // v >= n is max(v, n) == v, which needs no signs; bytes of 0 past the row stay below n >= 1.
  pack_row_with(difference, mask.width, to, [limit](const uint8_t* block) HWY_ATTR {
    return word_of([block, limit](auto d, size_t i) HWY_ATTR {
      const auto v = hn::LoadU(d, block + i);
      return hn::Eq(hn::Max(v, hn::Set(d, uint8_t(limit + 1))), v);
    });
  });
  if (!bits) unpack_row(words, mask.width, mask.as<uint8_t>().row(y));
}

}  // namespace

// Rows [first, end); `scratch` has room for a row of bytes and a row of bits.
void background_simd_rows(const BackgroundArgs& args, int32_t first, int32_t end,
                          uint8_t* differences, uint64_t* words) {
  const auto row = background::with_model(args.model, [](auto model) {
    return +[](const BackgroundArgs& a, int32_t y, const Verdicts& to) {
      learn_row(decltype(model)(), a, y, to);
    };
  });
  const BackgroundOutputs& out = args.out;
  for (int32_t y = first; y < end; ++y) {
    const Verdicts to{out.background ? out.background.as<uint8_t>().row(y) : nullptr,
                      out.difference ? out.difference.as<uint8_t>().row(y) : differences};
    row(args, y, to);
    if (out.mask) mask_row(out.mask, y, to.difference, words, int32_t(args.limit));
  }
}

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cuesta {

HWY_EXPORT(background_simd_rows);

void background_simd(const BackgroundArgs& args, Call& call) {
  // Founding happens once, and is no work but for samples; limits that no difference or every
  // difference exceeds are never meant.
  if ((args.founds && args.model != BackgroundModel::samples) || args.limit < 0 ||
      args.limit >= 255)
    return background_rows(args, call);
  const int32_t width = args.frame.width, height = args.frame.height;
  const Strips strips(height, call.threads());
  const auto stride = size_t(width + 63) / 64 * 64;
  auto* differences = call.scratch().take<uint8_t>(stride * size_t(strips.count));
  auto* words = call.scratch().take<uint64_t>(stride / 64 * size_t(strips.count));
  parallel_tasks(strips.count, call.threads(), [&](int s) {
    HWY_DYNAMIC_DISPATCH(background_simd_rows)
    (args, strips.begin(s), strips.end(s), differences + stride * size_t(s),
     words + stride / 64 * size_t(s));
  });
}

}  // namespace cuesta
#endif
