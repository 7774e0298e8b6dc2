// BackgroundArgs::unmatched, a vector of pixels at a time: each is held against the samples of all
// pixels that are as far from it, so that one load serves the whole vector. Most vectors have no
// pixel of the mask, and most of swaying leaves are explained by their own row.
#if defined(CUESTA_BACKGROUND_UNMATCHED_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_BACKGROUND_UNMATCHED_INL_HPP
#undef CUESTA_BACKGROUND_UNMATCHED_INL_HPP
#else
#define CUESTA_BACKGROUND_UNMATCHED_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/bits.hpp"
#include "cpu/simd-inl.hpp"
#include "ops/background/args.hpp"
#include "ops/background/cpu/rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {

namespace sampled = background::sampled;

// The pixels of a row against the samples around them.
template <class T>
class Unmatched {
 public:
  Unmatched(const BackgroundArgs& args, int32_t y)
      : args_(args), y_(y), turn_(sampled::turn_of(args.now)) {}

  void row() const {
    const int32_t width = args_.frame.width, words = (width + 63) / 64;
    const auto lanes = int32_t(hn::Lanes(D()));
    const uint64_t* mask = bits_of(args_.out.mask).row(y_);
    uint64_t* to = bits_of(args_.unmatched).row(y_);
    const uint64_t vector = lanes == 64 ? ~uint64_t(0) : (uint64_t(1) << lanes) - 1;
    for (int32_t w = 0; w < words; ++w) {
      to[w] = args_.founds ? 0 : mask[w];
      for (int32_t i = 0; to[w] >> i; i += lanes) {
        const uint64_t wanted = to[w] >> i & vector;
        if (wanted) to[w] &= ~(matched(w * 64 + i, wanted) << i);
        if (i + lanes == 64) break;
      }
    }
  }

 private:
  using D = hn::CappedTag<T, 64>;
  using V = hn::VFromD<D>;
  using Model = background::BasicSampled<T>;
  static constexpr int32_t planes = sampled::count - 1;  // that are asked
  static constexpr int32_t most = sampled::max_displacement, step = sampled::displacement_step;

  // Those of a vector at column x that match a pixel nearby; all of `wanted` are looked for.
  uint64_t matched(int32_t x, uint64_t wanted) const {
    const int32_t reach = args_.displacement;
    const V v = load_upto(D(), args_.frame.as<T>().row(y_) + x, args_.frame.width - x);
    uint64_t found = 0;
    // The nearest rows first.
    for (int32_t i = reach % 2; i <= reach && (found & wanted) != wanted; i += 2)
      for (const int32_t dy : {-i, i}) found |= matched_in_row(v, x, y_ + dy);
    return found;
  }

  uint64_t matched_in_row(V v, int32_t x, int32_t y) const {
    const D d;
    const auto near = hn::Set(d, T(turn_.radius * gray_level<T>));
    const V low = hn::SaturatedSub(v, near), span = hn::Sub(hn::SaturatedAdd(v, near), low);
    HWY_ALIGN T clamped[planes][hn::MaxLanes(D()) + 2 * most];
    const T* rows[planes];
    point(rows, clamped, x, std::clamp(y, 0, args_.frame.height - 1));
    const int32_t reach = args_.displacement;
    V least = hn::Set(d, planes);  // samples that are far
    constexpr int32_t usual = 3;
    if (reach == usual) {
      least = nearest_sample<usual + 1>(rows, -reach, low, span);
    } else {
      for (int32_t dx = -reach; dx <= reach; dx += step)
        least = hn::Min(least, nearest_sample<1>(rows, dx, low, span));
    }
    uint8_t bytes[8] = {};
    hn::StoreMaskBits(d, hn::Eq(hn::Min(least, hn::Set(d, planes - 2)), least), bytes);
    return word_of_bytes(bytes);
  }

  // Of `Count` neighbours in a row, the first dx away: the least number of samples above low + span
  // or below low.
  template <int Count>
  static HWY_INLINE V nearest_sample(const T* const (&rows)[planes], int32_t dx, V low, V span) {
    const D d;
    V far[Count];
    for (V& of : far) of = hn::Zero(d);
    for (const T* row : rows) {
      for (int i = 0; i < Count; ++i) {
        const V above = hn::Sub(hn::LoadU(d, row + dx + i * step), low);
        far[i] = hn::Sub(far[i], hn::VecFromMask(d, hn::Gt(above, span)));
      }
    }
    for (int i = 1; i < Count; ++i) far[0] = hn::Min(far[0], far[i]);
    return far[0];
  }

  // Where the samples of row y begin for column x, `reach` readable on both sides of a vector: past
  // the picture the nearest pixel, which is asked anyway.
  template <size_t Size>
  void point(const T* (&rows)[planes], T (&clamped)[planes][Size], int32_t x, int32_t y) const {
    const int32_t width = args_.frame.width, reach = args_.displacement;
    const auto lanes = int32_t(hn::Lanes(D()));
    const int32_t first = x - reach, end = x + lanes + reach;
    const int32_t inside = std::max(first, 0), inside_end = std::min(end, width);
    for (int32_t k = 0; k < planes; ++k) {
      const int32_t plane = k + (k >= turn_.writes);
      const T* row = args_.state.as<T>().row(y * Model::planes + plane);
      rows[k] = row + x;
      if (first >= 0 && end <= width) continue;
      T* to = clamped[k];
      std::fill(to, to + (inside - first), row[0]);
      std::memcpy(to + (inside - first), row + inside, size_t(inside_end - inside) * sizeof(T));
      std::fill(to + (inside_end - first), to + (end - first), row[width - 1]);
      rows[k] = to + reach;
    }
  }

  const BackgroundArgs& args_;
  int32_t y_;
  sampled::Turn turn_;
};

// Row y of args.unmatched, after that of the mask.
template <class T>
void unmatched_row(const BackgroundArgs& args, int32_t y) {
  Unmatched<T>(args, y).row();
}

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
