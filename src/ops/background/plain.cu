// Strategy `plain`: a thread a pixel, which initialises or learns its own samples of the state. A
// warp takes 32 pixels of a row, so that one ballot is half a word of a mask of bits.
#include <algorithm>

#include "cuda/launch.cuh"
#include "ops/background/cuda.hpp"
#include "ops/shared/background_models.hpp"
#include "ops/shared/pixel_arithmetic.hpp"

namespace cuesta {
namespace {

constexpr int block_x = 32, block_y = 8;

struct StepRequest {
  ConstAnyView frame;
  AnyView state;
  BackgroundOutputs out;
  bool founds;
  background::Step now;
  background::sampled::Turn turn;  // of spatial models
  int32_t limit;                   // foreground is difference > limit
};

// Pixel (x, y) of a picture of T.
template <class T, class View>
__device__ auto& at(const View& picture, int32_t x, int32_t y) {
  return picture.template as<T, Space::device>().at(x, y);
}

template <class Model>
__device__ background::BasicVerdict<typename Model::Value> step(const StepRequest& q, int32_t x,
                                                                int32_t y) {
  using Value = typename Model::Value;
  using Sample = typename Model::Sample;
  const auto state = q.state.as<Sample, Space::device>();
  const background::Samples<Sample> samples{&state.at(x, y * Model::planes),
                                            state.stride_bytes / ptrdiff_t(sizeof(Sample))};
  const Value v = at<Value>(q.frame, x, y);
  if constexpr (background::is_spatial<Model>) {
    const int32_t width = q.frame.width, height = q.frame.height;
    if (q.founds) {
      Model::found(samples, [&](int32_t plane) {
        const auto from = background::sampled::founding(plane, x, y, width, height);
        return at<Value>(q.frame, from.x, from.y);
      });
      return {v, 0};
    }
    const uint32_t bits = background::sampled::bits_of(q.turn.key, x, y);
    const auto beside =
        background::sampled::neighbour(background::sampled::way_of(bits), x, y, width, height);
    return Model::learn(samples, v, q.turn, bits,
                        state.at(beside.x, beside.y * Model::planes + q.turn.reads));
  } else {
    if (!q.founds) return Model::learn(samples, v, q.now.rate, q.now.dither);
    Model::found(samples, v);
    return {v, 0};
  }
}

template <class Model>
__global__ void __launch_bounds__(block_x* block_y) background_pixels(StepRequest q) {
  using Value = typename Model::Value;
  // Up to whole words of 64 pixels: threads past the width make the bits there 0. Rows are the
  // same for a whole warp.
  const int32_t wide = (q.frame.width - 1) / 64 * 64 + 63;  // the last pixel of the last word
  const uint32_t x = blockIdx.x * block_x + threadIdx.x;
  if (x > uint32_t(wide)) return;
  const int64_t rows = int64_t(gridDim.y) * block_y;
  for (int64_t row = int64_t(blockIdx.y) * block_y + threadIdx.y; row < q.frame.height;
       row += rows) {
    const auto y = int32_t(row);
    bool foreground = false;
    if (x < uint32_t(q.frame.width)) {
      const auto column = int32_t(x);
      const auto verdict = step<Model>(q, column, y);
      foreground = verdict.difference > q.limit;
      if (q.out.background) at<Value>(q.out.background, column, y) = verdict.background;
      if (q.out.difference) at<Value>(q.out.difference, column, y) = verdict.difference;
      if (q.out.mask.type == PixelType::u8)
        at<uint8_t>(q.out.mask, column, y) = foreground ? 255 : 0;
    }
    const uint32_t bits = __ballot_sync(~0u, foreground);
    if (q.out.mask.type == PixelType::bit && threadIdx.x == 0) {
      char* words = static_cast<char*>(q.out.mask.data) + ptrdiff_t(y) * q.out.mask.stride_bytes;
      reinterpret_cast<uint32_t*>(words)[x / 32] = bits;
    }
  }
}

}  // namespace

void background_cuda::plain(const BackgroundArgs& args, Call& call) {
  const StepRequest request{args.frame,
                            args.state,
                            args.out,
                            args.founds,
                            args.now,
                            background::sampled::turn_of(args.now),
                            pixel::limit_of<uint16_t>(args.limit)};
  const auto kernel = background::with_model(
      args.model, args.type(), [](auto model) { return background_pixels<decltype(model)>; });
  // Whole words across: both halves of the last one are written.
  const dim3 grid(cuda::blocks(args.frame.width, 64) * (64 / block_x),
                  std::min(cuda::blocks(args.frame.height, block_y), cuda::max_grid_y));
  cuda::launch("background", kernel, grid, dim3(block_x, block_y), 0, cuda::stream_of(call),
               request);
  if (args.unmatched) unmatched(args, call);
}

}  // namespace cuesta
