// Strategy `fused`: one pass, a thread a pixel, a warp 32 pixels of
// a row, whose half word of the mask is one ballot.
#include <cmath>

#include "cuda/launch.cuh"
#include "ops/background/cuda.hpp"
#include "ops/background/models.hpp"
#include "ops/background/reference.hpp"

namespace cuesta {
namespace {

constexpr int block_x = 32, block_y = 8;

struct Request {
  ConstAnyView frame;
  AnyView state;
  BackgroundOutputs out;
  bool founds;
  int32_t limit;  // foreground is difference > limit
};

__global__ void background_first(Request q) {
  const uint32_t x = blockIdx.x * block_x + threadIdx.x;
  const int32_t y = int32_t(blockIdx.y * block_y + threadIdx.y);
  if (y >= q.frame.height) return;  // whole warps
  bool foreground = false;
  if (x < uint32_t(q.frame.width)) {
    const auto at = [&](AnyView plane) -> uint8_t& {
      return plane.as<uint8_t, Space::device>().at(int32_t(x), y);
    };
    const uint8_t v = q.frame.as<uint8_t, Space::device>().at(int32_t(x), y);
    if (q.founds) at(q.state) = v;
    const uint8_t level = q.founds ? v : at(q.state);
    const int32_t difference = background::distance(v, level);
    foreground = difference > q.limit;
    if (q.out.background) at(q.out.background) = level;
    if (q.out.difference) at(q.out.difference) = uint8_t(difference);
    if (q.out.mask.type == PixelType::u8) at(q.out.mask) = foreground ? 255 : 0;
  }
  // Threads past the width make the bits there 0, to the end of the last whole word.
  const uint32_t bits = __ballot_sync(~0u, foreground);
  if (q.out.mask.type == PixelType::bit && threadIdx.x == 0) {
    char* row = static_cast<char*>(q.out.mask.data) + ptrdiff_t(y) * q.out.mask.stride_bytes;
    reinterpret_cast<uint32_t*>(row)[x / 32] = bits;
  }
}

}  // namespace

void background_cuda::fused(const BackgroundArgs& args, Call& call) {
  const BackgroundOutputs& out = args.out;
  if (!args.founds && !out.background && !out.difference && !out.mask) return;  // nothing to learn
  const int32_t limit = int32_t(std::floor(std::min(std::max(args.limit, -1.0), 255.0)));
  const auto words = unsigned((int64_t(args.frame.width) + 63) / 64);
  const dim3 grid(words * (64 / block_x), cuda::blocks(args.frame.height, block_y));
  cuda::launch("background", background_first, grid, dim3(block_x, block_y), 0,
               cuda::stream_of(call), Request{args.frame, args.state, out, args.founds, limit});
}

}  // namespace cuesta
