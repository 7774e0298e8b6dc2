// f32 sources: per output row the sums down K rows with their borders written out, then those
// across, each in the order and with the fma that sums.hpp defines. Included as cpu/simd-inl.hpp
// is.
#if defined(CUESTA_SOBEL_FLOATS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_SOBEL_FLOATS_INL_HPP
#undef CUESTA_SOBEL_FLOATS_INL_HPP
#else
#define CUESTA_SOBEL_FLOATS_INL_HPP
#endif

#include "cpu/extended_row.hpp"
#include "cpu/simd-inl.hpp"
#include "ops/shared/gradient.hpp"
#include "ops/sobel/args.hpp"
#include "ops/sobel/sums.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

template <class D, class V>
HWY_INLINE V add_tap(D d, V sum, int32_t tap, V value) {
  return tap ? hn::MulAdd(hn::Set(d, float(tap)), value, sum) : sum;
}

// Sums down the window of row y: smoothed and derived.
template <int K>
void float_columns(const cpu::RollingRows<float>& rows, int32_t y, ptrdiff_t count,
                   float* HWY_RESTRICT smooth, float* HWY_RESTRICT derive) {
  constexpr auto taps = gradient::taps(K);
  const hn::ScalableTag<float> d;
  const float* window[K];
  for (int j = 0; j < K; ++j) window[j] = rows.row(y + j - K / 2);
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
    auto s = hn::Zero(d), v = hn::Zero(d);
    for (int j = 0; j < K; ++j) {
      const auto p = hn::LoadU(d, window[j] + x);
      s = add_tap(d, s, taps.smoothing[j], p);
      v = add_tap(d, v, taps.derivative[j], p);
    }
    hn::StoreU(s, d, smooth + x);
    hn::StoreU(v, d, derive + x);
  }
}

// Row y of the outputs. Where a direction is wanted, `gradients` takes gx and, `stride` further,
// gy.
template <int K>
void float_row(const SobelArgs& args, int32_t y, const float* HWY_RESTRICT smooth,
               const float* HWY_RESTRICT derive, float* HWY_RESTRICT gradients, ptrdiff_t stride) {
  constexpr auto taps = gradient::taps(K);
  const hn::ScalableTag<float> d;
  const auto row_of = [y](AnyView out) { return out ? out.as<float>().row(y) : nullptr; };
  float *gx = row_of(args.out.gx), *gy = row_of(args.out.gy);
  float* magnitude = row_of(args.out.magnitude);
  const bool l1 = args.options.norm == Norm::l1;
  for (ptrdiff_t x = 0; x < args.src.width; x += ptrdiff_t(hn::Lanes(d))) {
    const ptrdiff_t left = args.src.width - x;
    auto dx = hn::Zero(d), dy = hn::Zero(d);
    for (int i = 0; i < K; ++i) {
      dx = add_tap(d, dx, taps.derivative[i], hn::LoadU(d, smooth + x + i));
      dy = add_tap(d, dy, taps.smoothing[i], hn::LoadU(d, derive + x + i));
    }
    if (gx) store_upto(with_one_nan(d, dx), d, gx + x, left);
    if (gy) store_upto(with_one_nan(d, dy), d, gy + x, left);
    if (magnitude) {
      const auto m =
          l1 ? hn::Add(hn::Abs(dx), hn::Abs(dy)) : hn::Sqrt(hn::MulAdd(dx, dx, hn::Mul(dy, dy)));
      store_upto(with_one_nan(d, m), d, magnitude + x, left);
    }
    if (args.out.direction) {
      hn::StoreU(dx, d, gradients + x);
      hn::StoreU(dy, d, gradients + stride + x);
    }
  }
  if (!args.out.direction) return;
  float* to = args.out.direction.as<float>().row(y);
  for (int32_t x = 0; x < args.src.width; ++x)
    to[x] = sobel_sums::angle(gradients[x], gradients[stride + x]);
}

// `ignore`: 0 where the window leaves the picture.
inline void clear_ignored(const SobelArgs& args, int32_t radius, int32_t y) {
  const int32_t width = args.src.width, side = std::min(radius, width);
  const bool outside = y < radius || y + radius >= args.src.height;
  for (const AnyView& out : {args.out.gx, args.out.gy, args.out.magnitude, args.out.direction}) {
    if (!out) continue;
    float* row = out.as<float>().row(y);
    std::fill_n(row, outside ? width : side, 0.0f);
    std::fill_n(row + width - side, side, 0.0f);
  }
}

template <int K>
void float_strips(const SobelArgs& args, Call& call) {
  constexpr int32_t radius = K / 2;
  const int32_t width = args.src.width;
  const Strips strips(args.src.height, call.threads());
  // Vector loads overrun a row by less than a vector; 64 lanes cover the widest.
  const ptrdiff_t stride = (ptrdiff_t(width) + 2 * radius + 63) / 64 * 64 + 64;
  auto* source = call.scratch().take<float>(size_t(stride) * K * size_t(strips.count));
  auto* sums = call.scratch().take<float>(size_t(stride) * 4 * size_t(strips.count));
  const bool ignore = args.options.border.mode == BorderMode::ignore;

  parallel_tasks(strips.count, call.threads(), [&](int s) {
    cpu::RollingRows<float> rows(args.src.as<float>(), args.options.border, radius, radius, K,
                                 source + stride * K * s, stride);
    float *smooth = sums + stride * 4 * s, *derive = smooth + stride;
    for (int32_t y = strips.begin(s) - radius; y < strips.begin(s) + radius; ++y) rows.make(y);
    for (int32_t y = strips.begin(s); y < strips.end(s); ++y) {
      rows.make(y + radius);
      float_columns<K>(rows, y, width + 2 * radius, smooth, derive);
      float_row<K>(args, y, smooth, derive, derive + stride, stride);
      if (ignore) clear_ignored(args, radius, y);
    }
  });
}

}  // namespace
}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
