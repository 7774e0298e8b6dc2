// BackgroundArgs::unmatched of one frame, after its mask: a thread a pixel; those of the
// mask ask the samples around them. A warp takes 32 pixels of a row, so that its loads are of
// neighbouring bytes and one ballot is half a word. The plane of samples that the frame wrote is
// not read, so that the answer is that of before. Bound: the first-level cache, 176 bytes a pixel
// of the mask that matches nothing.
#include <algorithm>

#include "cuda/launch.cuh"
#include "ops/background/cuda.hpp"
#include "ops/shared/background_models.hpp"

namespace cuesta {
namespace {

constexpr int block_x = 32, block_y = 8;

struct UnmatchedRequest {
  ConstAnyView frame;
  AnyView state, mask, unmatched;
  int32_t displacement;
  background::sampled::Turn turn;
  bool founds;
};

template <class Model>
__global__ void __launch_bounds__(block_x* block_y)
    unmatched_pixels(const __grid_constant__ UnmatchedRequest q) {
  using Sample = typename Model::Sample;
  const int64_t x = int64_t(blockIdx.x) * block_x + threadIdx.x;
  const auto state = q.state.as<Sample, Space::device>();
  const auto samples = [&](int32_t column, int32_t row) {
    return background::Samples<Sample>{&state.at(column, row * Model::planes),
                                       state.stride_bytes / ptrdiff_t(sizeof(Sample))};
  };
  const int64_t rows = int64_t(gridDim.y) * block_y;
  for (int64_t row = int64_t(blockIdx.y) * block_y + threadIdx.y; row < q.frame.height;
       row += rows) {
    const auto y = int32_t(row);
    const auto* mask = reinterpret_cast<const uint32_t*>(static_cast<const char*>(q.mask.data) +
                                                         ptrdiff_t(y) * q.mask.stride_bytes);
    bool is_set = !q.founds && x < q.frame.width && mask[x / 32] >> (x % 32) & 1;
    if (is_set) {
      const auto column = int32_t(x);
      is_set = !Model::matches_near(
          q.frame.as<typename Model::Value, Space::device>().at(column, y), column, y,
          {q.frame.width, q.frame.height}, q.displacement, q.turn, samples);
    }
    const uint32_t bits = __ballot_sync(~0u, is_set);
    if (threadIdx.x == 0) {
      char* words = static_cast<char*>(q.unmatched.data) + ptrdiff_t(y) * q.unmatched.stride_bytes;
      reinterpret_cast<uint32_t*>(words)[x / 32] = bits;
    }
  }
}

}  // namespace

void background_cuda::unmatched(const BackgroundArgs& args, Call& call) {
  const UnmatchedRequest request{args.frame,        args.state,
                                 args.out.mask,     args.unmatched,
                                 args.displacement, background::sampled::turn_of(args.now),
                                 args.founds};
  const auto kernel = args.type() == PixelType::u16
                          ? unmatched_pixels<background::BasicSampled<uint16_t>>
                          : unmatched_pixels<background::BasicSampled<uint8_t>>;
  // Whole words across: both halves of the last one are written.
  const dim3 grid(cuda::blocks(args.frame.width, 64) * (64 / block_x),
                  std::min(cuda::blocks(args.frame.height, block_y), cuda::max_grid_y));
  cuda::launch("background", kernel, grid, dim3(block_x, block_y), 0, cuda::stream_of(call),
               request);
}

}  // namespace cuesta
