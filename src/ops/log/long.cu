// Strategy `long`: windows of any length, in two kernels. The stencil is a sum of two products,
//
//     (g gᵀ) ∗ l = g sᵀ + s gᵀ,   s = g ∗ (1 −2 1),
//
// so both sums go down every column, into a picture, and then both across; the rule follows, for
// zero crossings in a third kernel. The sums down are whole numbers that floats hold, at twice the
// rate of integers; those across too, or else 32-bit integers. Of u8 both sums down are halves of a
// word where they fit.
#include <algorithm>
#include <cstdlib>

#include "cuda/instructions.cuh"
#include "cuda/long_sums.cuh"
#include "ops/log/cuda.hpp"
#include "ops/log/kernels.cuh"

namespace cuesta {
namespace {

using namespace log_cuda;
using namespace cuda::long_sums;

constexpr int strip = 8;  // rows of a lane

/// Bounds of both sums down and of those across, without their signs.
struct Bounds {
  int64_t smooth = 0, bend = 0, across = 0;

  Bounds(const log::Factors& f, int64_t sample) {
    int64_t taps = 0, bends = 0;
    for (int32_t i = 0; i < f.size; ++i) taps += f.smooth[i], bends += std::abs(f.bend[i]);
    smooth = taps * sample, bend = bends * sample;
    across = bends * smooth + taps * bend;
  }
  bool fit_floats() const { return smooth < 1 << 24 && bend < 1 << 24; }
  bool fit_halves() const { return smooth < 1 << 16 && bend < 1 << 15; }
};

/// Both sums down a column, as they are kept.
struct Halves {
  using Kept = uint32_t;
  __device__ static Kept keep(float smooth, float bend) {
    return __byte_perm(uint32_t(int32_t(smooth)), uint32_t(int32_t(bend)), 0x5410);
  }
  template <class Sum>
  __device__ static void get(Kept kept, Sum& smooth, Sum& bend) {
    smooth = Sum(kept & 0xFFFF), bend = Sum(int32_t(kept) >> 16);
  }
};
struct Floats {
  using Kept = float2;
  __device__ static Kept keep(float smooth, float bend) { return make_float2(smooth, bend); }
  template <class Sum>
  __device__ static void get(Kept kept, Sum& smooth, Sum& bend) {
    smooth = Sum(kept.x), bend = Sum(kept.y);
  }
};

template <class Tap>
struct BothTaps {
  Taps<Tap> smooth, bend;
};

template <class T, class Form>
__global__ void __launch_bounds__(32 * warps, 2)
    log_down(const __grid_constant__ LogRequest q,
             ImageView<typename Form::Kept, Space::device> sums,
             const __grid_constant__ BothTaps<float> taps) {
  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
  const int64_t first = (block_row() * warps + warp) * strip;
  if (first >= q.src.height) return;
  const auto y0 = int32_t(first);
  const auto src = q.src.template as<T, Space::device>();
  const int64_t x0 = int64_t(blockIdx.x) * (32 * columns) + lane;
  int64_t at[columns];
#pragma unroll
  for (int c = 0; c < columns; ++c) at[c] = min(x0 + 32 * c, int64_t(src.width) - 1);
  float smooth[strip][columns] = {}, bend[strip][columns] = {};
  float smooth_tap[strip] = {}, bend_tap[strip] = {};  // [i % strip]: the last ones
#pragma unroll 1
  for (int begin = 0; begin < taps.smooth.steps; begin += strip) {
#pragma unroll
    for (int u = 0; u < strip; ++u) {
      smooth_tap[u] = taps.smooth.tap[begin + u], bend_tap[u] = taps.bend.tap[begin + u];
      int32_t y = y0 - q.radius + begin + u;
      if (uint32_t(y) >= uint32_t(src.height)) y = map_index(q.mode, y, src.height);
      const T* const row = src.row(max(y, 0));
      float v[columns];
#pragma unroll
      for (int c = 0; c < columns; ++c) v[c] = y < 0 ? float(q.outside) : float(row[at[c]]);
#pragma unroll
      for (int i = 0; i < strip; ++i) {
        const int tap = (u - i + strip) % strip;
#pragma unroll
        for (int c = 0; c < columns; ++c) {
          smooth[i][c] = __fmaf_rn(smooth_tap[tap], v[c], smooth[i][c]);
          bend[i][c] = __fmaf_rn(bend_tap[tap], v[c], bend[i][c]);
        }
      }
    }
  }
#pragma unroll
  for (int i = 0; i < strip; ++i) {
    if (y0 + i >= src.height) break;
    auto* const to = sums.row(y0 + i);
#pragma unroll
    for (int c = 0; c < columns; ++c)
      if (x0 + 32 * c < src.width) to[x0 + 32 * c] = Form::keep(smooth[i][c], bend[i][c]);
  }
}

__device__ __forceinline__ float multiply_add(float a, float b, float sum) {
  return __fmaf_rn(a, b, sum);
}
__device__ __forceinline__ int32_t multiply_add(int32_t a, int32_t b, int32_t sum) {
  return a * b + sum;
}

/// Stores a response: as it is where `responses` has data, else by the rule.
template <class Sum, class Form>
__global__ void __launch_bounds__(32 * warps)
    log_across(const __grid_constant__ LogRequest q,
               ImageView<const typename Form::Kept, Space::device> sums,
               ImageView<int32_t, Space::device> responses, float2 outside,
               const __grid_constant__ BothTaps<Sum> taps) {
  CUESTA_DYNAMIC_SHARED(__align__(16) uint8_t, memory);
  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
  const int64_t row = block_row() * warps + warp;
  if (row >= sums.height) return;
  const auto y = int32_t(row);
  const int items = row_items(taps.smooth.steps);
  Sum* const smooth = reinterpret_cast<Sum*>(memory) + 2 * warp * items;
  Sum* const bend = smooth + items;
  const int64_t first = int64_t(blockIdx.x) * warp_results;
  for (int i = lane; i < warp_results + taps.smooth.steps; i += 32) {
    // Past what any result needs: there the rows' width may end.
    auto x = int32_t(min(first - q.radius + i, int64_t(sums.width) + q.radius));
    if (uint32_t(x) >= uint32_t(sums.width)) x = map_index(q.mode, x, sums.width);
    if (x < 0)
      smooth[spread(i)] = Sum(outside.x), bend[spread(i)] = Sum(outside.y);
    else
      Form::get(sums.row(y)[x], smooth[spread(i)], bend[spread(i)]);
  }
  __syncwarp();
  Sum sum[lane_results] = {}, s[lane_results + 4], b[lane_results + 4];
  const auto load = [&](int i, int at) {
    load_four(smooth, lane_results * lane + i, s + at);
    load_four(bend, lane_results * lane + i, b + at);
  };
  load(0, 0), load(4, 4);
#pragma unroll 3
  for (int k = 0; k < taps.smooth.steps; k += 4) {
    load(k + 8, 8);
#pragma unroll
    for (int t = 0; t < 4; ++t) {
      const Sum of_bend = taps.smooth.tap[k + t], of_smooth = taps.bend.tap[k + t];
#pragma unroll
      for (int i = 0; i < lane_results; ++i)
        sum[i] = multiply_add(of_smooth, s[i + t], multiply_add(of_bend, b[i + t], sum[i]));
    }
#pragma unroll
    for (int i = 0; i < lane_results; ++i) s[i] = s[i + 4], b[i] = b[i + 4];
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < lane_results; ++i) smooth[spread(lane_results * lane + i)] = sum[i];
  __syncwarp();
  for (int i = lane; i < warp_results; i += 32) {
    const int64_t x = first + i;
    if (x >= sums.width) break;
    const auto response = int32_t(smooth[spread(i)]);
    if (responses.data)
      responses.at(int32_t(x), y) = response;
    else
      q.store(int32_t(x), y, [&](int32_t, int32_t) { return response; });
  }
}

struct Crossings {
  LogRequest q;
  ImageView<const int32_t, Space::device> responses;

