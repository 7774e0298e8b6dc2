// Strategy `simd`. u8 where only a u8 magnitude is wanted (aperture 3, norm l1): one pass down
// columns of registers. Else separable rows: vertical pass over the K rows of the window,
// horizontal pass over the two sums, then what is wanted of (gx, gy), all in rows that stay in L1;
// 16-bit sums for apertures 3 and 5, 32-bit for 7. f32 sources go the same way in f32
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
#include "ops/sobel/reference.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

// Rows of one strip, each with room for a vector past its end.
template <class Acc>
struct Rows {
  int16_t *smooth, *derive;  // vertical sums, width + 2r
  Acc *gx, *gy;              // width
};

template <int K>
void vertical(const cpu::RollingRows<uint8_t>& rows, int32_t y, ptrdiff_t count,
              int16_t* HWY_RESTRICT smooth, int16_t* HWY_RESTRICT derive) {
  constexpr auto taps = gradient::taps(K);
  const hn::ScalableTag<int16_t> d;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  const uint8_t* window[K];
  for (int j = 0; j < K; ++j) window[j] = rows.row(y + j - K / 2);
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
    auto s = hn::Zero(d), v = hn::Zero(d);
    for (int j = 0; j < K; ++j) {
      const auto p = hn::PromoteTo(d, hn::LoadU(d8, window[j] + x));
      s = hn::Add(s, hn::Mul(p, hn::Set(d, int16_t(taps.smoothing[j]))));
      if (taps.derivative[j]) v = hn::Add(v, hn::Mul(p, hn::Set(d, int16_t(taps.derivative[j]))));
    }
    hn::StoreU(s, d, smooth + x);
    hn::StoreU(v, d, derive + x);
  }
}

// A vertical sum as a lane of the accumulator.
template <class D>
HWY_INLINE auto load_sum(D d, const int16_t* from) {
  if constexpr (sizeof(hn::TFromD<D>) == 2)
    return hn::LoadU(d, from);
  else
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<int16_t, D>(), from));
}

template <int K, class Acc>
void horizontal(const Rows<Acc>& r, ptrdiff_t width) {
  constexpr auto taps = gradient::taps(K);
  const hn::ScalableTag<Acc> d;
  for (ptrdiff_t x = 0; x < width; x += ptrdiff_t(hn::Lanes(d))) {
    auto gx = hn::Zero(d), gy = hn::Zero(d);
    for (int i = 0; i < K; ++i) {
      if (taps.derivative[i])
        gx = hn::Add(gx,
                     hn::Mul(load_sum(d, r.smooth + x + i), hn::Set(d, Acc(taps.derivative[i]))));
      gy = hn::Add(gy, hn::Mul(load_sum(d, r.derive + x + i), hn::Set(d, Acc(taps.smoothing[i]))));
    }
    hn::StoreU(gx, d, r.gx + x);
    hn::StoreU(gy, d, r.gy + x);
  }
}

template <class Acc>
void write_gradient(AnyView out, int32_t y, const Acc* g, ptrdiff_t width) {
  if (out.type == PixelType::s16) {
    const hn::ScalableTag<int16_t> d;
    int16_t* to = out.as<int16_t>().row(y);
    if constexpr (sizeof(Acc) == 2) {
      std::memcpy(to, g, size_t(width) * 2);
    } else {
      const hn::Half<decltype(d)> half;
      const hn::ScalableTag<int32_t> d32;
      for (ptrdiff_t x = 0; x < width; x += ptrdiff_t(hn::Lanes(half))) {
        store_upto(hn::DemoteTo(half, hn::LoadU(d32, g + x)), half, to + x, width - x);
      }
    }
  } else if (out.type == PixelType::s32) {
    int32_t* to = out.as<int32_t>().row(y);
    for (ptrdiff_t x = 0; x < width; ++x) to[x] = g[x];
  }
}

template <class Acc>
HWY_INLINE auto load32(const Acc* from) {
  const hn::ScalableTag<int32_t> d;
  if constexpr (sizeof(Acc) == 4)
    return hn::LoadU(d, from);
  else
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<int16_t, decltype(d)>(), from));
}

template <class Acc>
void write_magnitude(AnyView out, Norm norm, int32_t y, const Rows<Acc>& r, ptrdiff_t width) {
  const hn::ScalableTag<int32_t> d;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  const hn::Rebind<uint16_t, decltype(d)> d16;
  if constexpr (sizeof(Acc) == 2) {
    if (norm == Norm::l1) {
      const hn::ScalableTag<int16_t> ds;
      const hn::RebindToUnsigned<decltype(ds)> du;
      const hn::Rebind<uint8_t, decltype(ds)> dn;
      for (ptrdiff_t x = 0; x < width; x += ptrdiff_t(hn::Lanes(ds))) {
        // At most 2 * 12,240: no saturation in 16 bits.
        const auto m = hn::Add(hn::Abs(hn::LoadU(ds, r.gx + x)), hn::Abs(hn::LoadU(ds, r.gy + x)));
        if (out.type == PixelType::u8)
          store_upto(hn::DemoteTo(dn, m), dn, out.as<uint8_t>().row(y) + x, width - x);
        else
          store_upto(hn::BitCast(du, m), du, out.as<uint16_t>().row(y) + x, width - x);
      }
      return;
    }
  }
  for (ptrdiff_t x = 0; x < width; x += ptrdiff_t(hn::Lanes(d))) {
    const auto gx = load32(r.gx + x), gy = load32(r.gy + x);
    const auto m = norm == Norm::l1 ? hn::Add(hn::Abs(gx), hn::Abs(gy))
                                    : floor_sqrt(d, hn::Add(hn::Mul(gx, gx), hn::Mul(gy, gy)));
    // Highway demotes 32 bits to u8 by way of i16, which is wrong past 32,767: clamp first.
    if (out.type == PixelType::u8)
      store_upto(hn::DemoteTo(d8, hn::Min(m, hn::Set(d, 255))), d8, out.as<uint8_t>().row(y) + x,
                 width - x);
    else
      store_upto(hn::DemoteTo(d16, m), d16, out.as<uint16_t>().row(y) + x, width - x);
  }
}

