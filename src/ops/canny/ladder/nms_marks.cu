#include "ops/canny/ladder/nms_marks.cuh"

#include "ops/canny/cuda/masks.cuh"

namespace cuesta::canny_ladder {
namespace {

__global__ void unpack(Masks masks, Marks marks) {
  const auto [x, y] = this_pixel();
  if (!inside(marks, {x, y})) return;
  const ptrdiff_t at = ptrdiff_t(y) * masks.words_per_row + x / 32;
  const bool is_candidate = masks.candidates[at] >> (x % 32) & 1;
  const bool is_strong = masks.strong[at] >> (x % 32) & 1;
  marks.at(x, y) = is_strong ? strong : is_candidate ? candidate : none;
}

}  // namespace

void behind_nms(const CannyArgs& args, Call& call, Hysteresis* hysteresis) {
  const dim3 block(16, 16);
  const Masks masks = find_masks(args, call);
  const Marks marks = device_image<uint8_t>(call, args.src.width, args.src.height);
  for_pixels(marks, block, call, unpack, masks, marks);
  run_hysteresis(hysteresis, marks, args.dst, block, call);
}

}  // namespace cuesta::canny_ladder
