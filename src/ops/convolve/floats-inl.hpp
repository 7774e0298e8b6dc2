// Windows of f32 and f64 lanes: f32 sources in the order that args.hpp defines, and integer sums
// that floats hold exactly. Included as cpu/simd-inl.hpp is.
#if defined(CUESTA_CONVOLVE_FLOATS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_CONVOLVE_FLOATS_INL_HPP
#undef CUESTA_CONVOLVE_FLOATS_INL_HPP
#else
#define CUESTA_CONVOLVE_FLOATS_INL_HPP
#endif

#include "cpu/extended_row.hpp"
#include "ops/convolve/finish-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

// A tap that is not 0: its value, and the sample it meets, counted from the window's left end.
template <class T>
struct PlacedTap {
  T value;
  int32_t offset;
};

// The taps of one pass: those of window row j are all[begin[j] .. begin[j + 1]).
template <class T>
struct PlacedTaps {
  PlacedTap<T>* all;
  int32_t* begin;
  int32_t rows;
};

/// `tap(i, j)` gives the taps of a window; column i lies `step` samples apart from the next.
template <class T, class Tap>
PlacedTaps<T> placed_taps(int32_t width, int32_t height, int32_t step, Scratch& scratch,
                          Tap&& tap) {
  PlacedTaps<T> taps{scratch.take<PlacedTap<T>>(size_t(width) * size_t(height)),
                     scratch.take<int32_t>(size_t(height) + 1), height};
  int32_t count = 0;
  for (int32_t j = 0; j < height; ++j) {
    taps.begin[j] = count;
    for (int32_t i = 0; i < width; ++i) {
      if (const T value = tap(i, j); value != 0) taps.all[count++] = {value, i * step};
    }
  }
  taps.begin[height] = count;
  return taps;
}

constexpr ptrdiff_t sums_at_once = 4;  // vectors: independent chains hide the latency of fma

/// out[x] = Σ tap · rows[j][x + offset], from +0, rows first to last, taps left to right. Reads and
/// writes up to 4 vectors past the end.
template <class T>
void sum_window(const T* const* rows, const PlacedTaps<T>& taps, T* HWY_RESTRICT out,
                ptrdiff_t count) {
  const hn::ScalableTag<T> d;
  const auto n = ptrdiff_t(hn::Lanes(d));
  for (ptrdiff_t x = 0; x < count; x += sums_at_once * n) {
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    for (int32_t j = 0; j < taps.rows; ++j) {
      const T* row = rows[j] + x;
      for (int32_t k = taps.begin[j]; k < taps.begin[j + 1]; ++k) {
        const auto tap = hn::Set(d, taps.all[k].value);
        const T* from = row + taps.all[k].offset;
        s0 = hn::MulAdd(tap, hn::LoadU(d, from), s0);
        s1 = hn::MulAdd(tap, hn::LoadU(d, from + n), s1);
        s2 = hn::MulAdd(tap, hn::LoadU(d, from + 2 * n), s2);
        s3 = hn::MulAdd(tap, hn::LoadU(d, from + 3 * n), s3);
      }
    }
    hn::StoreU(s0, d, out + x);
    hn::StoreU(s1, d, out + x + n);
    hn::StoreU(s2, d, out + x + 2 * n);
    hn::StoreU(s3, d, out + x + 3 * n);
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

template <class T, class Src>
void floats_strips(const ConvolveArgs& args, const Plan& plan, Call& call) {
  const int32_t c = args.src.channels, width = args.width, height = args.height;
  const int32_t left = args.anchor_x, right = width - 1 - left, top = args.anchor_y;
  const int32_t tile = tile_pixels(args.src.width, size_t(height) * size_t(c) * sizeof(T));
  const Strips strips(args.src.height, call.threads(), std::max(16, height));
  // Past a row: what 4 vectors of the widest kind overrun.
  const ptrdiff_t stride = (ptrdiff_t(tile + width - 1) * c + 63) / 64 * 64 + 128;
  Scratch& scratch = call.scratch();
  const auto strip_count = size_t(strips.count);
  T* const ring = scratch.take<T>(size_t(stride) * size_t(height) * strip_count);
  T* const sums = scratch.take<T>(size_t(stride) * 2 * strip_count);
  Src* const narrow = scratch.take<Src>(size_t(stride) * strip_count);

  PlacedTaps<T> first, second{};
  const auto scaled = [&](int64_t tap, int64_t scale) { return T(tap / scale); };
  constexpr bool whole = !std::is_same_v<Src, float>;
  if (plan.two_pass) {
    first = placed_taps<T>(1, height, c, scratch, [&](int32_t, int32_t j) {
      if constexpr (whole)
        return scaled(args.integers.column[size_t(j)], plan.column_scale);
      else
        return args.floats.column[size_t(j)];
    });
    second = placed_taps<T>(width, 1, c, scratch, [&](int32_t i, int32_t) {
      if constexpr (whole)
        return scaled(args.integers.row[size_t(i)], plan.row_scale);
      else
        return args.floats.row[size_t(i)];
    });
  } else {
    first = placed_taps<T>(width, height, c, scratch, [&](int32_t i, int32_t j) {
      if constexpr (whole)
        return scaled(args.integers.at(i, j, width), plan.window_scale);
      else
        return args.floats.at(i, j, width);
    });
  }
  const Finish finish(args, plan);
  const auto src = args.src.as<Src>();

  parallel_tasks(strips.count, call.threads(), [&](int s) {
    T* const my_ring = ring + stride * height * s;
    T* const sum = sums + stride * 2 * s;
    T* const column_sum = sum + stride;
    const auto slot = [&](int32_t y) { return my_ring + stride * ((y + height) % height); };
    for (int32_t x = 0; x < args.src.width; x += tile) {
      const int32_t end = std::min(x + tile, args.src.width);
      const ptrdiff_t count = ptrdiff_t(end - x) * c;
      const ptrdiff_t extended = ptrdiff_t(end - x + width - 1) * c;
      const auto make_row = [&](int32_t y) {
        if constexpr (std::is_same_v<T, Src>) {
          cpu::extend_span(src, y, args.border, x - left, end + right, slot(y));
        } else {
          Src* row = narrow + stride * s;
          cpu::extend_span(src, y, args.border, x - left, end + right, row);
          widen_row(row, slot(y), extended);
        }
      };
      const T* window[Stencil::max_size];
      for (int32_t y = strips.begin(s) - top; y < strips.begin(s) - top + height - 1; ++y)
        make_row(y);
      for (int32_t y = strips.begin(s); y < strips.end(s); ++y) {
        make_row(y - top + height - 1);
        for (int32_t j = 0; j < height; ++j) window[j] = slot(y - top + j);
        if (plan.two_pass) {
          sum_window(window, first, column_sum, extended);
          const T* const one[] = {column_sum};
          sum_window(one, second, sum, count);
        } else {
          sum_window(window, first, sum, count);
        }
        finish_row(args, sum, finish, x, y, count);
      }
    }
  });
}

}  // namespace
}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
