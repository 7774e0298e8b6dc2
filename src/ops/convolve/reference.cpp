// Correlation as the definition reads: a window, one sum, one rounding. No cleverness.
#include "ops/convolve/reference.hpp"

#include <cmath>
#include <type_traits>

#include "core/border_sample.hpp"
#include "core/one_nan.hpp"
#include "ops/convolve/rounding.hpp"

namespace cuesta {
namespace {

// The source with what is outside it.
template <class T>
class Source {
 public:
  explicit Source(const ConvolveArgs& args)
      : view_(args.src.as<T>()), border_(args.border), outside_(border_sample<T>(args.border)) {}
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

// A window of equal taps.
float equal_sum(const ConvolveArgs& args, const Source<float>& src, int32_t x, int32_t y,
                int32_t c) {
  const int32_t left = x - args.anchor_x, top = y - args.anchor_y;
  const auto down = [&](int32_t i) {
    return pairwise_sum(args.height, [&](int32_t j) { return src(left + i, top + j, c); });
  };
  return args.equal.value(pairwise_sum(args.width, down), src(x, y, c));
}

float ordered_sum(const ConvolveArgs& args, const Source<float>& src, int32_t x, int32_t y,
                  int32_t c) {
  if (args.equal) return equal_sum(args, src, x, y, c);
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

bool window_leaves(const ConvolveArgs& args, int32_t x, int32_t y) {
  const int32_t left = x - args.anchor_x, top = y - args.anchor_y;
  return left < 0 || top < 0 || left + args.width > args.src.width ||
         top + args.height > args.src.height;
}

template <class T, class Out>
void reference_rows(const ConvolveArgs& args, int32_t first, int32_t end) {
  const Source<T> src(args);
  const convolution::Finish finish(args);
  const auto dst = args.dst.as<Out>();
  for (int32_t y = first; y < end; ++y) {
    for (int32_t x = 0; x < args.src.width; ++x) {
      const bool ignored = args.border.mode == BorderMode::ignore && window_leaves(args, x, y);
      for (int32_t c = 0; c < args.src.channels; ++c) {
        if (ignored)
          dst.at(x, y, c) = 0;
        else if constexpr (std::is_same_v<Out, float> && std::is_same_v<T, float>)
          dst.at(x, y, c) = with_one_nan(finish.sample<Out>(ordered_sum(args, src, x, y, c)));
        else if constexpr (std::is_same_v<T, float>)
          dst.at(x, y, c) = finish.sample<Out>(ordered_sum(args, src, x, y, c));
        else
          dst.at(x, y, c) = finish.sample<Out>(exact_sum(args, src, x, y, c));
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
