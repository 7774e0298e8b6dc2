// u16 sources of any window: L = g sᵀ + s gᵀ with s = g ∗ (1 −2 1), both sums down, both across, in
// f32 where every sum is below 2^24, else in f64. Included as cpu/simd-inl.hpp is.
#if defined(CUESTA_LOG_WIDE_ROWS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_LOG_WIDE_ROWS_INL_HPP
#undef CUESTA_LOG_WIDE_ROWS_INL_HPP
#else
#define CUESTA_LOG_WIDE_ROWS_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "cpu/extended_row.hpp"
#include "cpu/simd-inl.hpp"
#include "ops/log/cpu/crossings-inl.hpp"
#include "ops/log/reference.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

// The taps of both factors, symmetric, and the window of source rows as T.
template <class T>
class WideLog {
 public:
  WideLog(const LogArgs& args, const log::Factors& factors, int64_t threshold, uint16_t* samples,
          T* memory)
      : args_(args),
        factors_(factors),
        threshold_(T(threshold)),
        width_(args.src.width),
        height_(args.src.height),
        radius_(factors.size / 2),
        stride_(stride(args.src.width, factors.size)),
        samples_(samples),
        rows_(memory),
        smooth_(rows_ + stride_ * factors.size),
        bend_(smooth_ + stride_),
        response_(bend_ + stride_) {}

  /// Of every buffer row: the window's margins, and what vectors overrun.
  static ptrdiff_t stride(int32_t width, int32_t size) {
    return (ptrdiff_t(width) + size + 63) / 64 * 64 + 128;
  }
  /// Rows of T that a strip wants.
  static ptrdiff_t rows(int32_t size) { return ptrdiff_t(size) + 5; }

  void run(int32_t begin, int32_t end) {
    const bool crossings =
        args_.dst.type == PixelType::u8 && args_.options.mode == LogMode::zero_crossings;
    const int32_t margin = crossings;
    const int32_t first = std::max(0, begin - margin), last = std::min(height_, end + margin);
    std::fill_n(response_, 3 * stride_, T(0));
    for (int32_t y = first - radius_; y < first + radius_; ++y) make(y);
    for (int32_t y = first; y < last; ++y) {
      make(y + radius_);
      respond(y);
      if (!crossings)
        emit(y);
      else if (y > begin)
        emit_crossings(y - 1);
    }
    if (crossings && last == end) {  // the last row of the picture
      std::fill_n(response(last), width_, T(0));
      emit_crossings(last - 1);
    }
  }

 private:
  using D = hn::ScalableTag<T>;

  T* row(int32_t y) const {
    const int32_t n = factors_.size;
    return rows_ + stride_ * ((y % n + n) % n);
  }
  // Column 0 of a row of responses; the sample on either side of the row is 0.
  T* response(int32_t y) { return response_ + stride_ * ((y + 3) % 3) + 32; }

  // Source row y as T, its border written out.
  void make(int32_t y) {
    const D d;
    const hn::Rebind<int32_t, D> d32;
    const hn::Rebind<uint16_t, D> d16;
    cpu::extend_row(args_.src.as<uint16_t>(), y, args_.options.border, radius_, radius_, samples_);
    T* to = row(y);
    for (ptrdiff_t x = 0; x < width_ + 2 * radius_; x += ptrdiff_t(hn::Lanes(d))) {
      const auto whole = hn::PromoteTo(d32, hn::LoadU(d16, samples_ + x));
      if constexpr (sizeof(T) == 4)
        hn::StoreU(hn::ConvertTo(d, whole), d, to + x);
      else
        hn::StoreU(hn::PromoteTo(d, whole), d, to + x);
    }
  }

  void respond(int32_t y) {
    const D d;
    T* out = response(y);
    const bool ignore = args_.options.border.mode == BorderMode::ignore;
    if (ignore && (y < radius_ || y + radius_ >= height_)) {
      std::fill_n(out, width_, T(0));
      return;
    }
    const int32_t n = factors_.size;
    const T* rows[log::Factors::max_size];
    for (int32_t j = 0; j < n; ++j) rows[j] = row(y + j - radius_);
    for (ptrdiff_t x = 0; x < width_ + 2 * radius_; x += ptrdiff_t(hn::Lanes(d))) {
      const auto centre = hn::LoadU(d, rows[radius_] + x);
      auto smooth = hn::Mul(centre, tap(factors_.smooth, radius_));
      auto bend = hn::Mul(centre, tap(factors_.bend, radius_));
      for (int32_t j = 0; j < radius_; ++j) {
        const auto pair = hn::Add(hn::LoadU(d, rows[j] + x), hn::LoadU(d, rows[n - 1 - j] + x));
        smooth = hn::MulAdd(pair, tap(factors_.smooth, j), smooth);
        bend = hn::MulAdd(pair, tap(factors_.bend, j), bend);
      }
      hn::StoreU(smooth, d, smooth_ + x);
      hn::StoreU(bend, d, bend_ + x);
    }
    for (ptrdiff_t x = 0; x < width_; x += ptrdiff_t(hn::Lanes(d))) {
      auto sum = hn::Mul(hn::LoadU(d, smooth_ + x + radius_), tap(factors_.bend, radius_));
      auto other = hn::Mul(hn::LoadU(d, bend_ + x + radius_), tap(factors_.smooth, radius_));
      for (int32_t i = 0; i < radius_; ++i) {
        const ptrdiff_t a = x + i, b = x + n - 1 - i;
        sum = hn::MulAdd(hn::Add(hn::LoadU(d, smooth_ + a), hn::LoadU(d, smooth_ + b)),
                         tap(factors_.bend, i), sum);
        other = hn::MulAdd(hn::Add(hn::LoadU(d, bend_ + a), hn::LoadU(d, bend_ + b)),
                           tap(factors_.smooth, i), other);
      }
      hn::StoreU(hn::Add(sum, other), d, out + x);
    }
    if (ignore) {
      const int32_t edge = std::min(radius_, width_);
      std::fill_n(out, edge, T(0));
      std::fill_n(out + width_ - edge, edge, T(0));
    }
    out[width_] = T(0);
  }
  static HWY_INLINE hn::Vec<D> tap(const int32_t* taps, int32_t i) {
    return hn::Set(D(), T(taps[i]));
  }

