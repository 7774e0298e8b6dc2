// Windows whose loops are unrolled at compile time, over tiles whose rows are a fixed number of
// bytes apart: a sample is a load at a distance known to the compiler, and a tap an operand of its
// multiply-add from the constant bank. What v1.4 and v1.5 run.
#pragma once

#include <utility>

#include "ops/motion/ladder/tiles.cuh"
#include "ops/motion/ladder/unrolled.hpp"

namespace cuesta::motion_ladder {

/// 2^16 x the blur of the pixel whose window begins at `own`, rounding added.
template <int Side>
__device__ int32_t weighted_sum(const uint8_t* own, const Matrix& matrix) {
  int32_t sum = 1 << 15;
#pragma unroll
  for (int32_t j = 0; j < Side; ++j) {
#pragma unroll
    for (int32_t i = 0; i < Side; ++i) sum += matrix.taps[j * Side + i] * own[j * tile_pitch + i];
  }
  return sum;
}

template <int Element>
struct CellsOf {
  static constexpr UnrolledElement element = unrolled_elements[Element];
  using Indices = std::make_index_sequence<size_t(element.count())>;

  /// In the tile, in the order of rows.
  static constexpr auto distances = [] {
    std::array<int32_t, size_t(element.count())> out{};
    size_t n = 0;
    for (int y = 0; y < element.high; ++y)
      for (int x = 0; x < element.wide; ++x)
        if (element.contains(x, y)) out[n++] = y * tile_pitch + x;
    return out;
  }();
};

/// The largest or least sample under the element whose box begins at `own`.
template <int Element, bool Dilate, size_t... N>
__device__ int32_t best_cell(const uint8_t* own, std::index_sequence<N...>) {
  int32_t best = Dilate ? 0 : 255;
  const auto take = [&](int32_t v) { best = Dilate ? max(best, v) : min(best, v); };
  (take(own[std::integral_constant<int32_t, CellsOf<Element>::distances[N]>::value]), ...);
  return best;
}
template <int Element, bool Dilate>
__device__ int32_t best_cell(const uint8_t* own) {
  return best_cell<Element, Dilate>(own, typename CellsOf<Element>::Indices());
}

/// f(std::integral_constant<int, n>()), 0 <= n < Count: what differs by a number known at run time.
template <int Count, class F>
auto with_constant(int n, F&& f) {
  return [&]<int... I>(std::integer_sequence<int, I...>) {
    const decltype(f(std::integral_constant<int, 0>())) all[] = {
        f(std::integral_constant<int, I>())...};
    return all[n];
  }(std::make_integer_sequence<int, Count>());
}

/// Sides of blurs: 3, 5 .. 15.
inline constexpr int unrolled_sides = max_blur / 2;
constexpr int side_of(int n) { return 2 * n + 3; }

/// What the rungs with unrolled windows keep of an element.
class UnrolledWindows : public ConstantMatrix {
 public:
  using ConstantMatrix::ConstantMatrix;

  void make_element(const StructuringElement& element) {
    element_ = &element;
    index_ = unrolled_index(element);
  }

 protected:
  struct Corner {
    int32_t left, top;
  };
  /// Of the tile, from the block's.
  Corner corner(bool turned) const {
    const StructuringElement& e = *element_;
    return {-reach(e.anchor_x(), e.width(), turned), -reach(e.anchor_y(), e.height(), turned)};
  }

  const StructuringElement* element_ = nullptr;
  int index_ = -1;
};

}  // namespace cuesta::motion_ladder
