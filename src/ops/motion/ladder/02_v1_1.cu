// Rung `v1.1` (paper 004, GPU v1.1): buffers come once, from the caller's workspace, which keeps
// the blur's matrix and the elements on the GPU too, and the first frame is smoothed once, into the
// state of the background model. From v1.0: no cudaMalloc and no cudaFree in a frame, half of the
// blurring, and of windows only a look for what is kept; nothing but the frame goes up. Bound: load
// instructions. A pixel loads k^2 samples and k^2 taps for the blur, and 149 samples and 149
// offsets for each of four steps of morphology. Bytes a pixel: the frame's 3, 17 between the steps,
// 29 to 37 in `label`. Wastes: a sample is loaded once for every window it is in, each time with an
// address and a border test.
// Times: docs/results/h200-ladder.md.
#include "ops/motion/ladder/global.cuh"

namespace cuesta::motion_ladder {

void v1_1(const MotionArgs& args, Call& call) {
  const dim3 block(32, 32);
  with_windows(call, [&](auto masks) {
    run_chain(args, call, block, GlobalFilters<true, masks>(call, call.scratch(), block));
  });
}

}  // namespace cuesta::motion_ladder
