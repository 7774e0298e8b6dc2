// Windows of f32 and f64 lanes: f32 sources in the order that args.hpp defines, and integer sums
// that floats hold exactly. Included as cpu/simd-inl.hpp is.
#if defined(CUESTA_CONVOLVE_FLOATS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_CONVOLVE_FLOATS_INL_HPP
#undef CUESTA_CONVOLVE_FLOATS_INL_HPP
#else
#define CUESTA_CONVOLVE_FLOATS_INL_HPP
#endif

#include "cpu/extended_row.hpp"
#include "ops/convolve/cpu/finish-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

// What a source row's sample at `offset` from the window's left end is worth to two output rows,
// one below the other: a tap of one window row and of the row above it. Not both are 0.
template <class T>
struct TapPair {
  T first, second;
  int32_t offset;
};

// The taps of one pass: source row j, of height + 1, has all[begin[j] .. begin[j + 1]).
template <class T>
struct PassTaps {
  TapPair<T>* all;
  int32_t* begin;
  int32_t rows;
};

/// `tap(i, j)` gives the taps of a window; column i is `step` samples apart from the next.
template <class T, class Tap>
PassTaps<T> pass_taps(int32_t width, int32_t height, int32_t step, Scratch& scratch, Tap&& tap) {
  PassTaps<T> taps{scratch.take<TapPair<T>>(size_t(width) * size_t(height + 1)),
                   scratch.take<int32_t>(size_t(height) + 2), height + 1};
  int32_t count = 0;
  for (int32_t j = 0; j <= height; ++j) {
    taps.begin[j] = count;
    for (int32_t i = 0; i < width; ++i) {
      const T first = j < height ? tap(i, j) : T(0), second = j > 0 ? tap(i, j - 1) : T(0);
      if (first != 0 || second != 0) taps.all[count++] = {first, second, i * step};
    }
  }
  taps.begin[height + 1] = count;
  return taps;
}

constexpr ptrdiff_t at_once = 4;  // vectors: independent chains hide the latency of fma

// Stores `at_once` vectors at out + x, of `count` samples in all. f32 holds one NaN: f64 sums are
// of integers.
template <class D, class V, class T>
HWY_INLINE void store_vectors(D d, V v0, V v1, V v2, V v3, T* HWY_RESTRICT out, ptrdiff_t x,
                              ptrdiff_t count) {
  const auto n = ptrdiff_t(hn::Lanes(d));
  if constexpr (std::is_same_v<T, float>) {
    v0 = with_one_nan(d, v0), v1 = with_one_nan(d, v1);
    v2 = with_one_nan(d, v2), v3 = with_one_nan(d, v3);
  }
  if (x + at_once * n <= count) {
    hn::StoreU(v0, d, out + x);
    hn::StoreU(v1, d, out + x + n);
    hn::StoreU(v2, d, out + x + 2 * n);
    hn::StoreU(v3, d, out + x + 3 * n);
  } else {
    store_upto(v0, d, out + x, count - x);
    store_upto(v1, d, out + x + n, count - x - n);
    store_upto(v2, d, out + x + 2 * n, count - x - 2 * n);
    store_upto(v3, d, out + x + 3 * n, count - x - 3 * n);
  }
}

/// first[x] = Σ tap · rows[j][x + offset], from +0, rows first to last, taps left to right, taps of
/// 0 left out; `second` the same one row further down. Reads up to 4 vectors past the end.
template <class T>
void sum_two_rows(const T* const* rows, const PassTaps<T>& taps, T* HWY_RESTRICT first,
                  T* HWY_RESTRICT second, ptrdiff_t count) {
  const hn::ScalableTag<T> d;
  const auto n = ptrdiff_t(hn::Lanes(d));
  for (ptrdiff_t x = 0; x < count; x += at_once * n) {
    auto a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
    for (int32_t j = 0; j < taps.rows; ++j) {
      const T* row = rows[j] + x;
      for (int32_t k = taps.begin[j]; k < taps.begin[j + 1]; ++k) {
        const TapPair<T> pair = taps.all[k];
        const T* from = row + pair.offset;
        const auto v0 = hn::LoadU(d, from), v1 = hn::LoadU(d, from + n);
        const auto v2 = hn::LoadU(d, from + 2 * n), v3 = hn::LoadU(d, from + 3 * n);
        if (pair.first != 0) {
          const auto tap = hn::Set(d, pair.first);
          a0 = hn::MulAdd(tap, v0, a0);
          a1 = hn::MulAdd(tap, v1, a1);
          a2 = hn::MulAdd(tap, v2, a2);
          a3 = hn::MulAdd(tap, v3, a3);
        }
        if (pair.second != 0) {
          const auto tap = hn::Set(d, pair.second);
          b0 = hn::MulAdd(tap, v0, b0);
          b1 = hn::MulAdd(tap, v1, b1);
          b2 = hn::MulAdd(tap, v2, b2);
          b3 = hn::MulAdd(tap, v3, b3);
        }
      }
    }
    store_vectors(d, a0, a1, a2, a3, first, x, count);
    store_vectors(d, b0, b1, b2, b3, second, x, count);
  }
}

