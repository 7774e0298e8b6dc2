// Correlation as the definition reads: a window, one sum, one rounding. No cleverness.
#include "ops/convolve/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <type_traits>

namespace cuesta {
namespace {

// A value this far out saturates every integer type, whatever the offset.
constexpr int64_t far_out = int64_t(1) << 40;

// The source with what lies outside it.
template <class T>
class Source {
 public:
  explicit Source(const ConvolveArgs& args)
      : view_(args.src.as<T>()), border_(args.border), outside_(T(args.border.value)) {
    if constexpr (std::is_integral_v<T>) {
      outside_ = T(std::clamp(std::nearbyint(args.border.value), 0.0,
                              double(std::numeric_limits<T>::max())));
    }
  }
  T operator()(int32_t x, int32_t y, int32_t c) const {
    const int32_t sx = map_index(border_.mode, x, view_.width);
    const int32_t sy = map_index(border_.mode, y, view_.height);
    return sx < 0 || sy < 0 ? outside_ : view_.at(sx, sy, c);
  }

 private:
  ImageView<const T> view_;
  Border border_;
  T outside_;
};

// Exact: |sum| ≤ 65,535 · 2^31 · 255² < 2^63.
template <class T>
int64_t exact_sum(const ConvolveArgs& args, const Source<T>& src, int32_t x, int32_t y, int32_t c) {
  int64_t sum = 0;
  for (int32_t j = 0; j < args.height; ++j) {
    for (int32_t i = 0; i < args.width; ++i) {
      sum += int64_t(args.integers.at(i, j, args.width)) *
             src(x + i - args.anchor_x, y + j - args.anchor_y, c);
    }
  }
  return sum;
}

float column_sum(const ConvolveArgs& args, const Source<float>& src, int32_t x, int32_t y,
                 int32_t c) {
  float sum = 0;
  for (int32_t j = 0; j < args.height; ++j) {
    const float tap = args.floats.column[size_t(j)];
    if (tap != 0) sum = std::fma(tap, src(x, y + j - args.anchor_y, c), sum);
  }
  return sum;
}

float ordered_sum(const ConvolveArgs& args, const Source<float>& src, int32_t x, int32_t y,
                  int32_t c) {
  float sum = 0;
  if (args.floats.separable()) {
    for (int32_t i = 0; i < args.width; ++i) {
      const float tap = args.floats.row[size_t(i)];
      if (tap != 0) sum = std::fma(tap, column_sum(args, src, x + i - args.anchor_x, y, c), sum);
    }
    return sum;
  }
  for (int32_t j = 0; j < args.height; ++j) {
    for (int32_t i = 0; i < args.width; ++i) {
      const float tap = args.floats.at(i, j, args.width);
      if (tap != 0) sum = std::fma(tap, src(x + i - args.anchor_x, y + j - args.anchor_y, c), sum);
    }
  }
  return sum;
}

int64_t rounded_quotient(int64_t sum, int64_t divisor, Rounding rounding) {
  int64_t quotient = sum / divisor, rest = sum % divisor;
  if (rest < 0) --quotient, rest += divisor;
  const int64_t to_next = divisor - rest;  // up to the next whole number
  const bool tie_up = rounding == Rounding::half_up || quotient % 2 != 0;
  return quotient + (rest > to_next || (rest == to_next && tie_up) ? 1 : 0);
}

template <class Out>
Out finished_integer(const ConvolveArgs& args, int64_t value) {
  value = std::clamp(value, -far_out, far_out);
  if (args.absolute) value = std::abs(value);
  value += args.offset;
  return Out(
      std::clamp<int64_t>(value, std::numeric_limits<Out>::min(), std::numeric_limits<Out>::max()));
}

float finished_float(const ConvolveArgs& args, float value) {
  if (args.absolute) value = std::abs(value);
  return args.offset ? value + float(args.offset) : value;
}

// The sum of type int64_t (integer source) or float as a sample of type Out.
template <class Out, class Sum>
Out finished(const ConvolveArgs& args, Sum sum) {
  if constexpr (std::is_same_v<Sum, int64_t>) {
    if constexpr (std::is_same_v<Out, float>)
      return finished_float(args, float(double(sum) / double(args.divisor)));
    else
      return finished_integer<Out>(args, rounded_quotient(sum, args.divisor, args.rounding));
  } else if constexpr (std::is_same_v<Out, float>) {
    return finished_float(args, sum);
  } else {
    const double value = std::isnan(sum) ? 0 : std::nearbyint(double(sum));
    return finished_integer<Out>(args,
                                 int64_t(std::clamp(value, double(-far_out), double(far_out))));
  }
}

bool window_leaves(const ConvolveArgs& args, int32_t x, int32_t y) {
  const int32_t left = x - args.anchor_x, top = y - args.anchor_y;
  return left < 0 || top < 0 || left + args.width > args.src.width ||
         top + args.height > args.src.height;
}

template <class T, class Out>
void reference_rows(const ConvolveArgs& args, int32_t first, int32_t end) {
  const Source<T> src(args);
  const auto dst = args.dst.as<Out>();
  for (int32_t y = first; y < end; ++y) {
    for (int32_t x = 0; x < args.src.width; ++x) {
      const bool ignored = args.border.mode == BorderMode::ignore && window_leaves(args, x, y);
      for (int32_t c = 0; c < args.src.channels; ++c) {
        if (ignored)
          dst.at(x, y, c) = 0;
        else if constexpr (std::is_same_v<T, float>)
          dst.at(x, y, c) = finished<Out>(args, ordered_sum(args, src, x, y, c));
        else
          dst.at(x, y, c) = finished<Out>(args, exact_sum(args, src, x, y, c));
      }
    }
  }
}

template <class T>
void reference_rows_of(const ConvolveArgs& args, int32_t first, int32_t end) {
  switch (args.dst.type) {
    case PixelType::s16: return reference_rows<T, int16_t>(args, first, end);
    case PixelType::f32: return reference_rows<T, float>(args, first, end);
    default: return reference_rows<T, T>(args, first, end);
  }
}

}  // namespace

void convolve_reference_rows(const ConvolveArgs& args, int32_t first, int32_t end) {
  switch (args.src.type) {
    case PixelType::u8: return reference_rows_of<uint8_t>(args, first, end);
    case PixelType::u16: return reference_rows_of<uint16_t>(args, first, end);
    default: return reference_rows_of<float>(args, first, end);
  }
}

void convolve_serial(const ConvolveArgs& args, Call&) {
  convolve_reference_rows(args, 0, args.src.height);
}

}  // namespace cuesta
