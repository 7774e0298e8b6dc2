// Strategy `simd`: each model on rows of vectors, the mask packed from the row of differences while
// it is in L1. First, median and samples work in lanes of the frame's type, mean and mixture in
// those of 32 bits.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/background/cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

#include <hwy/cache_control.h>

#include <algorithm>
#include <cstring>

#include "core/bits.hpp"
#include "cpu/bits-inl.hpp"
#include "cpu/simd-inl.hpp"
#include "ops/background/cpu/mixture-inl.hpp"
#include "ops/background/cpu/rows-inl.hpp"
#include "ops/background/cpu/unmatched-inl.hpp"
#include "ops/background/reference.hpp"
#include "ops/shared/background_models.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

template <class T>
void learn_row(background::BasicFirst<T>, const BackgroundArgs& args, int32_t y,
               const Verdicts<T>& to) {
  const hn::ScalableTag<T> d;
  const T* frame = args.frame.as<T>().row(y);
  const T* state = args.state.as<T>().row(y);
  for_row(d, args.frame.width, [&](Place at) HWY_ATTR {
    const auto level = load_upto(d, state + at.x, at.count);
    to.put(d, at, level, distance(load_upto(d, frame + at.x, at.count), level));
  });
}

template <class T>
void learn_row(background::BasicMedian<T>, const BackgroundArgs& args, int32_t y,
               const Verdicts<T>& to) {
  const hn::ScalableTag<T> d;
  const T* frame = args.frame.as<T>().row(y);
  T* medians = args.state.as<T>().row(2 * y);
  T* deviations = args.state.as<T>().row(2 * y + 1);
  const auto one = hn::Set(d, T(gray_level<T>));
  const auto least = hn::Set(d, T(background::min_deviation * gray_level<T>));
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
    auto twice = hn::SaturatedAdd(apart, apart);
    if constexpr (sizeof(T) > 1)  // bytes saturate there
      twice = hn::Min(twice, hn::Set(d, T(255 * gray_level<T>)));
    const auto target = hn::IfThenElse(hn::Eq(apart, hn::Zero(d)), spread, twice);
    store_upto(step(level, v), d, medians + at.x, at.count);
    store_upto(hn::Max(step(spread, target), least), d, deviations + at.x, at.count);
    const auto beyond = hn::Eq(hn::Max(apart, spread), apart);  // apart >= spread
    to.put(d, at, level, hn::IfThenElseZero(beyond, apart));
  });
}

// What is drawn for a vector of pixels: the low byte of sampled::bits_of(), in wider lanes with
// more bits above it, and way_of().
template <class V>
struct Drawn {
  V low, ways;
};
template <class D>
HWY_INLINE Drawn<hn::VFromD<D>> drawn(D d, uint32_t key, int32_t y, ptrdiff_t x) {
  namespace sampled = background::sampled;
#if HWY_TARGET == HWY_SCALAR
  const uint32_t bits = sampled::bits_of(key, int32_t(x), y);
  using T = hn::TFromD<D>;
  return {hn::Set(d, T(bits)), hn::Set(d, T(sampled::way_of(bits)))};
#else
  const hn::Repartition<uint16_t, D> d16;
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
  if constexpr (sizeof(hn::TFromD<D>) == 2)
    return {first, hn::And(hn::ShiftRight<7>(first), hn::Set(d, 7))};
  else {
    const auto second = hn::ConcatEven(d16, mixed(3), mixed(2));
    const auto bytes = [d](auto hi, auto lo) HWY_ATTR {
      return hn::ConcatEven(d, hn::BitCast(d, hi), hn::BitCast(d, lo));
    };
    return {bytes(second, first),
            hn::And(bytes(hn::ShiftRight<7>(second), hn::ShiftRight<7>(first)), hn::Set(d, 7))};
  }
#endif
}

// Three rows of a plane, the middle one that of the pixels whose neighbours are meant; past the
// picture the nearest row.
template <class T>
struct Around {
  const T* rows[3];
  // `row(y)`: where the plane's rows begin.
  template <class Row>
  Around(int32_t y, int32_t height, const Row& row)
      : rows{row(std::max(y - 1, 0)), row(y), row(std::min(y + 1, height - 1))} {}
};

