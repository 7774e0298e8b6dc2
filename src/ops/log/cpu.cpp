// Strategy `simd`. The papers' window on u8 in 16 bits, down columns of registers; every other
// request on u8 in 32 bits, by rows that stay in cache; u16 by rows of floats
// (cpu/wide_rows-inl.hpp).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/log/cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

#include <cstring>

#include "cpu/column_march-inl.hpp"
#include "cpu/extended_row.hpp"
#include "cpu/simd-inl.hpp"
#include "ops/log/reference.hpp"
#if HWY_TARGET != HWY_SCALAR
#include "ops/log/cpu/crossings-inl.hpp"
#include "ops/log/cpu/wide_rows-inl.hpp"
#endif

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
// Highway's single-lane target (CPUs before SSE4, with older compilers) has no packed lanes to gain
// from.
void log_simd_target(const LogArgs& args, Call& call) { log_rows(args, call); }
#else
namespace {

// |L| > threshold with the papers' window, all sums modulo 2^16. With h = g ∗ (1 −2 1), a row r of
// the source gives G = g ∗ r and H = h ∗ r, both of which fit; then, down the rows,
//   D = H + (G below − G) − (G − G above)   the Laplacian of horizontally smoothed rows
//   L = g ∗ D = 2 (1 0 1) ∗ (1 2 1) ∗ D + D,
// each factor a running sum of two.
struct PapersLog {
  using Words = hn::Vec<MarchWords>;
  static constexpr int32_t radius = 3;
  /// L is in ±34,680. |L| <= t exactly when (L + t) mod 2^16 <= 2t, as long as 34,680 + t < 2^16.
  static constexpr int64_t max_threshold = 65535 - 34680;

  uint16_t threshold;

  // What half of the columns (even or odd) remembers of the rows above.
  static constexpr size_t g1 = 0, h1 = 1, change1 = 2, d1 = 3, d2 = 4, pair1 = 5, q1 = 6, q2 = 7,
                          state_of_half = 8;
  static constexpr size_t state = 2 * state_of_half;

  static HWY_INLINE Words down(Words* s, Words g, Words h) {
    const Words change = hn::Sub(g, s[g1]);
    const Words d = hn::Add(s[h1], hn::Sub(change, s[change1]));
    const Words pair = hn::Add(d, s[d1]);
    const Words q = hn::Add(pair, s[pair1]);
    const Words sides = hn::Add(q, s[q2]);
    const Words l = hn::Add(hn::Add(sides, sides), s[d2]);
    s[g1] = g, s[h1] = h, s[change1] = change;
    s[d2] = s[d1], s[d1] = d, s[pair1] = pair;
    s[q2] = s[q1], s[q1] = q;
    return l;
  }

  HWY_INLINE hn::Vec<MarchBytes> step(Words (&s)[state], const uint8_t* from) const {
    const MarchWords d;
    const hn::RebindToSigned<MarchWords> ds;
    const Words a = load_words(from), b = load_words(from + 2), c = load_words(from + 4),
                e = load_words(from + 6);
    // p[i] is the sample i − 3 columns from the even pixel, i − 4 from the odd one.
    const Words p[8] = {even_words(a), odd_words(a), even_words(b), odd_words(b),
                        even_words(c), odd_words(c), even_words(e), odd_words(e)};
    const Words middle = hn::Add(p[3], p[4]);
    // |L| > t as a signed comparison.
    const Words offset = hn::Set(d, uint16_t(threshold + 0x8000u));
    const auto limit = hn::Set(ds, int16_t(2 * threshold - 0x8000));
    hn::Mask<decltype(ds)> edge[2];
    for (int odd = 0; odd < 2; ++odd) {
      const Words* q = p + odd;  // q[3] is the centre
      const Words three = hn::Add(middle, odd ? q[4] : q[2]);
      const Words two = hn::Add(q[1], q[5]);
      const Words one = hn::Add(q[0], q[6]);
      // G = 2 (p±2 + 2 (p±1 + p0)) + p0;  H = 2 p±3 − (p±1 + p0) − p0
      const Words inner = hn::Add(two, hn::Add(three, three));
      const Words g = hn::Add(hn::Add(inner, inner), q[3]);
      const Words h = hn::Sub(hn::Add(one, one), hn::Add(three, q[3]));
      const Words l = down(s + (odd ? state_of_half : 0), g, h);
      edge[odd] = hn::Gt(hn::BitCast(ds, hn::Add(l, offset)), limit);
    }
    const auto even_bytes = hn::IfThenElseZero(edge[0], hn::Set(ds, 0x00FF));
    const auto odd_bytes = hn::IfThenElseZero(edge[1], hn::Set(ds, int16_t(0xFF00)));
    return hn::BitCast(MarchBytes(), hn::Or(even_bytes, odd_bytes));
  }
};

// Any window, in 32 bits: the Gaussian vertically in u16 (at most 256 · 255), horizontally in pairs
// of 16-bit products, then the Laplacian of three such rows. The vertical sums are shifted by −2^15
// to be signed; the Laplacian takes the constant out again.
class RowLog {
 public:
  RowLog(const LogArgs& args, const log::Window& window, uint8_t* bytes, int16_t* words,
         int32_t* sums)
      : args_(args),
        window_(window),
        width_(args.src.width),
        height_(args.src.height),
        stride_(stride(args.src.width, window.size)),
        rows_(args.src.as<uint8_t>(), args.options.border, window.radius(), window.radius(),
              window.size, bytes, stride_),
        vertical_(words),
        smooth_(sums),
        response_(sums + 3 * stride_) {}