template <class Acc>
void write_direction(AnyView out, int32_t y, const Rows<Acc>& r, ptrdiff_t width) {
  const hn::ScalableTag<int32_t> d;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  uint8_t* to = out.as<uint8_t>().row(y);
  for (ptrdiff_t x = 0; x < width; x += ptrdiff_t(hn::Lanes(d))) {
    const auto gx = load32(r.gx + x), gy = load32(r.gy + x);
    const auto ax = hn::Abs(gx), ay = hn::ShiftLeft<15>(hn::Abs(gy));
    const auto low = hn::Mul(ax, hn::Set(d, gradient::tan_22_5));
    const auto high = hn::Add(low, hn::ShiftLeft<16>(ax));
    const auto diagonal =
        hn::IfThenElse(hn::Lt(hn::Xor(gx, gy), hn::Zero(d)), hn::Set(d, 3), hn::Set(d, 1));
    const auto code = hn::IfThenElse(hn::Gt(ay, high), hn::Set(d, 2), diagonal);
    store_upto(hn::DemoteTo(d8, hn::IfThenZeroElse(hn::Lt(ay, low), code)), d8, to + x, width - x);
  }
}

template <int K, class Acc>
void strips_of(const SobelArgs& args, Call& call) {
  constexpr int32_t radius = K / 2;
  const int32_t width = args.src.width, height = args.src.height;
  const Strips strips(height, call.threads());
  // Vector loads overrun a row by less than a vector; 64 lanes cover the widest.
  const ptrdiff_t stride = (ptrdiff_t(width) + 2 * radius + 63) / 64 * 64 + 64;
  auto* source = call.scratch().take<uint8_t>(size_t(stride) * K * size_t(strips.count));
  auto* sums = call.scratch().take<int16_t>(size_t(stride) * 2 * size_t(strips.count));
  auto* gradients = call.scratch().take<Acc>(size_t(stride) * 2 * size_t(strips.count));
  const bool ignore = args.options.border.mode == BorderMode::ignore;

  parallel_tasks(strips.count, call.threads(), [&](int s) {
    cpu::RollingRows<uint8_t> rows(args.src.as<uint8_t>(), args.options.border, radius, radius, K,
                                   source + stride * K * s, stride);
    const Rows<Acc> r{sums + stride * 2 * s, sums + stride * (2 * s + 1),
                      gradients + stride * 2 * s, gradients + stride * (2 * s + 1)};
    for (int32_t y = strips.begin(s) - radius; y < strips.begin(s) + radius; ++y) rows.make(y);
    for (int32_t y = strips.begin(s); y < strips.end(s); ++y) {
      rows.make(y + radius);
      vertical<K>(rows, y, width + 2 * radius, r.smooth, r.derive);
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
      if (args.out.magnitude) write_magnitude(args.out.magnitude, args.options.norm, y, r, width);
      if (args.out.direction) write_direction(args.out.direction, y, r, width);
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
  if (wants_only_magnitude(args)) {
    return thread_columns(MagnitudeMarch{}, args.src.as<uint8_t>(),
                          args.out.magnitude.as<uint8_t>(), args.options.border, call);
  }
#endif
  switch (args.options.aperture) {
    case 3: return strips_of<3, int16_t>(args, call);
    case 5: return strips_of<5, int16_t>(args, call);
    default: return strips_of<7, int32_t>(args, call);
  }
}

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cuesta {

HWY_EXPORT(sobel_simd_target);
void sobel_simd(const SobelArgs& args, Call& call) {
  HWY_DYNAMIC_DISPATCH(sobel_simd_target)(args, call);
}

std::string_view sobel_simd_supports(const SobelArgs& args, const Parameters&) {
  if (args.src.type == PixelType::u16) return "u16 source";
  if (args.src.type == PixelType::f32)
    return args.out.direction ? "a direction in radians" : std::string_view();
  if (args.out.magnitude.type == PixelType::f32 || args.out.direction.type == PixelType::f32)
    return "floating-point output";
  if (args.options.aperture == 7 && args.out.magnitude && args.options.norm == Norm::l2)
    return "aperture 7 with norm l2";
  if (args.options.aperture == 7 && args.out.direction) return "aperture 7 with a direction";
  return {};
}

}  // namespace cuesta
#endif
