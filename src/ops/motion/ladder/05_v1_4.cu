// Rung `v1.4` (paper 004, future work: unrolled loops): v1.3 with the loops over windows unrolled
// at compile time, one kernel for each side of a blur and each element of a list (unrolled.hpp).
// From v1.3: no counter, no address and no load of a cell's distance, as each sample is at a
// distance that is part of the instruction; a tap is an operand. Bound: loads from shared memory,
// still one of a byte for each of 225 + 4 * 149 samples a pixel. Bytes a pixel: as v1.1; a tile's
// rows are 96 bytes apart, whatever it holds. Wastes: a warp's load moves 32 of 128 bytes; threads
// share no window in registers; a block loads its tile, waits, and only then computes.
#include "cuda/instructions.cuh"
#include "ops/motion/ladder/unrolled.cuh"

namespace cuesta::motion_ladder {
namespace {

__device__ const uint8_t* own_window(const uint8_t* tile) {
  return tile + int32_t(threadIdx.y) * tile_pitch + threadIdx.x;
}

template <int Side>
__global__ void __launch_bounds__(cuda::any_block)
    blur_unrolled(ConstPicture src, Picture dst, const __grid_constant__ Matrix matrix) {
  CUESTA_DYNAMIC_SHARED(uint8_t, tile);
  load_tile<tile_pitch>(tile, Reflected{src}, -(Side / 2), -(Side / 2),
                        int32_t(blockDim.x) + Side - 1, int32_t(blockDim.y) + Side - 1);
  const Place p;
  if (!p.inside(src)) return;
  dst.at(p.x, p.y) = uint8_t(weighted_sum<Side>(own_window(tile), matrix) >> 16);
}

template <int Element, bool Dilate>
__global__ void __launch_bounds__(cuda::any_block)
    morph_unrolled(ConstPicture src, Picture dst, int32_t left, int32_t top) {
  constexpr UnrolledElement element = unrolled_elements[Element];
  CUESTA_DYNAMIC_SHARED(uint8_t, tile);
  load_tile<tile_pitch>(tile, Surrounded<Dilate>{src}, left, top,
                        int32_t(blockDim.x) + element.wide - 1,
                        int32_t(blockDim.y) + element.high - 1);
  const Place p;
  if (!p.inside(src)) return;
  dst.at(p.x, p.y) = uint8_t(best_cell<Element, Dilate>(own_window(tile)));
}

class UnrolledFilters : public UnrolledWindows {
 public:
  using UnrolledWindows::UnrolledWindows;

  void blur(ConstPicture src, Picture dst) {
    const auto kernel = with_constant<unrolled_sides>(
        matrix_->side / 2 - 1, [](auto n) { return blur_unrolled<side_of(n)>; });
    launch(kernel, grid(src), shared(matrix_->side), src, dst, *matrix_);
  }
  void morph(ConstPicture src, Picture dst, bool dilate, bool turned) {
    const auto kernel = with_constant<unrolled_count>(index_, [&](auto n) {
      return dilate ? morph_unrolled<n, true> : morph_unrolled<n, false>;
    });
    const auto [left, top] = corner(turned);
    launch(kernel, grid(src), shared(element_->height()), src, dst, left, top);
  }

 private:
  size_t shared(int window_height) const {
    return tile_pitch * (size_t(block_.y) + size_t(window_height) - 1);
  }
};

}  // namespace

void v1_4(const MotionArgs& args, Call& call) {
  const dim3 block = block_of(call);
  run_chain(args, call, block, UnrolledFilters(call, block));
}

}  // namespace cuesta::motion_ladder
