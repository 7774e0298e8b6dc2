// Rung `union-find`: hysteresis as sets in a fixed number of launches, a thread and a label a
// pixel; behind the production gradient and suppression. From `bfs-launch`: the number of launches
// no longer depends on the picture and the host waits for none. The paper asks for a better
// hysteresis as future work; init, merge and compress are paper 004's labelling. Bound: 4 bytes a
// pixel of labels written and read where there are candidates, and the atomics of long contours.
// Wastes: a label for each pixel though all of a 2 × 2 block are neighbours; four launches that all
// read every mark. Times: docs/results/h200-ladder.md.
#include "cuda/union_find.cuh"
#include "ops/canny/ladder/hysteresis.cuh"
#include "ops/canny/ladder/nms_marks.cuh"

namespace cuesta::canny_ladder {
namespace {

__device__ int32_t label(const Marks& marks, Pixel p) { return p.y * marks.width + p.x; }

__global__ void init(Marks marks, int32_t* parents) {
  const Pixel p = this_pixel();
  if (inside(marks, p) && marks.at(p.x, p.y) != none) parents[label(marks, p)] = label(marks, p);
}

// With the candidates before it in raster order. Those that touch each other unite by themselves:
// of the four, the one above touches all, the upper left touches the left.
__global__ void merge(Marks marks, int32_t* parents) {
  const Pixel p = this_pixel();
  if (!inside(marks, p) || marks.at(p.x, p.y) == none) return;
  const auto has = [&](int dx, int dy) { return at_or_zero(marks, p.x + dx, p.y + dy) != none; };
  const auto with = [&](int dx, int dy) {
    cuda::unite(parents, label(marks, p), label(marks, {p.x + dx, p.y + dy}));
  };
  if (has(0, -1)) return with(0, -1);
  if (has(-1, -1))
    with(-1, -1);
  else if (has(-1, 0))
    with(-1, 0);
  if (has(1, -1)) with(1, -1);
}

// A set's root is strong when one of the set is. Threads that meet at a root write one value.
__global__ void raise_roots(Marks marks, int32_t* parents) {
  const Pixel p = this_pixel();
  if (!inside(marks, p) || marks.at(p.x, p.y) != strong) return;
  const int32_t root = cuda::flatten(parents, label(marks, p));
  marks.at(root % marks.width, root / marks.width) = strong;
}

__global__ void write(Marks marks, int32_t* parents, DeviceImage<uint8_t> dst) {
  const Pixel p = this_pixel();
  if (!inside(marks, p)) return;
  uint8_t edge = 0;
  if (marks.at(p.x, p.y) != none) {
    const int32_t root = cuda::find(parents, label(marks, p));
    edge = marks.at(root % marks.width, root / marks.width) == strong ? 255 : 0;
  }
  dst.at(p.x, p.y) = edge;
}

}  // namespace

void hysteresis_by_sets(const Marks& marks, AnyView dst, dim3 block, Call& call) {
  auto* parents = call.scratch().take<int32_t>(size_t(marks.width) * size_t(marks.height));
  for_pixels(marks, block, call, init, marks, parents);
  for_pixels(marks, block, call, merge, marks, parents);
  for_pixels(marks, block, call, raise_roots, marks, parents);
  for_pixels(marks, block, call, write, marks, parents, dst.as<uint8_t, Space::device>());
}

void union_find(const CannyArgs& args, Call& call) { behind_nms(args, call, hysteresis_by_sets); }

}  // namespace cuesta::canny_ladder
