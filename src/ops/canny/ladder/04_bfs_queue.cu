// Rung `bfs-queue`: the breadth-first search of `bfs-launch` with a thread for each pixel that
// joined in the step before, instead of one for each of the picture. Which these are is a queue;
// whoever joins is claimed by one thread, which appends it, a warp's with one addition. Two queues
// that change places would do; here all are behind each other in one array, since a pixel joins
// once. The host reads after each step how many joined and sizes the next grid by it. Bound:
// launches and waits, one for each step; the work is 9 marks and an atomic for each edge pixel, all
// steps together. Wastes: a launch and a wait for a handful of pixels; sectors of 32 bytes for
// marks although a contour needs three.
//
// Statistics: "bfs depth" is the number of launches that gained.
#include "ops/canny/ladder/nms_marks.cuh"
#include "ops/canny/ladder/queue.cuh"

namespace cuesta::canny_ladder {
namespace {

__global__ void __launch_bounds__(step_threads)
    step(Search search, uint32_t begin, uint32_t end, uint32_t* gained) {
  step_from_queue(search, begin, end, end, gained);
}

}  // namespace

void hysteresis_by_queues(const Marks& marks, AnyView dst, dim3 block, Call& call) {
  const Search search = search_from_strong(marks, block, call);
  const cudaStream_t stream = cuda::stream_of(call);
  auto* counter = call.scratch().take<uint32_t>(1);
  int depth = 0;
  for (uint32_t begin = 0, end = read_back(search.found, call); begin < end;) {
    cuda::check(cudaMemsetAsync(counter, 0, sizeof *counter, stream), "canny");
    cuda::launch("canny", step, dim3(cuda::blocks(int32_t(end - begin), step_threads)),
                 dim3(step_threads), 0, stream, search, begin, end, counter);
    const uint32_t gained = read_back(counter, call);
    begin = end;
    end += gained;
    depth += gained > 0;
  }
  call.statistic("bfs depth", depth);
  write_joined(marks, dst, block, call);
}

void bfs_queue(const CannyArgs& args, Call& call) { behind_nms(args, call, hysteresis_by_queues); }

}  // namespace cuesta::canny_ladder
