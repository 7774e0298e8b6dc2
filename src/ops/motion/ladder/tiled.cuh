// Blur and morphology from tiles, windows in the constant bank, to sides and counts known at run
// time: what v1.2 and v1.3 run (paper 004, blurTiledConstantGPU, dilateTiledConstantGPU,
// erodeTiledConstantGPU). windows=mask has their windows: float taps, and a mask of the element's
// box.
#pragma once

#include <type_traits>

#include "cuda/instructions.cuh"
#include "ops/motion/ladder/tiles.cuh"

namespace cuesta::motion_ladder {

/// The element's cells as distances in the tile, whose corner is (left, top) from the block's.
struct Cells {
  static constexpr size_t max_kept = 16;
  int32_t count, left, top, wide, high;
  int32_t at[max_cells];
};

/// The paper's element: a mask of its box.
struct Mask {
  static constexpr size_t max_kept = 16;
  Box box;
  uint8_t cells[max_mask];
};

template <class Tap>
static __global__ void __launch_bounds__(cuda::any_block)
    blur_tiled(ConstPicture src, Picture dst, const __grid_constant__ MatrixOf<Tap> matrix) {
  CUESTA_DYNAMIC_SHARED(uint8_t, tile);
  const int32_t k = matrix.side, wide = int32_t(blockDim.x) + k - 1;
  load_tile<0>(tile, Reflected{src}, -(k / 2), -(k / 2), wide, int32_t(blockDim.y) + k - 1);
  const Place p;
  if (!p.inside(src)) return;
  Tap sum = tap_of<Tap>(half);
  for (int32_t j = 0; j < k; ++j) {
    const uint8_t* row = tile + (int32_t(threadIdx.y) + j) * wide + threadIdx.x;
    for (int32_t i = 0; i < k; ++i) sum += matrix.taps[j * k + i] * row[i];
  }
  dst.at(p.x, p.y) = sample_of(sum);
}

template <bool Dilate>
static __global__ void __launch_bounds__(cuda::any_block)
    morph_tiled(ConstPicture src, Picture dst, const __grid_constant__ Cells cells) {
  CUESTA_DYNAMIC_SHARED(uint8_t, tile);
  load_tile<0>(tile, Surrounded<Dilate>{src}, cells.left, cells.top, cells.wide, cells.high);
  const Place p;
  if (!p.inside(src)) return;
  const uint8_t* own = tile + int32_t(threadIdx.y) * cells.wide + threadIdx.x;
  int32_t best = Dilate ? 0 : 255;
  for (int32_t n = 0; n < cells.count; ++n) {
    const int32_t v = own[cells.at[n]];
    best = Dilate ? max(best, v) : min(best, v);
  }
  dst.at(p.x, p.y) = uint8_t(best);
}

template <bool Dilate>
static __global__ void __launch_bounds__(cuda::any_block)
    morph_masked_tiled(ConstPicture src, Picture dst, const __grid_constant__ Mask mask) {
  CUESTA_DYNAMIC_SHARED(uint8_t, tile);
  const Box box = mask.box;
  const int32_t wide = int32_t(blockDim.x) + box.wide - 1;
  load_tile<0>(tile, Surrounded<Dilate>{src}, box.left, box.top, wide,
               int32_t(blockDim.y) + box.high - 1);
  const Place p;
  if (!p.inside(src)) return;
  int32_t best = Dilate ? 0 : 255;
  for (int32_t j = 0; j < box.high; ++j) {
    const uint8_t* row = tile + (int32_t(threadIdx.y) + j) * wide + threadIdx.x;
    for (int32_t i = 0; i < box.wide; ++i) {
      if (mask.cells[j * box.wide + i] == 0) continue;
      const int32_t v = row[i];
      best = Dilate ? max(best, v) : min(best, v);
    }
  }
  dst.at(p.x, p.y) = uint8_t(best);
}

template <bool Masks>
class TiledFilters : public ConstantMatrixOf<std::conditional_t<Masks, float, int32_t>> {
  using Tap = std::conditional_t<Masks, float, int32_t>;
  using Base = ConstantMatrixOf<Tap>;
  using Base::block_, Base::call_, Base::grid, Base::matrix_;

 public:
  using Base::Base;

  void blur(ConstPicture src, Picture dst) {
    Base::launch(blur_tiled<Tap>, grid(src), shared(matrix_->side, matrix_->side), src, dst,
                 *matrix_);
  }

  void make_element(const StructuringElement& element) {
    element_ = &element;
    for (const bool turned : {false, true}) {
      const cuda::Key key = key_of(element).add(turned).add(block_.x).add(block_.y);
      cells_[turned] = &call_.scratch().template kept<Element>(
          key.bytes(), [&] { return made_of(element, turned); });
    }
  }
  void morph(ConstPicture src, Picture dst, bool dilate, bool turned) {
    const size_t bytes = shared(element_->width(), element_->height());
    if constexpr (Masks)
      Base::launch(dilate ? morph_masked_tiled<true> : morph_masked_tiled<false>, grid(src), bytes,
                   src, dst, *cells_[turned]);
    else
      Base::launch(dilate ? morph_tiled<true> : morph_tiled<false>, grid(src), bytes, src, dst,
                   *cells_[turned]);
  }

 private:
  using Element = std::conditional_t<Masks, Mask, Cells>;

  Element made_of(const StructuringElement& e, bool turned) const {
    const Box box = box_of(e, turned);
    const int32_t wide = int32_t(block_.x) + box.wide - 1;
    Element made = {};
    if constexpr (Masks) {
      made.box = box;
    } else {
      // One by one: nvcc 13.0 drops the names of members in an assignment of a template.
      made.left = box.left, made.top = box.top;
      made.wide = wide, made.high = int32_t(block_.y) + box.high - 1;
    }
    for (int y = 0; y < box.high; ++y) {
      for (int x = 0; x < box.wide; ++x) {
        const bool in = turned ? e.contains(box.wide - 1 - x, box.high - 1 - y) : e.contains(x, y);
        if constexpr (Masks)
          made.cells[y * box.wide + x] = in;
        else if (in)
          made.at[made.count++] = y * wide + x;
      }
    }
    return made;
  }
  size_t shared(int width, int height) const {
    return size_t(tile_bytes(int(block_.x), int(block_.y), width, height));
  }

  const StructuringElement* element_ = nullptr;
  const Element* cells_[2] = {};
};

}  // namespace cuesta::motion_ladder
