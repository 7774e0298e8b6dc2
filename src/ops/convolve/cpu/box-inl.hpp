// Windows of equal taps on u8 and u16, but perhaps at the anchor, of any size at the same cost:
// sums of columns that follow the window down, prefix sums of those across, and a difference of
// two. All of it modulo 2^32, which every sum is below. Included as cpu/simd-inl.hpp is.
#if defined(CUESTA_CONVOLVE_BOX_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_CONVOLVE_BOX_INL_HPP
#undef CUESTA_CONVOLVE_BOX_INL_HPP
#else
#define CUESTA_CONVOLVE_BOX_INL_HPP
#endif

#include <algorithm>

#include "core/border_sample.hpp"
#include "ops/convolve/cpu/finish-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

using BoxLanes = hn::ScalableTag<uint32_t>;

/// Prefix sums of interleaved channels: to[c + x] = from[x] + to[x], to[0 .. c) being 0. Rows have
/// room for a vector past their end.
class PrefixSums {
 public:
  explicit PrefixSums(int32_t channels) : channels_(channels) {
    const auto n = int32_t(hn::Lanes(BoxLanes()));
    for (int32_t step = channels; step < n; step *= 2, ++steps_) {
      for (int32_t i = 0; i < n; ++i) {
        shift_[steps_][i] = i < step ? 0 : i - step;
        keep_[steps_][i] = i < step ? 0 : ~uint32_t{0};
      }
    }
    for (int32_t i = 0; i < n; ++i) last_[i] = std::max(0, n - channels) + i % channels;
  }

  void run(const uint32_t* HWY_RESTRICT from, ptrdiff_t count, uint32_t* HWY_RESTRICT to) const {
    std::fill_n(to, channels_, 0);
    to += channels_;
    if constexpr (hn::MaxLanes(BoxLanes()) < 8) {
      for (ptrdiff_t x = 0; x < count; ++x) to[x] = from[x] + to[x - channels_];
    } else {
      const BoxLanes d;
      const auto last = hn::SetTableIndices(d, last_);
      auto carry = hn::Zero(d);
      for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
        auto sum = hn::LoadU(d, from + x);
        for (int s = 0; s < steps_; ++s) {
          const auto moved = hn::TableLookupLanes(sum, hn::SetTableIndices(d, shift_[s]));
          sum = hn::Add(sum, hn::And(moved, hn::Load(d, keep_[s])));
        }
        sum = hn::Add(sum, carry);
        hn::StoreU(sum, d, to + x);
        carry = hn::TableLookupLanes(sum, last);
      }
    }
  }

 private:
  static constexpr size_t lanes = hn::MaxLanes(BoxLanes());
  int32_t channels_, steps_ = 0;
  HWY_ALIGN int32_t shift_[4][lanes];
  HWY_ALIGN uint32_t keep_[4][lanes];
  HWY_ALIGN int32_t last_[lanes];
};

/// sums[x] += entering[x] − leaving[x]; a null row counts as 0.
template <class Src>
void move_down(const Src* entering, const Src* leaving, ptrdiff_t count,
               uint32_t* HWY_RESTRICT sums) {
  const BoxLanes d;
  const hn::RebindToSigned<BoxLanes> di;
  const hn::Rebind<Src, BoxLanes> narrow;
  const auto n = ptrdiff_t(hn::Lanes(d));
  const auto load = [&](const Src* row, ptrdiff_t x) HWY_ATTR {
    return hn::BitCast(d, hn::PromoteTo(di, load_upto(narrow, row + x, count - x)));
  };
  for (ptrdiff_t x = 0; x < count; x += n) {
    auto sum = hn::Add(hn::LoadU(d, sums + x), load(entering, x));
    if (leaving) sum = hn::Sub(sum, load(leaving, x));
    hn::StoreU(sum, d, sums + x);
  }
}

/// The window's sums as T, from the prefix sums `reach` apart.
template <class T>
void differences(const uint32_t* HWY_RESTRICT prefix, ptrdiff_t reach, ptrdiff_t count,
                 T* HWY_RESTRICT to) {
  const hn::ScalableTag<T> d;
  const hn::Rebind<uint32_t, decltype(d)> du;
  const hn::Rebind<int32_t, decltype(d)> di;
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
    const auto sum = hn::Sub(hn::LoadU(du, prefix + x + reach), hn::LoadU(du, prefix + x));
    if constexpr (sizeof(T) == 4) {
      hn::StoreU(hn::ConvertTo(d, hn::BitCast(di, sum)), d, to + x);  // below 2^24
    } else {
      const auto shifted = hn::BitCast(di, hn::Xor(sum, hn::Set(du, uint32_t(1) << 31)));
      hn::StoreU(hn::Add(hn::PromoteTo(d, shifted), hn::Set(d, 0x1p31)), d, to + x);
    }
  }
}