  /// Of every buffer row: the window's margins, and what vectors overrun on either pass.
  static ptrdiff_t stride(int32_t width, int32_t size) {
    return (ptrdiff_t(width) + 2 * size + 2 + 63) / 64 * 64 + 128;
  }

  void run(int32_t begin, int32_t end) {
    const bool crossings =
        args_.dst.type == PixelType::u8 && args_.options.mode == LogMode::zero_crossings;
    const int32_t r = window_.size / 2, margin = crossings;
    const int32_t first = std::max(0, begin - margin), last = std::min(height_, end + margin);
    std::fill_n(response_, 3 * stride_, 0);
    for (int32_t y = first - 1 - r; y < first - 1 + r; ++y) rows_.make(y);
    smooth(first - 1);
    smooth(first);
    for (int32_t y = first; y < last; ++y) {
      smooth(y + 1);
      respond(y);
      if (!crossings)
        emit(y);
      else if (y > begin)
        emit_crossings(y - 1);
    }
    if (crossings && last == end) {  // the last row of the picture
      std::fill_n(response(last), width_, 0);
      emit_crossings(last - 1);
    }
  }

 private:
  int32_t* smoothed(int32_t y) { return smooth_ + stride_ * ((y + 3) % 3); }
  // Column 0 of a row of responses; the sample on either side of the row is 0.
  int32_t* response(int32_t y) { return response_ + stride_ * ((y + 3) % 3) + 32; }

