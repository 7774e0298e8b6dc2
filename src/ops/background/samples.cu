// Strategy `words`: the samples (ops/shared/background_models.hpp), a thread four pixels of a row:
// it reads a word of each plane and writes three, that of samples whose turn it is, age and
// restlessness. Neighbours' samples come byte by byte from a plane that no thread writes in this
// frame, by one pixel in sixteen; so the state is read and written in place, frame after frame, and
// frames of a batch are launches. Frames and states may be anywhere. Bound: memory, 18 bytes a
// pixel and what is wanted.
#include <algorithm>

#include "cuda/launch.cuh"
#include "ops/background/cuda.hpp"
#include "ops/background/frames.cuh"
#include "ops/shared/pixel_arithmetic.hpp"

namespace cuesta {
namespace {

using namespace background_cuda;
namespace sampled = background::sampled;
using background::Sampled;

constexpr int pixels = 4;

__global__ void __launch_bounds__(block_x* block_y)
    samples_of_frame(const __grid_constant__ FramesRequest q, int32_t t, sampled::Turn turn) {
  const int64_t column = (int64_t(blockIdx.x) * block_x + threadIdx.x) * pixels;
  // Threads past the width stay, and make the bits there 0.
  const int32_t width = q.frame.width, height = q.frame.height;
  const auto x0 = int32_t(min(column, int64_t(width)));
  const int32_t left = width - x0;
  const uint32_t inside = left < pixels ? (1u << left) - 1 : 15u;
  const bool founds = q.founds && t == 0;
  const auto state = q.state.as<uint8_t, Space::device>();
  const int64_t rows = int64_t(gridDim.y) * block_y;
  for (int64_t row = int64_t(blockIdx.y) * block_y + threadIdx.y; row < height; row += rows) {
    const auto y = int32_t(row);
    uint32_t v[1], levels[1] = {}, differences[1] = {};
    cuda::load_bytes<pixels>(at(q.frame, q.frame_step, t, x0, y), left, v);
    uint32_t planes[Sampled::planes][1];
    if (!founds) {
#pragma unroll
      for (int p = 0; p < Sampled::planes; ++p)
        cuda::load_bytes<pixels>(state.row(y * Sampled::planes + p) + x0, left, planes[p]);
    }
#pragma unroll
    for (int i = 0; i < pixels; ++i) {
      if (i >= left) break;
      const int32_t x = x0 + i;
      const auto value = uint8_t(v[0] >> (8 * i));
      uint8_t own[Sampled::planes];
      const background::Samples<uint8_t> samples{own, 1};
      background::Verdict verdict{value, 0};
      if (founds) {
        Sampled::found(samples, [&](int32_t plane) {
          const auto from = sampled::founding(plane, x, y, width, height);
          return *at(q.frame, q.frame_step, t, from.x, from.y);
        });
      } else {
#pragma unroll
        for (int p = 0; p < Sampled::planes; ++p) own[p] = uint8_t(planes[p][0] >> (8 * i));
        const uint32_t bits = sampled::bits_of(turn.key, x, y);
        uint8_t taken = 0;
        if (sampled::takes(bits)) {
          const auto beside = sampled::neighbour(sampled::way_of(bits), x, y, width, height);
          taken = state.at(beside.x, beside.y * Sampled::planes + turn.reads);
        }
        verdict = Sampled::learn(samples, value, turn, bits, taken);
      }
#pragma unroll
      for (int p = 0; p < Sampled::planes; ++p) {
        const uint32_t others = planes[p][0] & ~(0xFFu << (8 * i));
        planes[p][0] = (founds && i == 0 ? 0u : others) | uint32_t(own[p]) << (8 * i);
      }
      levels[0] |= uint32_t(verdict.background) << (8 * i);
      differences[0] |= uint32_t(verdict.difference) << (8 * i);
    }
#pragma unroll
    for (int p = 0; p < Sampled::planes; ++p) {
      if (founds || p == turn.writes || p >= sampled::count)
        store<pixels>(state.row(y * Sampled::planes + p) + x0, left, planes[p]);
    }
    const uint32_t foreground = above(differences[0], q.limit) & inside;
    write_out<pixels, false>(q, t, column, x0, y, left, levels, differences, foreground);
  }
}

}  // namespace

std::string_view background_cuda::words_supports(const BackgroundArgs& args, const Parameters&) {
  if (args.type() != PixelType::u8) return "u16";
  return args.model == BackgroundModel::samples ? std::string_view() : "models other than samples";
}

void background_cuda::words(const BackgroundArgs& args, Call& call) {
  FramesRequest request{};
  request.frame = args.frame;
  request.frame_step = args.frame_step;
  request.state = args.state;
  request.out = args.out;
  request.out_step = args.out_step;
  request.limit = std::min(pixel::limit_of<uint8_t>(args.limit), 255);
  request.founds = args.founds;
  const auto wide = (int64_t(args.frame.width) + 63) / 64 * 64;
  constexpr int across = block_x * pixels;
  const dim3 grid(unsigned((wide + across - 1) / across),
                  std::min(cuda::blocks(args.frame.height, block_y), cuda::max_grid_y));
  for (int32_t t = 0; t < args.count; ++t) {
    cuda::launch("background", samples_of_frame, grid, dim3(block_x, block_y), 0,
                 cuda::stream_of(call), request, t, sampled::turn_of(args.step(t)));
    if (args.unmatched) unmatched(args.one(t), call);
  }
}

}  // namespace cuesta
