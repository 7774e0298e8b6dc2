// What the rungs with tiles in dynamic shared memory share: the blur's matrix as an argument of
// kernels, and the loading of a tile. A block's threads load it with a stride of the block. Theirs
// makes floor(tile / block) rounds and drops the rest (2,048 of 2,116 samples are loaded at block
// 32, 768 of 900 at 16) and waits at a barrier in each; ours loads all and waits once. Arguments
// are in a constant bank: a __constant__ array would be shared by all streams.
#pragma once

#include "cuesta/stencil.hpp"
#include "ops/motion/ladder/chain.cuh"
#include "ops/motion/ladder/sums.hpp"

namespace cuesta::motion_ladder {

template <class Tap>
struct MatrixOf {
  static constexpr size_t max_kept = 16;
  int32_t side;
  Tap taps[max_blur * max_blur];
};
using Matrix = MatrixOf<int32_t>;

/// A picture as the blur continues it.
struct Reflected {
  static constexpr uint32_t outside = 0;  // no row is
  ConstPicture src;
  /// The picture's row that stands for row y; -1 for none.
  __device__ int32_t row(int32_t y) const {
    return map_index<BorderMode::reflect101>(y, src.height);
  }
  /// Of `count` rows from `first` on, those that have one.
  __device__ int32_t rows_inside(int32_t, int32_t count) const { return count; }
  __device__ uint8_t at(int32_t x, int32_t y) const {
    return src.at(map_index<BorderMode::reflect101>(x, src.width), row(y));
  }
};

/// A picture that outside is what never wins.
template <bool Dilate>
struct Surrounded {
  static constexpr uint32_t outside = Dilate ? 0 : ~0u;  ///< four samples
  ConstPicture src;
  __device__ int32_t row(int32_t y) const { return uint32_t(y) < uint32_t(src.height) ? y : -1; }
  __device__ int32_t rows_inside(int32_t first, int32_t count) const {
    return max(min(first + count, src.height) - max(first, 0), 0);
  }
  __device__ uint8_t at(int32_t x, int32_t y) const {
    const bool inside = uint32_t(x) < uint32_t(src.width) && uint32_t(y) < uint32_t(src.height);
    return inside ? src.at(x, y) : uint8_t(outside);
  }
};

/// The tile whose corner is (left, top) from the block's. Rows are `Pitch` bytes apart, 0: `wide`.
/// All threads of the block take part.
template <int Pitch, class Source>
__device__ void load_tile(uint8_t* tile, Source source, int32_t left, int32_t top, int32_t wide,
                          int32_t high) {
  const int32_t x0 = int32_t(blockIdx.x * blockDim.x) + left;
  const int32_t y0 = int32_t(blockIdx.y * blockDim.y) + top;
  const int32_t threads = int32_t(blockDim.x * blockDim.y);
  for (int32_t n = int32_t(threadIdx.y * blockDim.x + threadIdx.x); n < wide * high; n += threads)
    tile[Pitch ? n / wide * Pitch + n % wide : n] = source.at(x0 + n % wide, y0 + n / wide);
  __syncthreads();
}

/// The blur's products, made once and kept by the caller's workspace; they go to the GPU with each
/// launch. What v1.2 and its followers have in common.
template <class Tap>
class ConstantMatrixOf {
 public:
  static constexpr bool scratch_only = false;

  ConstantMatrixOf(Call& call, dim3 block) : call_(call), block_(block) {}

  void make_blur(int ksize, double sigma) {
    const cuda::Key key = key_of(ksize, sigma);
    matrix_ = &call_.scratch().template kept<MatrixOf<Tap>>(key.bytes(), [&] {
      const auto taps = gaussian_taps_q8(ksize, sigma);
      MatrixOf<Tap> made = {.side = ksize};
      Tap* to = made.taps;
      for (const int32_t down : taps)
        for (const int32_t across : taps) *to++ = tap_of<Tap>(down * across);
      return made;
    });
  }

 protected:
  template <class Kernel, class... Rest>
  void launch(Kernel kernel, dim3 grid, size_t shared, Rest&&... rest) const {
    cuda::launch("motion", kernel, grid, block_, shared, cuda::stream_of(call_),
                 std::forward<Rest>(rest)...);
  }
  dim3 grid(ConstPicture p) const { return cuda::tiles(p, int32_t(block_.x), int32_t(block_.y)); }

  Call& call_;
  dim3 block_;
  const MatrixOf<Tap>* matrix_ = nullptr;
};
using ConstantMatrix = ConstantMatrixOf<int32_t>;

}  // namespace cuesta::motion_ladder