  // Row y of the Gaussian, columns −1 .. width; asked for in rising order.
  void smooth(int32_t y) {
    const int32_t size = window_.size, r = size / 2;
    rows_.make(y + r);
    const hn::ScalableTag<uint16_t> d;
    const hn::Rebind<uint8_t, decltype(d)> d8;
    const ptrdiff_t lanes = ptrdiff_t(hn::Lanes(d)), wide = width_ + size + 1;
    const uint8_t* rows[log::Window::max_size];
    for (int32_t j = 0; j < size; ++j) rows[j] = rows_.row(y + j - r);
    for (ptrdiff_t x = 0; x < wide; x += lanes) {
      const auto sample = [&](int32_t j)
                              HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(d8, rows[j] + x)); };
      auto sum = hn::Mul(sample(r), hn::Set(d, uint16_t(window_.taps[r])));
      for (int32_t j = 0; j < r; ++j) {
        const auto pair = hn::Add(sample(j), sample(size - 1 - j));
        sum = hn::Add(sum, hn::Mul(pair, hn::Set(d, uint16_t(window_.taps[j]))));
      }
      const hn::RebindToSigned<decltype(d)> ds;
      hn::StoreU(hn::BitCast(ds, hn::Xor(sum, hn::Set(d, 0x8000))), ds, vertical_ + x);
    }
    const hn::ScalableTag<int16_t> ds;
    const hn::ScalableTag<int32_t> d32;
    int32_t* out = smoothed(y);
    for (ptrdiff_t x = 0; x < width_ + 2; x += lanes) {
      auto even0 = hn::Zero(d32), even1 = hn::Zero(d32), odd0 = hn::Zero(d32), odd1 = hn::Zero(d32);
      for (int32_t i = 0; i < size; i += 2) {
        const uint32_t second = i + 1 < size ? uint32_t(window_.taps[i + 1]) : 0;
        const auto taps =
            hn::BitCast(ds, hn::Set(d32, int32_t(uint32_t(window_.taps[i]) | second << 16)));
        even0 = hn::ReorderWidenMulAccumulate(d32, hn::LoadU(ds, vertical_ + x + i), taps, even0,
                                              even1);
        odd0 = hn::ReorderWidenMulAccumulate(d32, hn::LoadU(ds, vertical_ + x + i + 1), taps, odd0,
                                             odd1);
      }
      hn::StoreInterleaved2(hn::RearrangeToOddPlusEven(even0, even1),
                            hn::RearrangeToOddPlusEven(odd0, odd1), d32, out + x);
    }
  }

  void respond(int32_t y) {
    const hn::ScalableTag<int32_t> d;
    const int32_t radius = window_.radius();
    int32_t* out = response(y);
    const bool ignore = args_.options.border.mode == BorderMode::ignore;
    if (ignore && (y < radius || y + radius >= height_)) {
      std::fill_n(out, width_, 0);
      return;
    }
    const int32_t *upper = smoothed(y - 1) + 1, *centre = smoothed(y) + 1,
                  *lower = smoothed(y + 1) + 1;
    for (ptrdiff_t x = 0; x < width_; x += ptrdiff_t(hn::Lanes(d))) {
      const auto vertical = hn::Add(hn::LoadU(d, upper + x), hn::LoadU(d, lower + x));
      const auto horizontal = hn::Add(hn::LoadU(d, centre + x - 1), hn::LoadU(d, centre + x + 1));
      const auto middle = hn::ShiftLeft<2>(hn::LoadU(d, centre + x));
      hn::StoreU(hn::Sub(hn::Add(vertical, horizontal), middle), d, out + x);
    }
    if (ignore) {
      const int32_t edge = std::min(radius, width_);
      std::fill_n(out, edge, 0);
      std::fill_n(out + width_ - edge, edge, 0);
    }
    out[width_] = 0;
  }

  void emit(int32_t y) {
    if (args_.dst.type == PixelType::s32) {
      std::memcpy(args_.dst.as<int32_t>().row(y), response(y), size_t(width_) * 4);
      return;
    }
    const hn::ScalableTag<int32_t> d;
    const auto limit = hn::Set(d, limit_);
    write(y, [&](ptrdiff_t x)
                 HWY_ATTR { return hn::Gt(hn::Abs(hn::LoadU(d, response(y) + x)), limit); });
  }

  void emit_crossings(int32_t y) {
    const hn::ScalableTag<int32_t> d;
    const auto limit = hn::Set(d, limit_);
    const int32_t *upper = response(y - 1), *row = response(y), *lower = response(y + 1);
    write(y, [&](ptrdiff_t x) HWY_ATTR { return crossings_at(d, upper, row, lower, x, limit); });
  }

  template <class Edge>
  HWY_INLINE void write(int32_t y, Edge&& edge) {
    const hn::ScalableTag<int32_t> d;
    const hn::Rebind<uint8_t, decltype(d)> d8;
    uint8_t* to = args_.dst.as<uint8_t>().row(y);
    for (ptrdiff_t x = 0; x < width_; x += ptrdiff_t(hn::Lanes(d))) {
      const auto value = hn::IfThenElseZero(edge(x), hn::Set(d, 255));
      store_upto(hn::DemoteTo(d8, value), d8, to + x, width_ - x);
    }
  }

  const LogArgs& args_;
  const log::Window& window_;
  const int32_t width_, height_;
  const ptrdiff_t stride_;
  // No response of a u8 source reaches 2^27.
  const int32_t limit_ = int32_t(std::min<int64_t>(window_.threshold, 1 << 30));
  cpu::RollingRows<uint8_t> rows_;
  int16_t* vertical_;  // one row, width + size + 1
  int32_t* smooth_;    // three rows
  int32_t* response_;  // three rows
};

}  // namespace

void log_simd_target(const LogArgs& args, Call& call) {
  const log::Window window = log::window(args.options);
  if (args.src.type == PixelType::u16) {
    const log::Factors factors = log::factors(window);
    return fits_floats(factors, window.threshold)
               ? wide_log<float>(args, factors, window.threshold, call)
               : wide_log<double>(args, factors, window.threshold, call);
  }
  if (log::is_papers_window(args.options) && args.dst.type == PixelType::u8 &&
      args.options.mode == LogMode::threshold && window.threshold <= PapersLog::max_threshold) {
    const PapersLog kernel{uint16_t(window.threshold)};
    return thread_columns(kernel, args.src.as<uint8_t>(), args.dst.as<uint8_t>(),
                          args.options.border, call);
  }
  const Strips strips(args.src.height, call.threads());
  const auto stride = size_t(RowLog::stride(args.src.width, window.size));
  auto* bytes = call.scratch().take<uint8_t>(stride * size_t(window.size) * size_t(strips.count));
  auto* words = call.scratch().take<int16_t>(stride * size_t(strips.count));
  auto* sums = call.scratch().take<int32_t>(stride * 6 * size_t(strips.count));
  parallel_tasks(strips.count, call.threads(), [&](int s) {
    const auto i = size_t(s);
    RowLog(args, window, bytes + stride * size_t(window.size) * i, words + stride * i,
           sums + stride * 6 * i)
        .run(strips.begin(s), strips.end(s));
  });
}
#endif  // HWY_SCALAR

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cuesta {

HWY_EXPORT(log_simd_target);
void log_simd(const LogArgs& args, Call& call) {
  HWY_DYNAMIC_DISPATCH(log_simd_target)(args, call);
}

}  // namespace cuesta
#endif
