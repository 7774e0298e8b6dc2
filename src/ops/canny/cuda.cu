// Strategy `fused`: the gradient and suppression in one kernel (cuda/nms.cu), hysteresis in three
// (cuda/hysteresis.cu), a batch in pieces.
#include "ops/canny/cuda.hpp"
#include "ops/canny/cuda/masks.cuh"

namespace cuesta::canny_cuda {

void fused(const CannyArgs& args, Call& call) {
  const int32_t most = pictures_per_chunk(args);
  for (int64_t begin = 0; begin < args.count; begin += most) {
    const Scratch scope(call.nested(), Space::device);  // the next piece takes the same memory
    const auto count = int32_t(std::min<int64_t>(most, args.count - begin));
    const CannyArgs piece = args.part(int32_t(begin), count);
    const Masks masks = find_masks(piece, call);
    call.stage("hysteresis");
    connect(masks, Batch(piece.dst, count, piece.dst_step), call);
  }
}

}  // namespace cuesta::canny_cuda
