// Strategy `simd`. u8 where only a u8 magnitude is wanted (aperture 3, norm l1): one pass down
// columns of registers. Else separable rows: vertical pass over the K rows of the window,
// horizontal pass over the two sums, then what is wanted of (gx, gy), all in rows that stay in L1;
// of u8 16-bit sums for apertures 3 and 5, else 32-bit ones. f32 sources go the same way in f32
// (cpu/floats-inl.hpp).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/sobel/cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

#include "cpu/column_march-inl.hpp"
#include "cpu/extended_row.hpp"
#include "cpu/simd-inl.hpp"
#include "ops/shared/gradient.hpp"
#include "ops/sobel/cpu/floats-inl.hpp"
#include "ops/sobel/cpu/outputs-inl.hpp"
#include "ops/sobel/reference.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

// Vertical sums of samples S: u8's fit 16 bits, 64 · 255 at most.
template <class S>
using SumOf = std::conditional_t<std::is_same_v<S, uint8_t>, int16_t, int32_t>;
// Gradients: at most 163,200 of u8 with aperture 7, and below 2^26 of u16.
template <int K, class S>
using GradientOf = std::conditional_t<K == 7, int32_t, SumOf<S>>;

// sum + tap · value; taps of 0 and 1 cost nothing.
template <class D, class V>
HWY_INLINE V add_product(D d, V sum, int32_t tap, V value) {
  if (tap == 0) return sum;
  if (tap == 1) return hn::Add(sum, value);
  if (tap == -1) return hn::Sub(sum, value);
  return hn::Add(sum, hn::Mul(value, hn::Set(d, hn::TFromD<D>(tap))));
}

// Rows of one strip, each with room for a vector past its end.
template <class Sum, class Acc>
struct Rows {
  Sum *smooth, *derive;  // vertical sums, width + 2r
  Acc *gx, *gy;          // width
};

template <int K, class S>
void vertical(const cpu::RollingRows<S>& rows, int32_t y, ptrdiff_t count,
              SumOf<S>* HWY_RESTRICT smooth, SumOf<S>* HWY_RESTRICT derive) {
  using Sum = SumOf<S>;
  constexpr auto taps = gradient::taps(K);
  const hn::ScalableTag<Sum> d;
  const hn::Rebind<S, decltype(d)> ds;
  const S* window[K];
  for (int j = 0; j < K; ++j) window[j] = rows.row(y + j - K / 2);
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
    auto s = hn::Zero(d), v = hn::Zero(d);
    for (int j = 0; j < K; ++j) {
      const auto p = hn::PromoteTo(d, hn::LoadU(ds, window[j] + x));
      s = add_product(d, s, taps.smoothing[j], p);
      v = add_product(d, v, taps.derivative[j], p);
    }
    hn::StoreU(s, d, smooth + x);
    hn::StoreU(v, d, derive + x);
  }
}

// A vertical sum as a lane of the accumulator.
template <class D, class Sum>
HWY_INLINE auto load_sum(D d, const Sum* from) {
  if constexpr (sizeof(hn::TFromD<D>) == sizeof(Sum))
    return hn::LoadU(d, from);
  else
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<Sum, D>(), from));
}

template <int K, class Sum, class Acc>
void horizontal(const Rows<Sum, Acc>& r, ptrdiff_t width) {
  constexpr auto taps = gradient::taps(K);
  const hn::ScalableTag<Acc> d;
  for (ptrdiff_t x = 0; x < width; x += ptrdiff_t(hn::Lanes(d))) {
    auto gx = hn::Zero(d), gy = hn::Zero(d);
    for (int i = 0; i < K; ++i) {
      gx = add_product(d, gx, taps.derivative[i], load_sum(d, r.smooth + x + i));
      gy = add_product(d, gy, taps.smoothing[i], load_sum(d, r.derive + x + i));
    }
    hn::StoreU(gx, d, r.gx + x);
    hn::StoreU(gy, d, r.gy + x);
  }
}

template <int K, class S>
void strips_of(const SobelArgs& args, Call& call) {
  using Sum = SumOf<S>;
  using Acc = GradientOf<K, S>;
  constexpr int32_t radius = K / 2;
  const int32_t width = args.src.width, height = args.src.height;
  const Strips strips(height, call.threads());
  // Vector loads overrun a row by less than a vector; 64 lanes cover the widest.
  const ptrdiff_t stride = (ptrdiff_t(width) + 2 * radius + 63) / 64 * 64 + 64;
  auto* source = call.scratch().take<S>(size_t(stride) * K * size_t(strips.count));
  auto* sums = call.scratch().take<Sum>(size_t(stride) * 2 * size_t(strips.count));
  auto* gradients = call.scratch().take<Acc>(size_t(stride) * 2 * size_t(strips.count));
  const bool ignore = args.options.border.mode == BorderMode::ignore;

  parallel_tasks(strips.count, call.threads(), [&](int s) {
    cpu::RollingRows<S> rows(args.src.as<S>(), args.options.border, radius, radius, K,
                             source + stride * K * s, stride);
    const Rows<Sum, Acc> r{sums + stride * 2 * s, sums + stride * (2 * s + 1),
                           gradients + stride * 2 * s, gradients + stride * (2 * s + 1)};
    for (int32_t y = strips.begin(s) - radius; y < strips.begin(s) + radius; ++y) rows.make(y);
    for (int32_t y = strips.begin(s); y < strips.end(s); ++y) {
      rows.make(y + radius);
      vertical<K, S>(rows, y, width + 2 * radius, r.smooth, r.derive);
      horizontal<K>(r, width);
      if (ignore) {
        const bool outside = y < radius || y + radius >= height;
        for (Acc* g : {r.gx, r.gy}) {
          std::fill_n(g, outside ? width : std::min(radius, width), Acc(0));
          std::fill_n(g + std::max(0, width - radius), std::min(radius, width), Acc(0));
        }
      }
      write_gradient(args.out.gx, y, r.gx, width);
      write_gradient(args.out.gy, y, r.gy, width);
      if (args.out.magnitude)
        write_magnitude(args.out.magnitude, args.options.norm, y, r.gx, r.gy, width);
      if (args.out.direction) write_direction(args.out.direction, y, r.gx, r.gy, width);
    }
  });
}

