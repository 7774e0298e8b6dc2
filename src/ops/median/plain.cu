// Strategy `plain`: a thread a sample, from the definition. The median is the greatest key that no
// more than `half` samples of the window are below; its bits are found from the highest down, each
// by counting the window once.
#include "ops/median/cuda.hpp"
#include "ops/median/device.cuh"

namespace cuesta {
namespace {

using namespace median_cuda;

// Keys as unsigned numbers of `bits` bits in the same order.
template <class T>
__device__ uint32_t ordered(int32_t key) {
  return std::is_same_v<T, float> ? uint32_t(key) ^ 0x80000000u : uint32_t(key);
}

template <class T>
__device__ uint32_t count_below(const MedianRequest& q, int32_t x, int32_t y, int32_t c,
                                uint32_t limit) {
  uint32_t below = 0;
  for (int32_t j = -q.radius; j <= q.radius; ++j)
    for (int32_t i = -q.radius; i <= q.radius; ++i)
      below += ordered<T>(key_at<T>(q, x + i, y + j, c)) < limit;
  return below;
}

template <class T>
__global__ void __launch_bounds__(block_threads) median_samples(MedianRequest q) {
  const int32_t channels = q.src.channels;
  const int64_t row = int64_t(q.src.width) * channels, samples = row * q.src.height;
  const int64_t step = int64_t(gridDim.x) * block_threads;
  for (int64_t at = int64_t(blockIdx.x) * block_threads + threadIdx.x; at < samples; at += step) {
    const auto y = int32_t(at / row);
    const int64_t in_row = at % row;
    const auto x = int32_t(in_row / channels), c = int32_t(in_row % channels);
    if (leaves(q, x, y)) {
      q.dst.as<T, Space::device>().at(x, y, c) = T(0);
      continue;
    }
    uint32_t value = 0;
    for (int bit = int(sizeof(T)) * 8 - 1; bit >= 0; --bit) {
      const uint32_t higher = value | uint32_t(1) << bit;
      if (count_below<T>(q, x, y, c, higher) <= uint32_t(q.half)) value = higher;
    }
    store_key<T>(q, x, y, c, int32_t(ordered<T>(int32_t(value))));
  }
}

// A warp a word of 32 pixels.
__global__ void __launch_bounds__(block_threads) median_bits(MedianRequest q) {
  const int32_t words = half_words(q.src.width);
  const int64_t all = int64_t(words) * q.src.height;
  const int lane = threadIdx.x % 32;
  for (int64_t at = int64_t(blockIdx.x) * warps + threadIdx.x / 32; at < all;
       at += int64_t(gridDim.x) * warps) {
    const auto y = int32_t(at / words), word = int32_t(at % words);
    const int64_t x = int64_t(word) * 32 + lane;
    int32_t set = 0;
    if (x < q.src.width && !leaves(q, int32_t(x), y)) {
      for (int32_t j = -q.radius; j <= q.radius; ++j)
        for (int32_t i = -q.radius; i <= q.radius; ++i) set += bit_at(q, int32_t(x) + i, y + j);
    }
    const uint32_t majority = __ballot_sync(0xFFFFFFFFu, set > q.half);
    if (lane == 0) bit_row(q.dst, y)[word] = majority;
  }
}

}  // namespace

void median_cuda::plain(const MedianArgs& args, Call& call) {
  const MedianRequest q = request_of(args);
  if (args.src.type == PixelType::bit) {
    cuda::launch("median", median_bits,
                 linear_blocks(int64_t(half_words(args.src.width)) * 32 * args.src.height),
                 dim3(block_threads), 0, cuda::stream_of(call), q);
    return;
  }
  const int64_t samples = int64_t(args.src.width) * args.src.channels * args.src.height;
  for_type(args.src.type, [&](auto sample) {
    cuda::launch("median", median_samples<decltype(sample)>, linear_blocks(samples),
                 dim3(block_threads), 0, cuda::stream_of(call), q);
  });
}

}  // namespace cuesta
