// Blur and morphology from tiles in dynamic shared memory, windows in the constant bank: what v1.2
// and v1.3 run (paper 004, blurTiledConstantGPU, dilateTiledConstantGPU, erodeTiledConstantGPU). A
// block's threads load the tile with a stride of the block. Theirs makes floor(tile / block) rounds
// and drops the rest (2,048 of 2,116 samples are loaded at block 32, 768 of 900 at 16) and waits at
// a barrier in each; ours loads all and waits once. Windows are arguments of kernels, which lie in
// a constant bank: a __constant__ array would be shared by all streams.
#pragma once

#include <algorithm>

#include "cuesta/stencil.hpp"
#include "ops/motion/ladder/chain.cuh"

namespace cuesta::motion_ladder {

struct Matrix {
  int32_t side;
  int32_t taps[max_blur * max_blur];
};

/// The element's cells as distances in the tile, whose corner is (left, top) from the block's.
struct Cells {
  int32_t count, left, top, wide, high;
  int32_t at[max_cells];
};

/// tile[n] = sample(x, y) of the picture, for all of the tile. All threads of the block take part.
template <class Sample>
__device__ void load_tile(uint8_t* tile, int32_t left, int32_t top, int32_t wide, int32_t high,
                          Sample sample) {
  const int32_t x0 = int32_t(blockIdx.x * blockDim.x) + left;
  const int32_t y0 = int32_t(blockIdx.y * blockDim.y) + top;
  const int32_t threads = int32_t(blockDim.x * blockDim.y);
  for (int32_t n = int32_t(threadIdx.y * blockDim.x + threadIdx.x); n < wide * high; n += threads)
    tile[n] = sample(x0 + n % wide, y0 + n / wide);
  __syncthreads();
}

static __global__ void __launch_bounds__(cuda::any_block)
    blur_tiled(ConstPicture src, Picture dst, const __grid_constant__ Matrix matrix) {
  extern __shared__ uint8_t tile[];
  const int32_t k = matrix.side, wide = int32_t(blockDim.x) + k - 1;
  load_tile(tile, -(k / 2), -(k / 2), wide, int32_t(blockDim.y) + k - 1, [&](int32_t x, int32_t y) {
    return src.at(map_index<BorderMode::reflect101>(x, src.width),
                  map_index<BorderMode::reflect101>(y, src.height));
  });
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
  extern __shared__ uint8_t tile[];
  load_tile(tile, cells.left, cells.top, cells.wide, cells.high, [&](int32_t x, int32_t y) {
    const bool inside = uint32_t(x) < uint32_t(src.width) && uint32_t(y) < uint32_t(src.height);
    return inside ? src.at(x, y) : uint8_t(Dilate ? 0 : 255);
  });
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

class TiledFilters {
 public:
  TiledFilters(Scratch&, cudaStream_t stream, dim3 block) : stream_(stream), block_(block) {}

  void make_blur(int ksize, double sigma) {
    const auto taps = gaussian_taps_q8(ksize, sigma);
    matrix_.side = ksize;
    int32_t* to = matrix_.taps;
    for (const int32_t down : taps)
      for (const int32_t across : taps) *to++ = down * across;
  }
  void blur(ConstPicture src, Picture dst) {
    cuda::launch("motion", blur_tiled, grid(src), block_, shared(matrix_.side, matrix_.side),
                 stream_, src, dst, matrix_);
  }

  void make_element(const StructuringElement& element) { element_ = &element; }
  void morph(ConstPicture src, Picture dst, bool dilate, bool turned) {
    const StructuringElement& e = *element_;
    Cells cells;
    cells.count = 0;
    cells.left = turned ? e.anchor_x() - e.width() + 1 : -e.anchor_x();
    cells.top = turned ? e.anchor_y() - e.height() + 1 : -e.anchor_y();
    cells.wide = int32_t(block_.x) + e.width() - 1;
    cells.high = int32_t(block_.y) + e.height() - 1;
    for (int y = 0; y < e.height(); ++y) {
      for (int x = 0; x < e.width(); ++x) {
        if (turned ? e.contains(e.width() - 1 - x, e.height() - 1 - y) : e.contains(x, y))
          cells.at[cells.count++] = y * cells.wide + x;
      }
    }
    cuda::launch("motion", dilate ? morph_tiled<true> : morph_tiled<false>, grid(src), block_,
                 shared(e.width(), e.height()), stream_, src, dst, cells);
  }

 private:
  dim3 grid(ConstPicture p) const { return cuda::tiles(p, int32_t(block_.x), int32_t(block_.y)); }
  size_t shared(int width, int height) const {
    return size_t(tile_bytes(int(block_.x), int(block_.y), width, height));
  }

  cudaStream_t stream_;
  dim3 block_;
  Matrix matrix_ = {};
  const StructuringElement* element_ = nullptr;
};

}  // namespace cuesta::motion_ladder
