// Rung `persistent`: the steps of `bfs-queue` in one kernel that stays: its blocks, one a
// multiprocessor, take a step, meet, and continue until a step gained nothing. The host waits for
// nothing. They meet at cooperative_groups' barrier of a grid and not at a hand-made one: only a
// cooperative launch promises that all blocks run at once, without which a barrier may wait for
// ever for a block that other work keeps off the GPU; and there it is the barrier. How many joined
// is counted in three counters in turn: all blocks read one after the barrier while the next step
// adds to the second, and the third, which nobody reads any more, is cleared. Bound: a barrier of
// the grid for each step, dear for a step of few pixels and cheap beside a launch and a wait.
// Wastes: nearly every block at nearly every step; and the GPU is taken, for as long as the longest
// contour.
//
// Statistics: "bfs depth" is the number of steps that gained.
#include <cooperative_groups.h>

#include "ops/canny/ladder/nms_marks.cuh"
#include "ops/canny/ladder/queue.cuh"

namespace cuesta::canny_ladder {
namespace {

struct Progress {
  uint32_t gained[3];
  uint32_t depth;
};

__global__ void __launch_bounds__(step_threads) all_steps(Search search, Progress* progress) {
  const auto grid = cooperative_groups::this_grid();
  const bool leads = grid.thread_rank() == 0;
  uint32_t depth = 0;
  // The same numbers in every thread.
  for (uint32_t begin = 0, end = *search.found, step = 0; begin < end; ++step) {
    uint32_t* const counter = progress->gained + step % 3;
    if (leads) progress->gained[(step + 1) % 3] = 0;
    step_from_queue(search, begin, end, end, counter);
    grid.sync();
    const uint32_t gained = latest(*counter);
    begin = end;
    end += gained;
    depth += gained > 0;
  }
  if (leads) progress->depth = depth;
}

}  // namespace

void hysteresis_by_one_kernel(const Marks& marks, AnyView dst, dim3 block, Call& call) {
  const Search search = search_from_strong(marks, block, call);
  auto* progress = cleared<Progress>(1, call);
  cudaLaunchAttribute together{};
  together.id = cudaLaunchAttributeCooperative;
  together.val.cooperative = 1;
  cuda::launch_with({&together, 1}, "canny", all_steps, dim3(resident_blocks(marks)),
                    dim3(step_threads), 0, cuda::stream_of(call), search, progress);
  write_joined(marks, dst, block, call);
  tell("bfs depth", &progress->depth, call);
}

void persistent(const CannyArgs& args, Call& call) {
  behind_nms(args, call, hysteresis_by_one_kernel);
}

}  // namespace cuesta::canny_ladder