/// out[x] = Σ tap · row[x + offset], the first taps of source row 0. Reads up to 4 vectors past the
/// end.
template <class T>
void sum_row(const T* HWY_RESTRICT row, const PassTaps<T>& taps, T* HWY_RESTRICT out,
             ptrdiff_t count) {
  const hn::ScalableTag<T> d;
  const auto n = ptrdiff_t(hn::Lanes(d));
  for (ptrdiff_t x = 0; x < count; x += at_once * n) {
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    for (int32_t k = 0; k < taps.begin[1]; ++k) {
      const T* from = row + x + taps.all[k].offset;
      const auto tap = hn::Set(d, taps.all[k].first);
      s0 = hn::MulAdd(tap, hn::LoadU(d, from), s0);
      s1 = hn::MulAdd(tap, hn::LoadU(d, from + n), s1);
      s2 = hn::MulAdd(tap, hn::LoadU(d, from + 2 * n), s2);
      s3 = hn::MulAdd(tap, hn::LoadU(d, from + 3 * n), s3);
    }
    store_vectors(d, s0, s1, s2, s3, out, x, count);
  }
}

/// Sums below 2^24 as 256 · high + low.
inline void split_row(const float* HWY_RESTRICT sums, float* HWY_RESTRICT high,
                      float* HWY_RESTRICT low, ptrdiff_t count) {
  const hn::ScalableTag<float> d;
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
    const auto sum = hn::LoadU(d, sums + x);
    const auto upper = hn::Floor(hn::Mul(sum, hn::Set(d, 1.0f / 256)));
    hn::StoreU(upper, d, high + x);
    hn::StoreU(hn::NegMulAdd(upper, hn::Set(d, 256.0f), sum), d, low + x);
  }
}

/// to[x] = (256 · high + low + half the divisor) / divisor, a power of two, rounded down.
inline void finish_halves(const float* HWY_RESTRICT high, const float* HWY_RESTRICT low,
                          int64_t divisor, uint16_t* HWY_RESTRICT to, ptrdiff_t count) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::Rebind<uint16_t, decltype(d)> d16;
  const int shift = exact_log2(divisor);
  const auto half = hn::Set(du, uint32_t(divisor / 2));
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
    const auto whole = [&](const float* from) HWY_ATTR {
      return hn::BitCast(du, hn::ConvertTo(di, hn::LoadU(d, from + x)));
    };
    const auto sum = hn::Add(hn::Add(hn::ShiftLeft<8>(whole(high)), whole(low)), half);
    const auto result = hn::BitCast(di, hn::ShiftRightSame(sum, shift));
    store_upto(hn::DemoteTo(d16, result), d16, to + x, count - x);
  }
}

template <class T, class Src>
void widen_row(const Src* HWY_RESTRICT from, T* HWY_RESTRICT to, ptrdiff_t count) {
  const hn::ScalableTag<T> d;
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
    const auto v = hn::LoadU(hn::Rebind<Src, decltype(d)>(), from + x);
    const hn::Rebind<int32_t, decltype(d)> di;
    if constexpr (sizeof(T) == 8)
      hn::StoreU(hn::PromoteTo(d, hn::PromoteTo(di, v)), d, to + x);
    else
      hn::StoreU(hn::ConvertTo(d, hn::PromoteTo(di, v)), d, to + x);
  }
}

// The taps of one pass, or of two: down, then across.
template <class T>
struct FloatsTaps {
  PassTaps<T> first, second;
};

template <class T, bool Whole>
FloatsTaps<T> floats_taps(const ConvolveArgs& args, const Plan& plan, Scratch& scratch) {
  // Integer taps are divided by what they share with the divisor.
  const auto value = [](const auto& integer, int64_t scale, const auto& real) {
    if constexpr (Whole)
      return T(integer() / scale);
    else
      return T(real());
  };
  const auto column = [&](int32_t, int32_t j) {
    return value([&] { return args.integers.column[size_t(j)]; }, plan.column_scale,
                 [&] { return args.floats.column[size_t(j)]; });
  };
  const auto row = [&](int32_t i, int32_t) {
    return value([&] { return args.integers.row[size_t(i)]; }, plan.row_scale,
                 [&] { return args.floats.row[size_t(i)]; });
  };
  const auto window = [&](int32_t i, int32_t j) {
    return value([&] { return args.integers.at(i, j, args.width); }, plan.window_scale,
                 [&] { return args.floats.at(i, j, args.width); });
  };
  const int32_t step = args.src.channels;
  if (!plan.two_pass) return {pass_taps<T>(args.width, args.height, step, scratch, window), {}};
  return {pass_taps<T>(1, args.height, step, scratch, column),
          pass_taps<T>(args.width, 1, step, scratch, row)};
}