/// sums[x] · every + row[x] · extra: T holds both products.
template <class T, class Src>
void add_anchor(const Src* row, const Plan& plan, ptrdiff_t count, T* HWY_RESTRICT sums) {
  const hn::ScalableTag<T> d;
  const hn::Rebind<int32_t, decltype(d)> di;
  const hn::Rebind<Src, decltype(d)> narrow;
  const auto every = hn::Set(d, T(plan.every)), extra = hn::Set(d, T(plan.extra));
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
    const auto whole = hn::PromoteTo(di, load_upto(narrow, row + x, count - x));
    const auto sample = [&]() HWY_ATTR {
      if constexpr (sizeof(T) == 4)
        return hn::ConvertTo(d, whole);
      else
        return hn::PromoteTo(d, whole);
    }();
    const auto sum = hn::Mul(hn::LoadU(d, sums + x), every);
    hn::StoreU(hn::Add(sum, hn::Mul(sample, extra)), d, sums + x);
  }
}

template <class T, class Src>
void box_strips(const ConvolveArgs& args, const Plan& plan, Call& call) {
  const int32_t c = args.src.channels, width = args.src.width, height = args.height;
  const int32_t left = args.anchor_x, right = args.width - 1 - left, top = args.anchor_y;
  // Each strip adds a window's rows before its first result, at a fifth of a row's cost.
  const Strips strips(args.src.height, call.threads(), std::max(16, height / 2), 2);
  const ptrdiff_t count = ptrdiff_t(width) * c, extended = count + ptrdiff_t(left + right) * c;
  const ptrdiff_t stride = (extended + c + 63) / 64 * 64 + 128;
  Scratch& scratch = call.scratch();
  auto* const memory = scratch.take<uint32_t>(size_t(stride) * 2 * size_t(strips.count));
  auto* const results = scratch.take<T>(size_t(stride) * size_t(strips.count));
  // The column that a pixel of border takes, or -1; and the row that `constant` puts outside.
  auto* const columns = scratch.take<int32_t>(size_t(left + right) + 1);
  auto* const outside = scratch.take<Src>(size_t(count));
  for (int32_t i = 0; i < left + right; ++i)
    columns[i] = map_index(args.border.mode, i < left ? i - left : width + i - left, width);
  std::fill_n(outside, count, border_sample<Src>(args.border));
  const uint32_t outside_sum = uint32_t(outside[0]) * uint32_t(height);
  const auto src = args.src.as<Src>();
  const Finish finish(args, plan);
  const PrefixSums prefix_sums(c);

  parallel_tasks(strips.count, call.threads(), [&](int s) {
    uint32_t *const sums = memory + stride * 2 * s, *const prefix = sums + stride;
    uint32_t* const inside = sums + ptrdiff_t(left) * c;
    T* const result = results + stride * s;
    const auto row = [&](int32_t y) {
      const int32_t sy = map_index(args.border.mode, y, args.src.height);
      return sy < 0 ? outside : src.row(sy);
    };
    std::fill_n(sums, stride, 0);
    for (int32_t y = strips.begin(s) - top; y < strips.begin(s) - top + height - 1; ++y)
      move_down<Src>(row(y), nullptr, count, inside);
    for (int32_t y = strips.begin(s); y < strips.end(s); ++y) {
      const int32_t first = y - top;
      move_down<Src>(row(first + height - 1), y > strips.begin(s) ? row(first - 1) : nullptr, count,
                     inside);
      for (int32_t i = 0; i < left + right; ++i) {
        uint32_t* const to =
            i < left ? sums + ptrdiff_t(i) * c : inside + count + ptrdiff_t(i - left) * c;
        for (int32_t k = 0; k < c; ++k)
          to[k] = columns[i] < 0 ? outside_sum : inside[ptrdiff_t(columns[i]) * c + k];
      }
      prefix_sums.run(sums, extended, prefix);
      differences(prefix, ptrdiff_t(args.width) * c, count, result);
      if (!plan.is_mean()) add_anchor(src.row(y), plan, count, result);
      finish_row(args, result, finish, 0, y, count);
    }
  });
}

}  // namespace
}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
