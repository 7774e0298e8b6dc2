// Rows of canny's magnitudes and gradients, from samples that are smoothed on the way or from
// gradients that are given; the last rows of a strip are kept.
#if defined(CUESTA_CANNY_MAGNITUDE_ROWS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_CANNY_MAGNITUDE_ROWS_INL_HPP
#undef CUESTA_CANNY_MAGNITUDE_ROWS_INL_HPP
#else
#define CUESTA_CANNY_MAGNITUDE_ROWS_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "cpu/extended_row.hpp"
#include "ops/canny/cpu/gradient_nms-inl.hpp"
#include "ops/canny/cpu/tensor-inl.hpp"
#include "ops/canny/reference.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {

constexpr int32_t largest_fused_window = 31;
// Samples before a row and past its end that vectors may touch.
constexpr ptrdiff_t row_room = 64;
// Pixels whose vertical sums stay in L1.
constexpr int32_t block = 1024;

constexpr ptrdiff_t round_up(ptrdiff_t n) { return (n + 63) / 64 * 64; }

// Hands out pieces of a strip's memory; from null it only counts.
class Pieces {
 public:
  explicit Pieces(uint8_t* memory) : memory_(memory) {}
  template <class T>
  T* take(ptrdiff_t count) {
    const ptrdiff_t at = used_;
    used_ += round_up(count * ptrdiff_t(sizeof(T)));
    return memory_ ? reinterpret_cast<T*>(memory_ + at) : nullptr;
  }
  ptrdiff_t used() const { return used_; }

 private:
  uint8_t* memory_;
  ptrdiff_t used_ = 0;
};

// What all strips share. `taps` smooth the channels on the way; null leaves them as they are.
struct Job {
  ConstAnyView channels[3], mask;
  int32_t count;  // of channels: 1 or 3
  const uint16_t* taps;
  int32_t window;        // number of taps
  ConstAnyView gy{};     // where gradients are given; then the first of the channels is gx, of all
  Norm norm = Norm::l1;  // its channels
  ColorGradient color = ColorGradient::strongest;
  int32_t aperture = 3;
  bool by_length = false;  // canny_thins_by_length()

  bool structure() const { return count == 3 && color == ColorGradient::structure; }

  int32_t width() const { return channels[0].width; }
  int32_t height() const { return channels[0].height; }
};

// Rows of a channel that the gradient reads, smoothed, each made once, downwards. The last K are
// kept, K / 2 pixels replicated on either side.
template <int K>
class SmoothRows {
 public:
  static constexpr int32_t radius = K / 2;

  // Of a channel that there is not, it takes no memory.
  SmoothRows(const Job& job, int32_t channel, Pieces& pieces)
      : job_(job),
        src_(job.channels[channel]),
        stride_(round_up(job.width() + 2 * radius) + row_room) {
    if (channel >= job.count) return;
    rows_ = pieces.take<uint8_t>(stride_ * K);
    if (!job.taps) return;
    raw_stride_ = round_up(job.width() + job.window - 1) + row_room;
    raw_ = pieces.take<uint8_t>(raw_stride_ * job.window);
    sums_ = pieces.take<uint16_t>(raw_stride_);
  }
  // The window of rows of output row y; those outside the picture repeat its first or last. The
  // y of consecutive calls rise by 1.
  void window(int32_t y, const uint8_t** rows) {
    const int32_t height = job_.height();
    if (next_ < 0) next_ = std::max(0, y - radius), next_raw_ = next_ - job_.window / 2;
    while (next_ <= std::min(y + radius, height - 1)) make(next_++);
    for (int32_t j = 0; j < K; ++j)
      rows[j] = rows_ + stride_ * (std::clamp(y + j - radius, 0, height - 1) % K);
  }

