// Blur and morphology from tiles, windows in the constant bank, to sides and counts known at run
// time: what v1.2 and v1.3 run (paper 004, blurTiledConstantGPU, dilateTiledConstantGPU,
// erodeTiledConstantGPU).
#pragma once

#include "cuda/instructions.cuh"
#include "ops/motion/ladder/tiles.cuh"

namespace cuesta::motion_ladder {

/// The element's cells as distances in the tile, whose corner is (left, top) from the block's.
struct Cells {
  static constexpr size_t max_kept = 16;
  int32_t count, left, top, wide, high;
  int32_t at[max_cells];
};

static __global__ void __launch_bounds__(cuda::any_block)
    blur_tiled(ConstPicture src, Picture dst, const __grid_constant__ Matrix matrix) {
  CUESTA_DYNAMIC_SHARED(uint8_t, tile);
  const int32_t k = matrix.side, wide = int32_t(blockDim.x) + k - 1;
  load_tile<0>(tile, Reflected{src}, -(k / 2), -(k / 2), wide, int32_t(blockDim.y) + k - 1);
  const Place p;
  if (!p.inside(src)) return;
  int32_t sum = 1 << 15;
  for (int32_t j = 0; j < k; ++j) {
    const uint8_t* row = tile + (int32_t(threadIdx.y) + j) * wide + threadIdx.x;
    for (int32_t i = 0; i < k; ++i) sum += matrix.taps[j * k + i] * row[i];
  }
  dst.at(p.x, p.y) = uint8_t(sum >> 16);
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

class TiledFilters : public ConstantMatrix {
 public:
  using ConstantMatrix::ConstantMatrix;

  void blur(ConstPicture src, Picture dst) {
    launch(blur_tiled, grid(src), shared(matrix_->side, matrix_->side), src, dst, *matrix_);
  }

  void make_element(const StructuringElement& element) {
    element_ = &element;
    for (const bool turned : {false, true}) cells_[turned] = &kept_cells(element, turned);
  }
  void morph(ConstPicture src, Picture dst, bool dilate, bool turned) {
    launch(dilate ? morph_tiled<true> : morph_tiled<false>, grid(src),
           shared(element_->width(), element_->height()), src, dst, *cells_[turned]);
  }

 private:
  // Made once and kept, as the blur's matrix.
  const Cells& kept_cells(const StructuringElement& e, bool turned) {
    const cuda::Key key = key_of(e).add(turned).add(block_.x).add(block_.y);
    return call_.scratch().kept<Cells>(key.bytes(), [&] {
      Cells cells = {.left = -reach(e.anchor_x(), e.width(), turned),
                     .top = -reach(e.anchor_y(), e.height(), turned),
                     .wide = int32_t(block_.x) + e.width() - 1,
                     .high = int32_t(block_.y) + e.height() - 1};
      for (int y = 0; y < e.height(); ++y) {
        for (int x = 0; x < e.width(); ++x) {
          if (turned ? e.contains(e.width() - 1 - x, e.height() - 1 - y) : e.contains(x, y))
            cells.at[cells.count++] = y * cells.wide + x;
        }
      }
      return cells;
    });
  }
  size_t shared(int width, int height) const {
    return size_t(tile_bytes(int(block_.x), int(block_.y), width, height));
  }

  const StructuringElement* element_ = nullptr;
  const Cells* cells_[2] = {};
};

}  // namespace cuesta::motion_ladder