#if HWY_TARGET != HWY_SCALAR
// min(|gx| + |gy|, 255), aperture 3: differences and sums along a row, then
//   gx = (1 1) ∗ (1 1) ∗ difference,  gy = sum below − sum above
// down the rows. All within ±1,020.
struct MagnitudeMarch {
  using Words = hn::Vec<MarchWords>;
  static constexpr int32_t radius = 1;
  // What half of the columns (even or odd) remembers of the rows above.
  static constexpr size_t difference1 = 0, pair1 = 1, sum1 = 2, sum2 = 3, state_of_half = 4;
  static constexpr size_t state = 2 * state_of_half;

  // |gx| + |gy| of the row above this one.
  static HWY_INLINE Words down(Words* s, Words difference, Words sum) {
    const hn::RebindToSigned<MarchWords> ds;
    const Words pair = hn::Add(difference, s[difference1]);
    const auto gx = hn::BitCast(ds, hn::Add(pair, s[pair1]));
    const auto gy = hn::BitCast(ds, hn::Sub(sum, s[sum2]));
    s[difference1] = difference, s[pair1] = pair, s[sum2] = s[sum1], s[sum1] = sum;
    return hn::BitCast(MarchWords(), hn::Add(hn::Abs(gx), hn::Abs(gy)));
  }

  HWY_INLINE hn::Vec<MarchBytes> step(Words (&s)[state], const uint8_t* from) const {
    const MarchWords d;
    const Words a = load_words(from), b = load_words(from + 2);
    // The samples left of the even pixel, it, the odd one, and right of that.
    const Words p0 = even_words(a), p1 = odd_words(a), p2 = even_words(b), p3 = odd_words(b);
    const Words middle = hn::Add(p1, p2), most = hn::Set(d, 255);
    const Words even = down(s, hn::Sub(p2, p0), hn::Add(hn::Add(p0, p1), middle));
    const Words odd = down(s + state_of_half, hn::Sub(p3, p1), hn::Add(middle, hn::Add(p2, p3)));
    return hn::BitCast(MarchBytes(),
                       hn::Or(hn::Min(even, most), hn::ShiftLeft<8>(hn::Min(odd, most))));
  }
};

bool wants_only_magnitude(const SobelArgs& args) {
  const SobelOutputs& out = args.out;
  return args.options.aperture == 3 && args.options.norm == Norm::l1 &&
         out.magnitude.type == PixelType::u8 && !out.gx && !out.gy && !out.direction;
}
#endif

template <class S>
void whole_samples(const SobelArgs& args, Call& call) {
  switch (args.options.aperture) {
    case 3: return strips_of<3, S>(args, call);
    case 5: return strips_of<5, S>(args, call);
    default: return strips_of<7, S>(args, call);
  }
}

}  // namespace

void sobel_simd_target(const SobelArgs& args, Call& call) {
  if (args.src.type == PixelType::f32) {
#if HWY_NATIVE_FMA && HWY_TARGET != HWY_SCALAR
    switch (args.options.aperture) {
      case 3: return float_strips<3>(args, call);
      case 5: return float_strips<5>(args, call);
      default: return float_strips<7>(args, call);
    }
#else
    // The definition has its fma: without the instruction the plain loops call fmaf.
    return sobel_rows(args, call);
#endif
  }
#if HWY_TARGET != HWY_SCALAR
  if (args.src.type == PixelType::u8 && wants_only_magnitude(args)) {
    return thread_columns(MagnitudeMarch{}, args.src.as<uint8_t>(),
                          args.out.magnitude.as<uint8_t>(), args.options.border, call);
  }
#endif
  return args.src.type == PixelType::u8 ? whole_samples<uint8_t>(args, call)
                                        : whole_samples<uint16_t>(args, call);
}

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cuesta {

HWY_EXPORT(sobel_simd_target);
void sobel_simd(const SobelArgs& args, Call& call) {
  HWY_DYNAMIC_DISPATCH(sobel_simd_target)(args, call);
}

}  // namespace cuesta
#endif