 private:
  void make(int32_t y) {
    const int32_t width = job_.width();
    uint8_t* to = rows_ + stride_ * (y % K);
    if (job_.taps)
      smooth(y, to + radius);
    else
      std::memcpy(to + radius, src_.as<uint8_t>().row(y), size_t(width));
    std::memset(to, to[radius], size_t(radius));
    std::memset(to + radius + width, to[radius + width - 1], size_t(radius));
  }
  void smooth(int32_t y, uint8_t* to) {
    const int32_t half = job_.window / 2;
    cpu::RollingRows<uint8_t> raw(src_.as<uint8_t>(), {BorderMode::reflect101}, half, half,
                                  job_.window, raw_, raw_stride_);
    for (; next_raw_ <= y + half; ++next_raw_) raw.make(next_raw_);
    const uint8_t* rows[largest_fused_window];
    for (int32_t j = 0; j < job_.window; ++j) rows[j] = raw.row(y + j - half);
    const ptrdiff_t width = job_.width();
    switch (half) {
      case 1:
        smooth_vertically<1>(rows, job_.taps, half, width + 2 * half, sums_);
        return smooth_horizontally<1>(sums_, job_.taps, half, width, to);
      case 2:
        smooth_vertically<2>(rows, job_.taps, half, width + 2 * half, sums_);
        return smooth_horizontally<2>(sums_, job_.taps, half, width, to);
      default:
        smooth_vertically<-1>(rows, job_.taps, half, width + 2 * half, sums_);
        return smooth_horizontally<-1>(sums_, job_.taps, half, width, to);
    }
  }

  const Job& job_;
  ConstAnyView src_;
  ptrdiff_t stride_, raw_stride_ = 0;
  uint8_t *rows_ = nullptr, *raw_ = nullptr;
  uint16_t* sums_ = nullptr;
  int32_t next_ = -1, next_raw_ = 0;
};

// Rows of magnitudes and gradients of u8: the last three of the first, the last two of the others.
template <int K, class M>
class Magnitudes {
 public:
  using Magnitude = M;
  // The largest magnitude: aperture 3, 5, and 7 after its division.
  static constexpr ptrdiff_t bins = 2 * (K == 3 ? 1020 : K == 5 ? 12240 : 10200) + 1;

  Magnitudes(const Job& job, Pieces& pieces)
      : job_(job),
        sources_{{job, 0, pieces}, {job, 1, pieces}, {job, 2, pieces}},
        stride_(round_up(job.width()) + 2 * row_room),
        magnitudes_(pieces.take<M>(stride_ * 3)),
        gradients_(pieces.take<int16_t>(stride_ * 4)),
        sums_(pieces.take<int16_t>(2 * sums_room)),
        mask_(job.mask ? pieces.take<uint8_t>(stride_) : nullptr) {
    if (job.count == 1) return;
    other_ = pieces.take<M>(sums_room);
    other_gx_ = pieces.take<int16_t>(sums_room);
    other_gy_ = pieces.take<int16_t>(sums_room);
    if (job.structure()) tensor_ = pieces.take<int32_t>(stride_ * 3);
  }

  // Row y; 0 outside the picture. The y of consecutive calls rise by 1.
  void make(int32_t y) {
    const int32_t width = job_.width();
    M* to = row(y);
    if (y < 0 || y >= job_.height()) {
      std::fill_n(to - row_room, stride_, M(0));
      return;
    }
    if (mask_) std::memcpy(mask_, job_.mask.as<uint8_t>().row(y), size_t(width));
    for (int32_t c = 0; c < job_.count; ++c) {
      const uint8_t* rows[K];
      sources_[c].window(y, rows);
      int16_t *smooth = sums_, *derive = sums_ + sums_room;
      for (int32_t x = 0; x < width; x += block) {
        const ptrdiff_t count = std::min(block, width - x);
        int16_t *to_gx = c ? other_gx_ : gx(y) + x, *to_gy = c ? other_gy_ : gy(y) + x;
        M* to_magnitude = c ? other_ : to + x;
        sum_vertically<K>(rows, x, count + 2 * SmoothRows<K>::radius, smooth, derive);
        sum_horizontally<K>(smooth, derive, count, to_gx, to_gy);
        if (tensor_) {
          add_to_tensor(to_gx, to_gy, c == 0, count, tensor_ + x, stride_);
          continue;
        }
        measure(to_gx, to_gy, mask_ ? mask_ + x : nullptr, count, to_magnitude);
        if (c) keep_stronger(other_, other_gx_, other_gy_, count, to + x, gx(y) + x, gy(y) + x);
      }
    }
    if constexpr (sizeof(M) == 4) {
      if (tensor_) measure_tensor(tensor_, stride_, mask_, width, to, gx(y), gy(y));
    }
    to[-1] = 0;
    std::fill_n(to + width, row_room, M(0));
  }
  // Suppression of row y, whose neighbours are made.
  void suppress(int32_t y, const BasicCannyLimits<M>& limits, uint8_t* candidates,
                uint8_t* strong) {
    cuesta::HWY_NAMESPACE::suppress<M>(row(y - 1), row(y), row(y + 1), gx(y), gy(y), job_.width(),
                                       limits.low, limits.high, candidates, strong);
  }
  void count(int32_t y, uint16_t* sizes, uint64_t* bins_at, ptrdiff_t copy) {
    count_magnitudes<false>(row(y), Norm::l2, job_.width(), sizes, bins_at, copy);
  }
  M* row(int32_t y) { return magnitudes_ + stride_ * ((y + 3) % 3) + row_room; }
  int16_t* gx(int32_t y) { return gradients_ + stride_ * (y & 1); }
  int16_t* gy(int32_t y) { return gradients_ + stride_ * (2 + (y & 1)); }
  // The mask of the row made last, or null.
  const uint8_t* mask() const { return mask_; }