// Of each pixel of a vector what the neighbour of its way holds.
template <class D, class V, class T = hn::TFromD<D>>
HWY_INLINE V neighbours(D d, const Around<T>& around, Place at, V ways) {
  const auto lanes = ptrdiff_t(hn::Lanes(d));
  const T* rows[3];
  for (int32_t i = 0; i < 3; ++i) rows[i] = around.rows[i] + at.x;
  HWY_ALIGN T clamped[3][hn::MaxLanes(d) + 3];
  if (at.x == 0 || at.count <= lanes) {  // a neighbour is past the row
    std::memset(clamped, 0, sizeof(clamped));
    for (int32_t i = 0; i < 3; ++i) {
      const auto inside = size_t(std::min(lanes + 1, at.count));
      clamped[i][0] = at.x > 0 ? rows[i][-1] : rows[i][0];
      std::memcpy(clamped[i] + 1, rows[i], inside * sizeof(T));
      clamped[i][inside + 1] = rows[i][inside - 1];  // where at.count <= lanes
      rows[i] = clamped[i] + 1;
    }
  }
  const auto way = [&](int32_t n) HWY_ATTR {
    const int32_t cell = n + (n >= 4);
    return hn::LoadU(d, rows[cell / 3] + cell % 3 - 1);
  };
  const auto has = [&](T bit)
                       HWY_ATTR { return hn::Eq(hn::And(ways, hn::Set(d, bit)), hn::Set(d, bit)); };
  const auto odd = has(1), second = has(2), lower = has(4);
  const auto one_of_four = [&](int32_t n) HWY_ATTR {
    return hn::IfThenElse(second, hn::IfThenElse(odd, way(n + 3), way(n + 2)),
                          hn::IfThenElse(odd, way(n + 1), way(n)));
  };
  return hn::IfThenElse(lower, one_of_four(4), one_of_four(0));
}

