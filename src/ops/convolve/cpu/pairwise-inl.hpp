// Large f32 windows of equal taps, but perhaps at the anchor: pairwise sums down columns, then
// across (equal_taps.hpp). Both cost an addition for each doubling of a length and one for each
// further power of two in it. Included as cpu/simd-inl.hpp is.
#if defined(CUESTA_CONVOLVE_PAIRWISE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_CONVOLVE_PAIRWISE_INL_HPP
#undef CUESTA_CONVOLVE_PAIRWISE_INL_HPP
#else
#define CUESTA_CONVOLVE_PAIRWISE_INL_HPP
#endif

#include "cpu/extended_row.hpp"
#include "ops/convolve/cpu/finish-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

/// Sums of the last `count` rows, a row at a time. For each power of two k up to `count` it keeps
/// the sums of k rows that begin at the last k rows: the new sum of 2k rows is the oldest of them
/// plus the newest.
class PairwiseRows {
 public:
  /// `memory` has 2 · count rows, `stride` apart.
  PairwiseRows(int32_t count, float* memory, ptrdiff_t stride) : count_(count), stride_(stride) {
    for (int32_t k = 1; k <= count; k *= 2, ++levels_) {
      ring_[levels_] = memory;
      memory += stride * k;
    }
  }

  void clear() {
    std::fill_n(ring_[0], stride_ * ((ptrdiff_t(1) << levels_) - 1), 0.0f);
    row_ = 0;
  }

  /// Takes a row; `sums` are those of it and the count − 1 before. Rows are as long as the stride.
  void push(const float* HWY_RESTRICT row, float* HWY_RESTRICT sums) {
    const hn::ScalableTag<float> d;
    float *newest[10], *piece[10];
    for (int b = 0; b < levels_; ++b) {
      const int32_t k = 1 << b;
      newest[b] = ring_[b] + stride_ * (row_ & (k - 1));
      // The pieces of the sum before this one end where the others, count % k rows, begin.
      piece[b] = ring_[b] + stride_ * ((row_ - count_ % k) & (k - 1));
    }
    for (ptrdiff_t x = 0; x < stride_; x += ptrdiff_t(hn::Lanes(d))) {
      auto sum = hn::LoadU(d, row + x), all = hn::Zero(d);
      bool any = false;
      for (int b = 0; b < levels_; ++b) {
        const auto oldest = hn::LoadU(d, newest[b] + x);
        hn::StoreU(sum, d, newest[b] + x);
        if (count_ >> b & 1) {
          const auto part = hn::LoadU(d, piece[b] + x);
          all = any ? hn::Add(part, all) : part;
          any = true;
        }
        sum = hn::Add(oldest, sum);
      }
      hn::StoreU(all, d, sums + x);
    }
    ++row_;
  }

 private:
  float* ring_[10];
  int32_t count_, levels_ = 0;
  uint32_t row_ = 0;
  ptrdiff_t stride_;
};

/// all[x] = Σ row[x + i · step], i from 0 to count − 1, pairwise. Changes `row`; both have room for
/// what is read past `length`.
inline void add_across(float* row, int32_t count, ptrdiff_t step, ptrdiff_t length, float* all) {
  const hn::ScalableTag<float> d;
  const auto n = ptrdiff_t(hn::Lanes(d));
  bool any = false;
  for (int32_t k = 1; k <= count; k *= 2) {
    const bool is_piece = count & k, is_last = 2 * k > count;
    const ptrdiff_t far = k * step;
    for (ptrdiff_t x = 0; x < length; x += n) {
      const auto sum = hn::LoadU(d, row + x);
      if (is_piece) hn::StoreU(any ? hn::Add(sum, hn::LoadU(d, all + x + far)) : sum, d, all + x);
      if (!is_last) hn::StoreU(hn::Add(sum, hn::LoadU(d, row + x + far)), d, row + x);
    }
    any |= is_piece;
  }
}

/// sums[x] = (every · sums[x] + extra · centre[x]) / divisor.
inline void weigh(const EqualTaps& taps, const float* HWY_RESTRICT centre, ptrdiff_t count,
                  float* HWY_RESTRICT sums) {
  const hn::ScalableTag<float> d;
  const auto every = hn::Set(d, taps.every), extra = hn::Set(d, taps.extra);
  const auto divisor = hn::Set(d, taps.divisor);
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
    auto sum = hn::Mul(every, hn::LoadU(d, sums + x));
    if (taps.extra != 0) sum = hn::MulAdd(extra, load_upto(d, centre + x, count - x), sum);
    hn::StoreU(hn::Div(sum, divisor), d, sums + x);
  }
}

inline void pairwise_strips(const ConvolveArgs& args, const Plan& plan, Call& call) {
  const int32_t c = args.src.channels, width = args.width, height = args.height;
  const int32_t left = args.anchor_x, right = width - 1 - left, top = args.anchor_y;
  // The rows that a strip keeps stay in L2.
  const ptrdiff_t fits = (ptrdiff_t(1) << 17) / (ptrdiff_t(c) * height);
  const auto tile = int32_t(std::clamp<ptrdiff_t>(fits, std::max(512, 2 * width), 1 << 16));
  const Strips strips(args.src.height, call.threads(), std::max(16, height));
  const ptrdiff_t longest = ptrdiff_t(std::min(tile, args.src.width) + width - 1) * c;
  const ptrdiff_t stride = (longest + 63) / 64 * 64;
  // What add_across reads past a row, and a vector.
  const ptrdiff_t room = (stride + ptrdiff_t(width) * c + 63) / 64 * 64 + 64;
  Scratch& scratch = call.scratch();
  auto* const kept =
      scratch.take<float>(size_t(stride) * 2 * size_t(height) * size_t(strips.count));
  auto* const rows = scratch.take<float>(size_t(room) * 3 * size_t(strips.count));
  const auto src = args.src.as<float>();
  const Finish finish(args, plan);

  parallel_tasks(strips.count, call.threads(), [&](int s) {
    PairwiseRows down(height, kept + stride * 2 * height * s, stride);
    float *const row = rows + room * 3 * s, *const sums = row + room, *const all = sums + room;
    std::fill_n(row, 3 * room, 0.0f);
    for (int32_t x = 0; x < args.src.width; x += tile) {
      const int32_t end = std::min(x + tile, args.src.width);
      const ptrdiff_t count = ptrdiff_t(end - x) * c;
      const ptrdiff_t extended = count + ptrdiff_t(width - 1) * c;
      down.clear();
      for (int32_t y = strips.begin(s) - (height - 1); y < strips.end(s); ++y) {
        cpu::extend_span(src, y - top + height - 1, args.border, x - left, end + right, row);
        down.push(row, sums);
        if (y < strips.begin(s)) continue;
        add_across(sums, width, c, extended, all);
        weigh(args.equal, src.row(y) + ptrdiff_t(x) * c, count, all);
        finish_row(args, all, finish, x, y, count);
      }
    }
  });
}

}  // namespace
}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
