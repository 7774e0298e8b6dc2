// Rung `v1.3` (paper 004, GPU v1.3): v1.2 with the launch shape from a grid search. Theirs tried
// squares and found 16 best for most inputs, on a GTX 960M, by gray and labelling; ours takes
// block_x and block_y, also for the kernels of `label`, and `cuesta bench motion-ladder` searches
// again on the GPU at hand. A large block loads less apron, 2.1 samples a pixel at 32 x 32
// against 3.5 at 16 x 16 and 4.0 at 32 x 8; a small one waits less at its barrier and leaves fewer
// threads idle at the picture's edge. Bound, bytes and waste as v1.2. Times:
// docs/results/h200-ladder.md.
#include "ops/motion/ladder/tiled.cuh"

namespace cuesta::motion_ladder {

void v1_3(const MotionArgs& args, Call& call) {
  const dim3 block = block_of(call);
  with_windows(call,
               [&](auto masks) { run_chain(args, call, block, TiledFilters<masks>(call, block)); });
}

}  // namespace cuesta::motion_ladder
