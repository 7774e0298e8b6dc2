// Rows of canny's magnitudes and gradients of u16 and f32 pictures, and of gradients that the
// 16-bit rows do not take. Gradients are floats: whole ones stay below 2^24 and are exact.
// Magnitudes are floats where they are whole and below 2^24, else doubles, which hold every whole
// one and are the definition's of f32. For instruction sets with a fused multiply and add, as
// tensor-inl.hpp.
#if defined(CUESTA_CANNY_WIDE_ROWS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_CANNY_WIDE_ROWS_INL_HPP
#undef CUESTA_CANNY_WIDE_ROWS_INL_HPP
#else
#define CUESTA_CANNY_WIDE_ROWS_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "ops/canny/cpu/magnitude_rows-inl.hpp"
#include "ops/canny/cpu/wide_nms-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {

// The last rows of each channel as floats, `radius` pixels replicated on either side.
template <class S>
class FloatRows {
 public:
  FloatRows(const Job& job, Pieces& pieces)
      : job_(job),
        radius_(job.aperture / 2),
        stride_(round_up(job.width() + 2 * radius_) + row_room) {
    if (!job.gy) rows_ = pieces.take<float>(stride_ * job.aperture * job.count);
  }
  // The window of rows of output row y in channel c, whose first sample is `radius` columns to the
  // left; those outside the picture repeat its first or last. The y of calls never fall.
  void window(int32_t c, int32_t y, const float** rows) {
    const int32_t height = job_.height();
    if (next_ < 0) next_ = std::max(0, y - radius_);
    while (next_ <= std::min(y + radius_, height - 1)) make(next_++);
    for (int32_t j = 0; j < job_.aperture; ++j)
      rows[j] = slot(c, std::clamp(y + j - radius_, 0, height - 1));
  }

 private:
  float* slot(int32_t c, int32_t y) const {
    return rows_ + stride_ * (c * job_.aperture + y % job_.aperture);
  }
  void make(int32_t y) {
    const int32_t width = job_.width();
    float* to[3];
    for (int32_t c = 0; c < job_.count; ++c) to[c] = slot(c, y) + radius_;
    to_floats(job_.channels[0].as<S>().row(y), job_.count, width, to);
    for (int32_t c = 0; c < job_.count; ++c) {
      std::fill_n(to[c] - radius_, radius_, to[c][0]);
      std::fill_n(to[c] + width, radius_, to[c][width - 1]);
    }
  }

  const Job& job_;
  int32_t radius_;
  ptrdiff_t stride_;
  float* rows_ = nullptr;
  int32_t next_ = -1;
};

// Of samples S: u16 or f32; or gradients that are given, s16 or f32.
template <class S, class M>
class WideMagnitudes {
 public:
  using Magnitude = M;
  static constexpr ptrdiff_t bins = std::is_same_v<S, float> ? canny_float_bins : canny_bins;

  WideMagnitudes(const Job& job, Pieces& pieces)
      : job_(job),
        source_(job, pieces),
        stride_(round_up(job.width()) + 2 * row_room),
        magnitudes_(pieces.take<M>(stride_ * 3)),
        gradients_(pieces.take<float>(stride_ * 4)),
        sums_(pieces.take<float>(2 * sums_room)) {
    if (job.count == 1) return;
    other_ = pieces.take<M>(sums_room);
    other_gradients_ = pieces.take<float>(4 * sums_room);
  }

