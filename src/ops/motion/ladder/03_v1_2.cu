// Rung `v1.2` (paper 004, GPU v1.2): blur, dilate and erode read their windows from a tile in
// dynamic shared memory and their taps and cells from the constant bank (tiled.cuh). From v1.1: a
// block of 32 x 32 loads (32 + 14)^2 samples, 2.1 a pixel and step, in place of 225 or 149, and a
// tap costs one load from shared memory, without an address of its own or a border test. Bound:
// those loads, of single bytes, 225 + 4 * 149 a pixel. Bytes a pixel: as v1.1. Wastes: a warp's
// load moves 32 of 128 bytes; threads share no window in registers; a Gaussian has factors and a
// disk's rows are runs, which neither loop knows.
// Times: docs/results/h200-ladder.md.
#include "ops/motion/ladder/tiled.cuh"

namespace cuesta::motion_ladder {

void v1_2(const MotionArgs& args, Call& call) {
  const dim3 block(32, 32);
  with_windows(call,
               [&](auto masks) { run_chain(args, call, block, TiledFilters<masks>(call, block)); });
}

}  // namespace cuesta::motion_ladder
