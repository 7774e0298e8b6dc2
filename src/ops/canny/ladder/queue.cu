#include "ops/canny/ladder/queue.cuh"

namespace cuesta::canny_ladder {
namespace {

__global__ void collect(Marks marks, int32_t* queue, uint32_t* found) {
  const auto [x, y] = this_pixel();
  // claim() reads a mark's whole word: at a row's end also what is behind it.
  if (x >= marks.width && x < marks.stride_bytes && y < marks.height) marks.at(x, y) = none;
  const bool mine = inside(marks, {x, y}) && marks.at(x, y) == strong;
  const uint32_t to = reserve(mine, found);
  if (mine) queue[to] = y * marks.width + x;
}

}  // namespace

Search search_from_strong(const Marks& marks, dim3 block, Call& call) {
  auto* queue = call.scratch().take<int32_t>(size_t(marks.width) * size_t(marks.height));
  auto* found = cleared<uint32_t>(1, call);
  for_pixels(marks, block, call, collect, marks, queue, found);
  return {marks, queue, found};
}

}  // namespace cuesta::canny_ladder
