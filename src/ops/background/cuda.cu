// Strategy `fused`: every model but samples (samples.cu), a thread several pixels of a row
// (frames.cuh), whose state it has in registers, as words (cuda/background_lanes.cuh), while the
// frames of a batch go by: the state is read and written once a batch, not once a frame. Model
// `first` learns nothing: its frames are also spread over the grid. Bits of a mask are made beside
// the pixels and put together to words of 32 across lanes. Frames may be anywhere: samples come in
// aligned words that are shifted into place. Bound: memory.
#include <algorithm>

#include "cuda/launch.cuh"
#include "ops/background/cuda.hpp"
#include "ops/background/frames.cuh"
#include "ops/shared/pixel_arithmetic.hpp"

namespace cuesta {
namespace {

using namespace background_cuda;

/// Pixels of a thread, and blocks that a multiprocessor is to hold: of one frame whose mask of bits
/// is all that is wanted, and else. (H200, 2026-11-22, 8192², for `first` and `mean` the fastest of
/// one frame with 4, 8 and 16 pixels and 4 to 8 blocks. The others were not measured.)
template <class Model>
struct Shape;
template <>
struct Shape<background::First> {
  static constexpr int pixels = 16, blocks = 8, blocks_of_many = 4;
};
template <>
struct Shape<background::Mean> {
  static constexpr int pixels = 16, blocks = 5, blocks_of_many = 3;
};
template <>
struct Shape<background::Median> {
  static constexpr int pixels = 16, blocks = 4, blocks_of_many = 3;
};
template <>
struct Shape<background::Mixture> {
  static constexpr int pixels = 4, blocks = 4, blocks_of_many = 3;
};

template <class Model>
void enqueue(FramesRequest request, Call& call) {
  constexpr int across = block_x * Shape<Model>::pixels;
  const auto wide = (int64_t(request.frame.width) + 63) / 64 * 64;
  dim3 grid(unsigned((wide + across - 1) / across),
            std::min(cuda::blocks(request.frame.height, block_y), cuda::max_grid_y));
  request.a_block = request.count;
  if (!Model::learns && !request.founds) {
    // Enough blocks to fill the GPU several times over, and no more readings of the state.
    const int64_t enough = int64_t(16) * cuda::multiprocessors();
    const auto parts =
        int32_t(std::clamp<int64_t>(enough / (int64_t(grid.x) * grid.y) + 1, 1, request.count));
    request.a_block = (request.count + parts - 1) / parts;
    grid.z = cuda::blocks(request.count, request.a_block);
  }
  constexpr int pixels = Shape<Model>::pixels, one = Shape<Model>::blocks,
                many = Shape<Model>::blocks_of_many;
  const bool bits_alone =
      request.out.mask.type == PixelType::bit && !request.out.background && !request.out.difference;
  const auto kernel = request.count > 1 ? background_frames<Model, pixels, many, true, false>
                      : bits_alone      ? background_frames<Model, pixels, one, false, true>
                                        : background_frames<Model, pixels, many, false, false>;
  cuda::launch("background", kernel, grid, dim3(block_x, block_y), 0, cuda::stream_of(call),
               request);
}

}  // namespace

std::string_view background_cuda::fused_supports(const BackgroundArgs& args, const Parameters&) {
  if (args.type() != PixelType::u8) return "u16";
  return args.model == BackgroundModel::samples ? "the samples" : std::string_view();
}

void background_cuda::fused(const BackgroundArgs& args, Call& call) {
  const BackgroundOutputs& out = args.out;
  const bool wanted = out.background || out.difference || out.mask;
  background::with_model(args.model, [&](auto model) {
    using Model = decltype(model);
    if constexpr (!background::is_spatial<Model>) {
      if (!Model::learns && !args.founds && !wanted) return;
      FramesRequest request{};
      request.frame_step = args.frame_step;
      request.state = args.state;
      request.wide = reinterpret_cast<uintptr_t>(args.state.data) % 16 == 0 &&
                     args.state.stride_bytes % 16 == 0;
      request.out_step = args.out_step;
      request.limit = std::min(pixel::limit_of<uint8_t>(args.limit), 255);
      for (int32_t begin = 0; begin < args.count; begin += max_frames) {
        const BackgroundArgs from = args.one(begin);
        request.frame = from.frame;
        request.out = from.out;
        request.founds = from.founds;
        request.count = std::min(args.count - begin, max_frames);
        for (int32_t i = 0; i < request.count; ++i) {
          request.rate[i] = uint8_t(args.step(begin + i).rate);
          request.dither[i] = uint16_t(args.step(begin + i).dither);
        }
        enqueue<Model>(request, call);
      }
    }
  });
}

}  // namespace cuesta
