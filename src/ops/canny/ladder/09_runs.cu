// Rung `runs`: hysteresis by sets of runs, 32 pixels a word, in three launches: what `fused` does
// behind its own gradient and suppression (cuda/hysteresis.cuh), as a rung beside the others. From
// `union-find`: an edge runs through the candidates of a tile of 128 × 32 in registers, a run of
// them by one addition; labels belong to what is left, at most 16 a word; and an edge is a set of
// its own, so that nobody asks which roots are strong. Bound: 3/4 byte a pixel of masks read, 1/4
// and the edges written. Wastes, behind marks (`hysteresis=runs`): a pass that packs them, which
// the row of this name has no need of.
#include "ops/canny/cuda/masks.cuh"
#include "ops/canny/cuda/nms_march.hpp"
#include "ops/canny/ladder/hysteresis.cuh"

namespace cuesta::canny_ladder {
namespace {

constexpr int warps = 8;

// A warp makes a word of both masks.
__global__ void __launch_bounds__(32 * warps) pack(Marks marks, Masks masks) {
  const auto word = int32_t(blockIdx.x);
  const int32_t x = word * 32 + int32_t(threadIdx.x);
  const int32_t y = int32_t(blockIdx.y * warps + threadIdx.y);
  if (y >= masks.height) return;  // the whole warp
  const uint8_t mark = at_or_zero(marks, x, y);
  const uint32_t candidates = __ballot_sync(~0u, mark != none);
  const uint32_t strong_ones = __ballot_sync(~0u, mark == strong);
  if (threadIdx.x != 0) return;
  const ptrdiff_t at = ptrdiff_t(y) * masks.words_per_row + word;
  masks.candidates[at] = candidates;
  masks.strong[at] = strong_ones;
}

struct IsStrongBit {
  Masks masks;
  __device__ bool operator()(int32_t x, int32_t y) const {
    return masks.strong[ptrdiff_t(y) * masks.words_per_row + x / 32] >> (x % 32) & 1;
  }
};

}  // namespace

void hysteresis_by_runs(const Marks& marks, AnyView dst, int, Call& call) {
  const int32_t words = canny_nms::mask_bytes(marks.width) / 4;
  const size_t all = size_t(words) * size_t(marks.height);
  const Masks masks{call.scratch().take<uint32_t>(all), call.scratch().take<uint32_t>(all),
                    marks.width, marks.height, words};
  cuda::launch("canny", pack, dim3(unsigned(words), cuda::blocks(marks.height, warps)),
               dim3(32, warps), 0, cuda::stream_of(call), marks, masks);
  connect(masks, Batch(dst, 1, 0), call);
}

void runs(const CannyArgs& args, Call& call) {
  const Masks masks = find_masks(args, call);
  with_trees(IsStrongBit{masks}, args.dst, call,
             [&] { connect(masks, Batch(args.dst, 1, 0), call); });
}

}  // namespace cuesta::canny_ladder