/// Row y of the result from pixel x on, from `down`, exact sums down the columns; `room` has four
/// rows, `stride` apart.
inline void halves_row(const ConvolveArgs& args, const Plan& plan, const PassTaps<float>& across,
                       const float* down, float* room, ptrdiff_t stride, int32_t x, int32_t y,
                       ptrdiff_t count) {
  float *const high = room + 2 * stride, *const low = room + 3 * stride;
  split_row(down, high, low, count + ptrdiff_t(args.width - 1) * args.src.channels);
  sum_row(high, across, room, count);
  sum_row(low, across, room + stride, count);
  finish_halves(room, room + stride, plan.divisor,
                args.dst.as<uint16_t>().row(y) + ptrdiff_t(x) * args.src.channels, count);
}

template <class T, class Src>
void floats_strips(const ConvolveArgs& args, const Plan& plan, Call& call) {
  const int32_t c = args.src.channels, width = args.width, height = args.height;
  const int32_t left = args.anchor_x, right = width - 1 - left, top = args.anchor_y;
  const int32_t slots = height + 1;  // two output rows at a time
  const int32_t tile = tile_pixels(args.src.width, size_t(slots) * size_t(c) * sizeof(T));
  const Strips strips(args.src.height, call.threads(), std::max(16, height));
  // Past a row: what 4 vectors of the widest kind overrun.
  const ptrdiff_t stride = (ptrdiff_t(tile + width - 1) * c + 63) / 64 * 64 + 128;
  Scratch& scratch = call.scratch();
  const auto strip_count = size_t(strips.count);
  T* const rings = scratch.take<T>(size_t(stride) * size_t(slots) * strip_count);
  // Two rows each: sums down the columns, whole sums, and the halves of the former.
  const ptrdiff_t sum_rows = plan.lanes == Lanes::halves ? 6 : 4;
  T* const sums = scratch.take<T>(size_t(stride * sum_rows) * strip_count);
  Src* const narrow = scratch.take<Src>(size_t(stride) * strip_count);
  const FloatsTaps<T> taps = floats_taps<T, !std::is_same_v<Src, float>>(args, plan, scratch);
  const Finish finish(args, plan);
  const bool finished = std::is_same_v<Src, float> && args.dst.type == PixelType::f32 &&
                        !finish.absolute && !finish.has_offset;
  const auto src = args.src.as<Src>();

  parallel_tasks(strips.count, call.threads(), [&](int s) {
    T* const ring = rings + stride * slots * s;
    T* const down = sums + stride * sum_rows * s;
    T* const sum = down + 2 * stride;
    const int32_t begin = strips.begin(s), stop = strips.end(s);
    for (int32_t x = 0; x < args.src.width; x += tile) {
      const int32_t end = std::min(x + tile, args.src.width);
      const ptrdiff_t count = ptrdiff_t(end - x) * c;
      const ptrdiff_t extended = ptrdiff_t(end - x + width - 1) * c;
      // Source row k of the strip, counted from the first window's top.
      const auto slot = [&](int32_t k) { return ring + stride * (k % slots); };
      const auto make_row = [&](int32_t k) {
        const int32_t y = begin - top + k;
        if constexpr (std::is_same_v<T, Src>) {
          cpu::extend_span(src, y, args.border, x - left, end + right, slot(k));
        } else {
          Src* row = narrow + stride * s;
          cpu::extend_span(src, y, args.border, x - left, end + right, row);
          widen_row(row, slot(k), extended);
        }
      };
      const T* window[Stencil::max_size + 1];
      for (int32_t k = 0; k + 1 < height; ++k) make_row(k);
      for (int32_t y = begin; y < stop; y += 2) {
        const int32_t k = y - begin;
        make_row(k + height - 1);
        make_row(k + height);
        for (int32_t j = 0; j < slots; ++j) window[j] = slot(k + j);
        // Sums that are the result go straight to it; the last row of an odd strip has no second.
        T* out[2] = {sum, sum + stride};
        if constexpr (std::is_same_v<T, float>) {
          for (int32_t r = 0; finished && r < 2 && y + r < stop; ++r)
            out[r] = args.dst.as<float>().row(y + r) + ptrdiff_t(x) * c;
        }
        if constexpr (std::is_same_v<T, float> && std::is_same_v<Src, uint16_t>) {
          if (plan.lanes == Lanes::halves) {
            sum_two_rows(window, taps.first, down, down + stride, extended);
            for (int32_t r = 0; r < 2 && y + r < stop; ++r)
              halves_row(args, plan, taps.second, down + r * stride, sum, stride, x, y + r, count);
            continue;
          }
        }
        if (plan.two_pass) {
          sum_two_rows(window, taps.first, down, down + stride, extended);
          for (int32_t r = 0; r < 2; ++r) sum_row(down + r * stride, taps.second, out[r], count);
        } else {
          sum_two_rows(window, taps.first, out[0], out[1], count);
        }
        if (finished) continue;
        for (int32_t r = 0; r < 2 && y + r < stop; ++r)
          finish_row(args, out[r], finish, x, y + r, count);
      }
    }
  });
}

}  // namespace
}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