 private:
  static constexpr ptrdiff_t sums_room = block + 2 * row_room;
  const Job& job_;
  SmoothRows<K> sources_[3];
  ptrdiff_t stride_;
  M* magnitudes_;
  int16_t *gradients_, *sums_;
  M* other_ = nullptr;  // of a block of another channel, as its gradients
  int16_t *other_gx_ = nullptr, *other_gy_ = nullptr;
  int32_t* tensor_ = nullptr;  // a row of Jxx, of Jyy and of Jxy
  uint8_t* mask_;
};

// The same of s16 gradients that are given.
class GivenMagnitudes {
 public:
  using Magnitude = int32_t;
  static constexpr ptrdiff_t bins = canny_bins;

  GivenMagnitudes(const Job& job, Pieces& pieces)
      : job_(job),
        stride_(round_up(job.width()) + 2 * row_room),
        magnitudes_(pieces.take<int32_t>(stride_ * 3)),
        gradients_(pieces.take<int16_t>(stride_ * 4)),
        mask_(job.mask ? pieces.take<uint8_t>(stride_) : nullptr) {
    if (job.count == 1) return;
    other_ = pieces.take<int32_t>(stride_);
    other_gx_ = pieces.take<int16_t>(stride_);
    other_gy_ = pieces.take<int16_t>(stride_);
  }

  void make(int32_t y) {
    const int32_t width = job_.width();
    int32_t* to = row(y);
    if (y < 0 || y >= job_.height()) {
      std::fill_n(to - row_room, stride_, 0);
      return;
    }
    if (mask_) std::memcpy(mask_, job_.mask.as<uint8_t>().row(y), size_t(width));
    for (int32_t c = 0; c < job_.count; ++c) {
      int16_t *to_gx = c ? other_gx_ : gx(y), *to_gy = c ? other_gy_ : gy(y);
      take(job_.channels[0].as<int16_t>().row(y), c, to_gx);
      take(job_.gy.as<int16_t>().row(y), c, to_gy);
      measure_given(job_.norm, mask_, width, to_gx, to_gy, c ? other_ : to);
      if (c) keep_stronger(other_, other_gx_, other_gy_, width, to, gx(y), gy(y));
    }
    to[-1] = 0;
    std::fill_n(to + width, row_room, 0);
  }
  void suppress(int32_t y, const BasicCannyLimits<int32_t>& limits, uint8_t* candidates,
                uint8_t* strong) {
    cuesta::HWY_NAMESPACE::suppress<int32_t>(row(y - 1), row(y), row(y + 1), gx(y), gy(y),
                                             job_.width(), limits.low, limits.high, candidates,
                                             strong);
  }
  void count(int32_t y, uint16_t* sizes, uint64_t* bins_at, ptrdiff_t copy) {
    count_magnitudes<true>(row(y), job_.norm, job_.width(), sizes, bins_at, copy);
  }
  int32_t* row(int32_t y) { return magnitudes_ + stride_ * ((y + 3) % 3) + row_room; }
  int16_t* gx(int32_t y) { return gradients_ + stride_ * (y & 1); }
  int16_t* gy(int32_t y) { return gradients_ + stride_ * (2 + (y & 1)); }
  const uint8_t* mask() const { return mask_; }

 private:
  void take(const int16_t* from, int32_t channel, int16_t* to) const {
    if (job_.count == 1) {
      std::memcpy(to, from, size_t(job_.width()) * sizeof(int16_t));
      return;
    }
    for (int32_t x = 0; x < job_.width(); ++x) to[x] = from[ptrdiff_t(x) * job_.count + channel];
  }

  const Job& job_;
  ptrdiff_t stride_;
  int32_t* magnitudes_;
  int16_t* gradients_;
  int32_t* other_ = nullptr;  // of a row of another channel, as its gradients
  int16_t *other_gx_ = nullptr, *other_gy_ = nullptr;
  uint8_t* mask_;
};

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
