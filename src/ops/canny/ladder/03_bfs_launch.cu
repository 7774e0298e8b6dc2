// Rung `bfs-launch` (paper 001, after Emrani): hysteresis as a breadth-first search whose every
// step is a launch with a thread a pixel, until a step gains nothing; behind the production
// gradient and suppression. window=3: a candidate joins when one of its 8 neighbours joined in the
// step before; window=5: also through a neighbour that is a candidate, so that a launch does two
// steps. The paper's 5 × 5 search leaps over gaps and finds other edges; ours finds the same.
// Theirs works in place, and a thread may see what the same launch wrote: the number of launches
// depends on luck. Ours writes each step in a color of its own, three in turn, so that depth and
// sizes are the same on every run. Bound: launches times one pass over the marks, N² (1 + depth)
// bytes, and a wait of the host for each. Wastes: almost every thread of almost every launch.
//
// Statistics: "bfs depth" is the number of launches that gained.
// Times: docs/results/h200-ladder.md.
#include "ops/canny/ladder/hysteresis.cuh"
#include "ops/canny/ladder/nms_marks.cuh"

namespace cuesta::canny_ladder {
namespace {

template <int Window>
__device__ bool reached(const Marks& marks, int32_t x, int32_t y, uint8_t frontier) {
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const uint8_t mark = at_or_zero(marks, x + dx, y + dy);
      if (mark == frontier) return true;
      if constexpr (Window > 3) {
        const bool centre = dx == 0 && dy == 0;
        if (mark != none && !centre && reached<Window - 2>(marks, x + dx, y + dy, frontier))
          return true;
      }
    }
  }
  return false;
}

// `frontier` is the color of the step before, `color` of this one. What another thread of this
// launch writes meanwhile was `candidate` and becomes `color`: neither is the frontier.
template <int Window>
__global__ void step(Marks marks, uint8_t frontier, uint8_t color, uint32_t* gained) {
  const auto [x, y] = this_pixel();
  const bool joins = inside(marks, {x, y}) && marks.at(x, y) == candidate &&
                     reached<Window>(marks, x, y, frontier);
  if (joins) marks.at(x, y) = color;
  const int sum = __syncthreads_count(joins);
  if (sum > 0 && threadIdx.x == 0 && threadIdx.y == 0) atomicAdd(gained, uint32_t(sum));
}

}  // namespace

void hysteresis_by_launches(const Marks& marks, AnyView dst, dim3 block, Call& call) {
  const auto kernel = call.parameters().integer("window") == 5 ? step<5> : step<3>;
  auto* gained = call.scratch().take<uint32_t>(1);
  int depth = 0;
  for (;; ++depth) {
    cuda::check(cudaMemsetAsync(gained, 0, sizeof *gained, cuda::stream_of(call)), "canny");
    for_pixels(marks, block, call, kernel, marks, color_of(depth), color_of(depth + 1), gained);
    if (read_back(gained, call) == 0) break;
  }
  call.statistic("bfs depth", depth);
  write_joined(marks, dst, block, call);
}

void bfs_launch(const CannyArgs& args, Call& call) {
  behind_nms(args, call, hysteresis_by_launches);
}

}  // namespace cuesta::canny_ladder