  void emit(int32_t y) {
    const D d;
    const T* row = response(y);
    if (args_.dst.type == PixelType::u8) {
      const auto limit = hn::Set(d, threshold_);
      return write(
          y, [&](ptrdiff_t x) HWY_ATTR { return hn::Gt(hn::Abs(hn::LoadU(d, row + x)), limit); });
    }
    int32_t* to = args_.dst.as<int32_t>().row(y);
    const hn::Rebind<int32_t, D> d32;
    for (ptrdiff_t x = 0; x < width_; x += ptrdiff_t(hn::Lanes(d))) {
      const auto value = hn::LoadU(d, row + x);
      if constexpr (sizeof(T) == 4) {
        store_upto(hn::ConvertTo(d32, value), d32, to + x, width_ - x);
      } else {
        const auto least = hn::Set(d, double(std::numeric_limits<int32_t>::min()));
        const auto most = hn::Set(d, double(std::numeric_limits<int32_t>::max()));
        const auto cut = hn::Max(least, hn::Min(most, value));
        store_upto(hn::DemoteTo(d32, cut), d32, to + x, width_ - x);
      }
    }
  }

  void emit_crossings(int32_t y) {
    const D d;
    const auto limit = hn::Set(d, threshold_);
    const T *upper = response(y - 1), *row = response(y), *lower = response(y + 1);
    write(y, [&](ptrdiff_t x) HWY_ATTR { return crossings_at(d, upper, row, lower, x, limit); });
  }

  template <class Edge>
  HWY_INLINE void write(int32_t y, Edge&& edge) {
    const D d;
    const hn::Rebind<int32_t, D> d32;
    const hn::Rebind<uint8_t, D> d8;
    uint8_t* to = args_.dst.as<uint8_t>().row(y);
    for (ptrdiff_t x = 0; x < width_; x += ptrdiff_t(hn::Lanes(d))) {
      const auto value = hn::IfThenElseZero(edge(x), hn::Set(d, T(255)));
      if constexpr (sizeof(T) == 4)
        store_upto(hn::DemoteTo(d8, hn::ConvertTo(d32, value)), d8, to + x, width_ - x);
      else
        store_upto(hn::DemoteTo(d8, hn::DemoteTo(d32, value)), d8, to + x, width_ - x);
    }
  }

  const LogArgs& args_;
  const log::Factors& factors_;
  const T threshold_;
  const int32_t width_, height_, radius_;
  const ptrdiff_t stride_;
  uint16_t* samples_;  // one row
  T* rows_;            // the window's
  T *smooth_, *bend_;  // one row each
  T* response_;        // three rows
};

// Whether every sum is below 2^24, and differences of two responses that may not exceed the
// threshold are too.
inline bool fits_floats(const log::Factors& factors, int64_t threshold) {
  int64_t smooth = 0, bend = 0;
  for (int32_t i = 0; i < factors.size; ++i) {
    smooth += factors.smooth[i];
    bend += std::abs(factors.bend[i]);
  }
  return smooth * bend * 65535 < (1 << 24) && threshold < (1 << 23);
}

template <class T>
void wide_log(const LogArgs& args, const log::Factors& factors, int64_t threshold, Call& call) {
  using Rows = WideLog<T>;
  const Strips strips(args.src.height, call.threads());
  const auto stride = size_t(Rows::stride(args.src.width, factors.size));
  const size_t rows = stride * size_t(Rows::rows(factors.size));
  auto* samples = call.scratch().take<uint16_t>(stride * size_t(strips.count));
  auto* memory = call.scratch().take<T>(rows * size_t(strips.count));
  parallel_tasks(strips.count, call.threads(), [&](int s) {
    const auto i = size_t(s);
    Rows(args, factors, threshold, samples + stride * i, memory + rows * i)
        .run(strips.begin(s), strips.end(s));
  });
}

}  // namespace
}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
