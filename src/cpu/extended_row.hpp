// One source row with its border written out, so that vector loops meet no edge.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/border_sample.hpp"
#include "cuesta/image.hpp"

namespace cuesta::cpu {

/// Writes pixels [first, last) of row `y`, both any distance outside the picture, to out[0 .. (last
/// - first) * channels).
template <class T>
void extend_span(ImageView<const T> src, int32_t y, const Border& border, int32_t first,
                 int32_t last, T* out) {
  const int32_t sy = map_index(border.mode, y, src.height);
  const int32_t c = src.channels;
  if (sy < 0) {
    std::fill_n(out, ptrdiff_t(last - first) * c, border_sample<T>(border));
    return;
  }
  const T* row = src.row(sy);
  const auto put = [&](int32_t x) {
    const int32_t sx = map_index(border.mode, x, src.width);
    for (int32_t i = 0; i < c; ++i)
      out[ptrdiff_t(x - first) * c + i] =
          sx < 0 ? border_sample<T>(border) : row[ptrdiff_t(sx) * c + i];
  };
  const int32_t begin = std::clamp(0, first, last), end = std::clamp(src.width, begin, last);
  for (int32_t x = first; x < begin; ++x) put(x);
  if (end > begin) {
    std::memcpy(out + ptrdiff_t(begin - first) * c, row + ptrdiff_t(begin) * c,
                size_t(end - begin) * size_t(c) * sizeof(T));
  }
  for (int32_t x = end; x < last; ++x) put(x);
}

/// Writes row `y` (any distance outside the picture) to out[0 .. (left + width + right) *
/// channels): `left` pixels of border, the row, `right` pixels of border.
template <class T>
void extend_row(ImageView<const T> src, int32_t y, const Border& border, int32_t left,
                int32_t right, T* out) {
  extend_span(src, y, border, -left, src.width + right, out);
}

/// The last `count` extended rows, each made once as the window moves down. Row y is in slot y
/// mod count.
template <class T>
class RollingRows {
 public:
  /// `memory` holds count * stride samples; stride >= left + width + right, plus what vector loads
  /// overrun.
  RollingRows(ImageView<const T> src, const Border& border, int32_t left, int32_t right,
              int32_t count, T* memory, ptrdiff_t stride)
      : src_(src),
        border_(border),
        left_(left),
        right_(right),
        count_(count),
        memory_(memory),
        stride_(stride) {}
  /// Makes row y; rows are requested in rising order, each at least once before it is read.
  void make(int32_t y) { extend_row(src_, y, border_, left_, right_, slot(y)); }
  /// Column 0 of the picture is at row(y)[left * channels].
  const T* row(int32_t y) const { return memory_ + stride_ * ((y % count_ + count_) % count_); }

 private:
  T* slot(int32_t y) { return memory_ + stride_ * ((y % count_ + count_) % count_); }
  ImageView<const T> src_;
  Border border_;
  int32_t left_, right_, count_;
  T* memory_;
  ptrdiff_t stride_;
};

}  // namespace cuesta::cpu
