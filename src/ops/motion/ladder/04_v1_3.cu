// Rung `v1.3` (paper 004, GPU v1.3): v1.2 with the launch shape from a grid search. Theirs tried
// squares and found 16 best for most inputs, on one GPU of 2015; ours takes block_x and block_y,
// and `cuesta bench motion-ladder --sweep` searches anew on the GPU at hand. A flat block has the
// same threads with fewer rows of apron in reach of a warp; a small one waits less at its barrier
// but loads more apron: (16 + 14)^2 is 3.5 samples a pixel. Bound, bytes and waste as v1.2.
#include "ops/motion/ladder/tiled.cuh"

namespace cuesta::motion_ladder {

void v1_3(const MotionArgs& args, Call& call) {
  const Parameters& p = call.parameters();
  run_chain<TiledFilters>(args, call,
                          dim3(unsigned(p.integer("block_x")), unsigned(p.integer("block_y"))));
}

}  // namespace cuesta::motion_ladder