  // Row y; 0 outside the picture. The y of consecutive calls rise by 1.
  void make(int32_t y) {
    const int32_t width = job_.width();
    M* to = row(y);
    if (y < 0 || y >= job_.height()) {
      std::fill_n(to - row_room, stride_, M(0));
      return;
    }
    mask_ = job_.mask ? job_.mask.as<uint8_t>().row(y) : nullptr;
    for (int32_t x = 0; x < width; x += block) {
      const ptrdiff_t count = std::min(block, width - x);
      // One channel has no room for others.
      const auto other = [&](ptrdiff_t n) {
        return other_gradients_ ? other_gradients_ + n * sums_room : nullptr;
      };
      float* to_gx[3] = {gx(y) + x, other(0), other(1)};
      float* to_gy[3] = {gy(y) + x, other(2), other(3)};
      if (job_.gy) {
        const ptrdiff_t first = ptrdiff_t(x) * job_.count;
        to_floats(job_.channels[0].as<S>().row(y) + first, job_.count, count, to_gx);
        to_floats(job_.gy.as<S>().row(y) + first, job_.count, count, to_gy);
      } else {
        for (int32_t c = 0; c < job_.count; ++c) derive(c, y, x, count, to_gx[c], to_gy[c]);
      }
      unite(to_gx, to_gy, count, to + x);
      for (ptrdiff_t i = 0; mask_ && i < count; ++i) to[x + i] = mask_[x + i] ? to[x + i] : M(0);
    }
    to[-1] = 0;
    std::fill_n(to + width, row_room, M(0));
  }
  // Suppression of row y, whose neighbours are made.
  void suppress(int32_t y, const BasicCannyLimits<M>& limits, uint8_t* candidates,
                uint8_t* strong) {
    suppress_wide<M>(row(y - 1), row(y), row(y + 1), gx(y), gy(y), job_.width(), limits,
                     job_.by_length, candidates, strong);
  }
  void count(int32_t y, uint16_t* sizes, uint64_t* bins_at, ptrdiff_t copy) {
    if (job_.by_length) sums_of(gx(y), gy(y), job_.width(), row(y));  // nothing is suppressed
    sizes_of<std::is_same_v<S, float>>(row(y), job_.norm, job_.width(), sizes);
    count_sizes(sizes, job_.width(), bins_at, copy);
  }
  const uint8_t* mask() const { return mask_; }

 private:
  static constexpr ptrdiff_t sums_room = block + 2 * row_room;

  M* row(int32_t y) { return magnitudes_ + stride_ * ((y + 3) % 3) + row_room; }
  float* gx(int32_t y) { return gradients_ + stride_ * (y & 1); }
  float* gy(int32_t y) { return gradients_ + stride_ * (2 + (y & 1)); }

  // Gradients of `count` pixels of a channel from column x on.
  void derive(int32_t c, int32_t y, int32_t x, ptrdiff_t count, float* to_gx, float* to_gy) {
    const float* rows[7];
    source_.window(c, y, rows);
    float *smooth = sums_, *derived = sums_ + sums_room;
    const auto sums = [&]<int K>(std::integral_constant<int, K>) {
      wide_vertically<K>(rows, x, count + K - 1, smooth, derived);
      wide_horizontally<K, K == 7 && !std::is_same_v<S, float>>(smooth, derived, count, to_gx,
                                                                to_gy);
    };
    switch (job_.aperture) {
      case 3: return sums(std::integral_constant<int, 3>());
      case 5: return sums(std::integral_constant<int, 5>());
      default: return sums(std::integral_constant<int, 7>());
    }
  }
  // One gradient, in place of the first channel's, and its magnitude.
  void unite(float* const* to_gx, float* const* to_gy, ptrdiff_t count, M* to) {
    if constexpr (std::is_same_v<M, double>) {
      if (job_.structure()) {
        measure_tensor_of<!std::is_same_v<S, float>>(to_gx, to_gy, count, to);
        return;
      }
    }
    const Norm norm = job_.by_length ? Norm::l2 : job_.norm;
    measure_wide(norm, to_gx[0], to_gy[0], count, to);
    for (int32_t c = 1; c < job_.count; ++c) {
      measure_wide(norm, to_gx[c], to_gy[c], count, other_);
      keep_stronger_wide(other_, to_gx[c], to_gy[c], count, to, to_gx[0], to_gy[0]);
    }
  }

  const Job& job_;
  FloatRows<S> source_;
  ptrdiff_t stride_;
  M* magnitudes_;
  float *gradients_, *sums_;
  M* other_ = nullptr;                // of a block of another channel
  float* other_gradients_ = nullptr;  // of blocks of the second and third: gx, then gy
  const uint8_t* mask_ = nullptr;
};

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
