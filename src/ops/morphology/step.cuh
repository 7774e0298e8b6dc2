// One erosion or dilation as the kernels read it, and the steps that make up `fused`.
#pragma once

#include "cuda/bit_rows.cuh"
#include "cuda/launch.cuh"
#include "ops/morphology/octagon.hpp"
#include "ops/morphology/reference.hpp"

namespace cuesta::morphology_cuda {

/// What a step does besides its pictures and the shape of its element.
struct Rule {
  int32_t width, height, anchor_x, anchor_y;  // of the element as this step reads it
  bool dilate, neutral;
  BorderMode border;
  uint16_t outside;  // the sample of `constant`

  /// Whether `ignore` clears the result by the rows of the window.
  __device__ bool leaves_rows(int32_t y, int32_t rows) const {
    return ignores() && (y < anchor_y || y - anchor_y + height > rows);
  }
  __device__ bool leaves_columns(int32_t x, int32_t columns) const {
    return ignores() && (x < anchor_x || x - anchor_x + width > columns);
  }
  CUESTA_HOST_DEVICE bool ignores() const { return !neutral && border == BorderMode::ignore; }
};

inline Rule rule_of(const MorphologyArgs& args, bool second) {
  const ElementView element = second ? args.second() : args.first();
  const Border border = args.options.border.value_or(Border{});
  return {.width = element.width(),
          .height = element.height(),
          .anchor_x = element.anchor_x(),
          .anchor_y = element.anchor_y(),
          .dilate = args.dilates_first() != second,
          .neutral = !args.options.border,
          .border = border.mode,
          .outside = morphology_border_sample(args.src.type, border)};
}

/// The bits [begin, end) of a word; either may be outside it.
template <class Word>
CUESTA_HOST_DEVICE inline Word bit_range(int64_t begin, int64_t end) {
  constexpr int bits = int(sizeof(Word)) * 8;
  if (begin < 0) begin = 0;
  if (end > bits) end = bits;
  if (begin >= end) return 0;
  return Word((~Word(0) >> (bits - (end - begin))) << begin);
}

/// Runs of cells that fit a kernel's arguments.
inline constexpr int max_runs = 1200;

/// One step of bits by an octagon, or both of opening or closing (octagon_bits.cu); the border is
/// none or `constant`. `dst` is not `src`, here and below.
void bits_by_octagon(ConstAnyView src, AnyView dst, const morph::Octagon& octagon,
                     const Rule& first, const Rule* second, Call& call);
/// One step of u8 by an octagon (octagon_samples.cu).
void step_by_octagon(ConstAnyView src, AnyView dst, const morph::Octagon& octagon, const Rule& rule,
                     Call& call);
/// One step of u8 or u16 by a rectangle (rectangle.cu). For other than small squares a block has
/// this much shared memory, and that for its map of columns.
void step_by_rectangle(ConstAnyView src, AnyView dst, const Rule& rule, Call& call);
size_t rectangle_ring_bytes(PixelType type, int height);
inline constexpr size_t rectangle_map_bytes = 2048;
/// One step by any element of max_runs at most, of bits (runs_bits.cu) and of u8 or u16
/// (runs_samples.cu).
void bits_by_runs(ConstAnyView src, AnyView dst, const ElementView& element, const Rule& rule,
                  Call& call);
void samples_by_runs(ConstAnyView src, AnyView dst, const ElementView& element, const Rule& rule,
                     Call& call);

/// What samples outside the picture are: `neutral` is `constant` with what never wins, and what
/// `ignore` reads is cleared.
template <class T>
struct Outside {
  BorderMode mode;
  T value;
};
template <class T>
CUESTA_HOST_DEVICE Outside<T> outside_of(const Rule& rule) {
  if (rule.neutral) return {BorderMode::constant, rule.dilate ? T(0) : T(~T(0))};
  return {rule.border, T(rule.outside)};
}

using cuda::bit_row;
/// Words of 32 pixels in a row of a mask.
CUESTA_HOST_DEVICE constexpr int32_t half_words(int32_t width) { return (width + 63) / 64 * 2; }

}  // namespace cuesta::morphology_cuda
