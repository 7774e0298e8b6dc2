// The one argument of every convolve strategy. The public entries have checked all of it.
#pragma once

#include <span>

#include "core/strategy.hpp"
#include "cuesta/filter.hpp"
#include "ops/convolve/equal_taps.hpp"

namespace cuesta {

/// The taps of a window as correlation wants them (convolution has turned them already).
/// `window` is row-major, width · height; column[j] · row[i] = window[j][i]. One may be empty.
template <class T>
struct Taps {
  std::span<const T> window{}, column{}, row{};

  bool separable() const { return !column.empty(); }
  /// Tap (i, j) of a window of `width`.
  T at(int32_t i, int32_t j, int32_t width) const {
    return window.empty() ? column[size_t(j)] * row[size_t(i)]
                          : window[size_t(j) * size_t(width) + size_t(i)];
  }
};

enum class Rounding : uint8_t {
  half_even,  ///< of sum / divisor: every stencil
  half_up,    ///< (sum + divisor / 2) / divisor, rounded down: cv::GaussianBlur; divisor even
};

struct ConvolveArgs {
  static constexpr std::string_view operation = "convolve";
  static constexpr std::string_view summary =
      "linear filters: correlation, convolution, Gaussian, box";
  static std::span<const Strategy<ConvolveArgs>> strategies();                // strategies.cpp
  static std::vector<verify::Case<ConvolveArgs>> cases(verify::Level level);  // cases.cpp

  ConstAnyView src{};  // u8, u16 or f32
  AnyView dst{};       // src's type, s16 or f32; of src's size and channels

  int32_t width = 1, height = 1, anchor_x = 0, anchor_y = 0;
  Taps<int32_t> integers{};  // of a u8 or u16 source, sharing `divisor`
  int64_t divisor = 1;
  Rounding rounding = Rounding::half_even;
  // Of an f32 source. With factors: column sums first, row sums of those second, and the window is
  // not looked at. Without: the window in row-major order. Every sum starts at +0, adds with fma
  // and leaves out taps of 0. Where `equal` holds, it alone defines the result.
  Taps<float> floats{};
  EqualTaps equal{};

  Border border{};
  bool absolute = false;
  int32_t offset = 0;

  /// Of the tap at the anchor, in a row-major window.
  size_t anchor_index() const { return size_t(anchor_y) * size_t(width) + size_t(anchor_x); }

  Space space() const { return src.space; }
  PixelType type() const { return src.type; }
};

}  // namespace cuesta