// Row y of the initialising frame: neighbours of its pixels are the samples of the state.
template <class T>
void found_row(const BackgroundArgs& args, int32_t y, const Verdicts<T>& to) {
  namespace sampled = background::sampled;
  constexpr int planes = background::BasicSampled<T>::planes;
  const hn::ScalableTag<T> d;
  const auto frame = args.frame.as<T>();
  const auto state = args.state.as<T>();
  const Around<T> around(y, frame.height, [&](int32_t of) { return frame.row(of); });
  for (int32_t plane = 1; plane < sampled::count; ++plane) {
    T* samples = state.row(y * planes + plane);
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

// The second smallest distance of v to the samples. Where two are within the radius of every pixel,
// nothing depends on the others: still scenes read a few planes of the dozen.
template <class T, class V, class Load>
HWY_INLINE V second_nearest(V v, int32_t radius, const Load& load) {
  namespace sampled = background::sampled;
  const hn::DFromV<V> d;
  const V one = distance(v, load(0)), two = distance(v, load(1));
  V nearest = hn::Min(one, two), second = hn::Max(one, two);
  const auto is_near = [&]() HWY_ATTR {
    return hn::AllFalse(d, hn::Gt(second, hn::Set(d, T(radius * gray_level<T>))));
  };
  static_assert(sampled::count % 2 == 0);
  for (int k = 2; k < sampled::count && !is_near(); k += 2) {
    for (const int plane : {k, k + 1}) {
      const V apart = distance(v, load(plane));
      second = hn::Min(second, hn::Max(apart, nearest));
      nearest = hn::Min(nearest, apart);
    }
  }
  return second;
}

template <class T>
void learn_row(background::BasicSampled<T>, const BackgroundArgs& args, int32_t y,
               const Verdicts<T>& to) {
  if (args.founds) return found_row(args, y, to);
  namespace sampled = background::sampled;
  constexpr int planes = background::BasicSampled<T>::planes;
  const hn::ScalableTag<T> d;
  const auto turn = sampled::turn_of(args.now);
  const T* frame = args.frame.as<T>().row(y);
  T* rows[planes];
  for (int p = 0; p < planes; ++p) rows[p] = args.state.as<T>().row(planes * y + p);
  const Around<T> around(y, args.frame.height, [&](int32_t row) {
    return args.state.as<T>().row(row * planes + turn.reads);
  });
  const auto set = [d](int32_t v) HWY_ATTR { return hn::Set(d, T(v)); };
  const auto levels = [](auto v) HWY_ATTR {
    if constexpr (sizeof(T) == 1)
      return v;
    else
      return hn::ShiftLeft<8>(v);
  };
  const auto zero = hn::Zero(d);
  const ptrdiff_t below = planes * (args.state.stride_bytes / ptrdiff_t(sizeof(T)));

  for_row(d, args.frame.width, [&](Place at) HWY_ATTR {
    // A plane's row is too short for the hardware to foresee where its next one is.
    for (const int32_t plane : {0, 1, sampled::age_plane, sampled::restless_plane, turn.writes})
      hwy::Prefetch(rows[plane] + at.x + below);
    hwy::Prefetch(rows[turn.reads] + at.x + 2 * below);
    hwy::Prefetch(frame + at.x + args.frame.stride_bytes / ptrdiff_t(sizeof(T)));

    const auto load = [&](int32_t plane)
                          HWY_ATTR { return load_upto(d, rows[plane] + at.x, at.count); };
    const auto v = load_upto(d, frame + at.x, at.count);
    const auto bits = drawn(d, turn.key, y, at.x);
    const auto draws = hn::Eq(hn::And(bits.low, set(7)), zero);
    const auto takes = hn::Eq(hn::And(bits.low, set(0x78)), zero);
    const auto taken = neighbours(d, around, at, bits.ways);
    const auto write = [&](auto learns, auto may_take) HWY_ATTR {
      const auto other = hn::IfThenElse(may_take, taken, load(turn.writes));
      store_upto(hn::IfThenElse(learns, v, other), d, rows[turn.writes] + at.x, at.count);
    };

    const auto known = load(sampled::restless_plane), age = load(sampled::age_plane);
    const auto second = second_nearest<T>(v, turn.radius, load);
    const auto far = hn::Gt(second, set(turn.radius * gray_level<T>));
    const auto level = to.background ? load(0) : zero;
    // And where nothing was unexplained of late, the pixels stay at rest.
    if (hn::AllTrue(d, hn::Eq(hn::Or(known, age), zero)) && hn::AllFalse(d, far)) {
      write(draws, takes);
      return to.put(d, at, level, zero);
    }
    const auto calm = hn::And(known, set(127));
    const auto was_far = hn::Eq(hn::And(known, set(128)), set(128));
    const auto restless = hn::IfThenElse(
        hn::Xor(far, was_far),
        hn::Min(hn::Add(calm, set(sampled::restless_step)), set(sampled::max_restless)),
        hn::SaturatedSub(calm, set(1)));
    const auto explained = hn::Not(hn::Gt(second, levels(hn::Add(restless, set(turn.radius)))));
    auto next_age = hn::SaturatedAdd(age, set(turn.ages));
    if constexpr (sizeof(T) > 1) next_age = hn::Min(next_age, set(255));  // bytes saturate there
    const auto older = hn::IfThenElse(
        explained, hn::SaturatedSub(age, set(std::min(2 * turn.ages, background::most<T>))),
        next_age);
    const auto is_old = [&](int32_t frames) HWY_ATTR { return hn::Gt(older, set(frames - 1)); };
    write(hn::Or(is_old(sampled::absorbed_after),
                 hn::And(explained, hn::Or(is_old(sampled::absorbed_after / 2), draws))),
          turn.ages > 0 ? takes : hn::And(takes, explained));
    const auto known_next = hn::IfThenElse(far, hn::Or(restless, set(128)), restless);
    store_upto(older, d, rows[sampled::age_plane] + at.x, at.count);
    store_upto(known_next, d, rows[sampled::restless_plane] + at.x, at.count);
    to.put(d, at, level, hn::IfThenZeroElse(explained, second));
  });
}

// Row y of the mask: difference > limit, the limit an integer in 0 .. one less than the most.
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
void mask_row(AnyView mask, int32_t y, const uint16_t* difference, uint64_t* words, int32_t limit) {
  const bool bits = mask.type == PixelType::bit;
  uint64_t* to = bits ? bits_of(mask).row(y) : words;
  const hn::CappedTag<uint16_t, 64> d;
  to[(mask.width - 1) / 64] = 0;
  for_row(d, mask.width, [&](Place at) HWY_ATTR {
    const auto v = load_upto(d, difference + at.x, at.count);
    store_bits(d, hn::Gt(v, hn::Set(d, uint16_t(limit))), at.x, reinterpret_cast<uint8_t*>(to));
  });
  if (!bits) unpack_row(words, mask.width, mask.as<uint8_t>().row(y));
}

template <class Model>
void rows_of(const BackgroundArgs& args, int32_t first, int32_t end, uint16_t* room,
             uint64_t* words) {
  using T = typename Model::Value;
  const BackgroundOutputs& out = args.out;
  for (int32_t y = first; y < end; ++y) {
    const Verdicts<T> to{
        out.background ? out.background.as<T>().row(y) : nullptr,
        out.difference ? out.difference.as<T>().row(y) : reinterpret_cast<T*>(room)};
    learn_row(Model(), args, y, to);
    if (out.mask) mask_row(out.mask, y, to.difference, words, int32_t(args.limit));
    if constexpr (background::is_spatial<Model>)
      if (args.unmatched) unmatched_row<T>(args, y);
  }
}

}  // namespace

// Rows [first, end); `differences` has room for a row of samples, `words` for one of bits.
void background_simd_rows(const BackgroundArgs& args, int32_t first, int32_t end,
                          uint16_t* differences, uint64_t* words) {
  background::with_model(args.model, args.type(), [](auto model) {
    return rows_of<decltype(model)>;
  })(args, first, end, differences, words);
}

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cuesta {

HWY_EXPORT(background_simd_rows);

void background_simd(const BackgroundArgs& args, Call& call) {
  // Initialisation happens once, and is no work but for samples; limits that no difference or every
  // difference exceeds are never meant.
  if ((args.founds && args.model != BackgroundModel::samples) || args.limit < 0 ||
      args.limit >= (args.type() == PixelType::u8 ? 255 : 65535))
    return background_rows(args, call);
  const int32_t width = args.frame.width, height = args.frame.height;
  const Strips strips(height, call.threads());
  const auto stride = size_t(width + 63) / 64 * 64;
  auto* differences = call.scratch().take<uint16_t>(stride * size_t(strips.count));
  auto* words = call.scratch().take<uint64_t>(stride / 64 * size_t(strips.count));
  parallel_tasks(strips.count, call.threads(), [&](int s) {
    HWY_DYNAMIC_DISPATCH(background_simd_rows)
    (args, strips.begin(s), strips.end(s), differences + stride * size_t(s),
     words + stride / 64 * size_t(s));
  });
}

}  // namespace cuesta
#endif