  __device__ void operator()(int32_t x, int32_t y) const {
    q.store(x, y, [&](int32_t dx, int32_t dy) { return responses.at(x + dx, y + dy); });
  }
};

template <class T, class Form, class Sum>
void run(const LogArgs& args, const log::Factors& factors, const LogRequest& q, Call& call) {
  const int32_t width = args.src.width, height = args.src.height;
  const auto padded = [&]<class Tap>(Tap, int past, int multiple) {
    const auto taps = [&](const int32_t* from) {
      return Taps<Tap>::padded(std::span(from, size_t(factors.size)), past, multiple);
    };
    return BothTaps<Tap>{taps(factors.smooth), taps(factors.bend)};
  };
  const auto sums = call.scratch().image<typename Form::Kept, Space::device>(width, height);
  cuda::launch("log", log_down<T, Form>,
               grid_of(cuda::blocks(width, 32 * columns), cuda::blocks(height, warps * strip)),
               dim3(32 * warps), 0, cuda::stream_of(call), q, sums,
               padded(float(), strip - 1, strip));
  float2 outside{};
  for (int32_t j = 0; j < factors.size; ++j) {
    outside.x += float(factors.smooth[j]) * float(q.outside);
    outside.y += float(factors.bend[j]) * float(q.outside);
  }
  ImageView<int32_t, Space::device> responses{};
  if (q.crossings) responses = call.scratch().image<int32_t, Space::device>(width, height);
  const auto across = padded(Sum(), 0, 4);
  const size_t shared = size_t(warps) * 2 * size_t(row_items(across.smooth.steps)) * sizeof(Sum);
  cuda::allow_shared(log_across<Sum, Form>, shared, "log");
  cuda::launch("log", log_across<Sum, Form>,
               grid_of(cuda::blocks(width, warp_results), cuda::blocks(height, warps)),
               dim3(32 * warps), shared, cuda::stream_of(call), q, sums, responses, outside,
               across);
  if (q.crossings) cuda::for_each_pixel("log", width, height, Crossings{q, responses}, call);
}

Bounds bounds_of(const LogArgs& args, const log::Factors& factors) {
  return {factors, args.src.type == PixelType::u8 ? 255 : 65535};
}

}  // namespace

std::string_view log_cuda::long_takes(const LogArgs& args, const Parameters&) {
  const log::Window window = log::window(args.options);
  if (window.size < 9) return "Gaussians below 9 x 9";
  const Bounds bounds = bounds_of(args, log::factors(window));
  if (!bounds.fit_floats()) return "sums down a column above 24 bits";
  return bounds.across >= int64_t(1) << 31 ? "responses above 31 bits" : std::string_view();
}

void log_cuda::long_windows(const LogArgs& args, Call& call) {
  const log::Window window = log::window(args.options);
  const log::Factors factors = log::factors(window);
  const LogRequest q = request_of(args, window);
  const Bounds bounds = bounds_of(args, factors);
  const bool floats = bounds.across < 1 << 24;
  if (args.src.type == PixelType::u16)
    return floats ? run<uint16_t, Floats, float>(args, factors, q, call)
                  : run<uint16_t, Floats, int32_t>(args, factors, q, call);
  if (!bounds.fit_halves())
    return floats ? run<uint8_t, Floats, float>(args, factors, q, call)
                  : run<uint8_t, Floats, int32_t>(args, factors, q, call);
  floats ? run<uint8_t, Halves, float>(args, factors, q, call)
         : run<uint8_t, Halves, int32_t>(args, factors, q, call);
}

}  // namespace cuesta
