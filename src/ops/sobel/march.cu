// Strategy `march`: u8 and u16, every aperture, one pass down columns.
//
// The taps of an aperture of k are products of (1, 1) and (1, −1): the derivative k − 2 times the
// first and once the second, the smoothing k − 1 times the first. So both gradients come from one
// picture B, (1, 1) applied k − 2 times across and as often down: gx is the difference across of
// the sum down of two neighbours of B, gy the other way round, and a pixel costs 2k additions
// whatever its window. They run in f32, whose rate is twice that of integers, where every sum stays
// below 2^24 and so is exact; u16 with aperture 7 in integers.
#include "cuda/lane_rows.cuh"
#include "cuda/row_words.cuh"
#include "cuda/wave_rows.cuh"
#include "ops/sobel/cuda.hpp"
#include "ops/sobel/lane_outputs.cuh"

namespace cuesta {
namespace {

using namespace sobel_cuda;

constexpr int columns = 8;

/// Sums of what is exact in f32 are f32.
template <class T, int K>
using Sums = std::conditional_t<sizeof(T) == 2 && K == 7, int32_t, float>;

/// What a lane keeps of the rows before. B stands between the pixels, so it has a column more.
template <class T, int K>
struct Kept {
  using S = Sums<T, K>;
  static constexpr int steps = K - 2, r = K / 2;
  static constexpr int side = (r * int(sizeof(T)) + 3) / 4;  // words
  /// Bytes come as 2^15 + byte, and stay so while sums fit.
  static constexpr bool once = sizeof(T) == 1 && K == 7;
  S down[2][steps][columns + 1] = {}, across[2][columns] = {}, sum[2][columns] = {};

  static __device__ S sample(const uint32_t* words, int i) {
    if constexpr (sizeof(T) == 1) {
      const int at = 4 * side + i;
      return __uint_as_float(__byte_perm(words[at / 4], 0x47000000u, 0x7404 + (at % 4 << 4)));
    } else {
      const int at = 2 * side + i;
      const uint32_t word = words[at / 2];
      if constexpr (std::is_same_v<S, float>)
        return __uint_as_float(__byte_perm(word, 0x4B000000u, at % 2 ? 0x7632 : 0x7610)) -
               8388608.0f;
      else
        return int32_t(at % 2 ? word >> 16 : word & 0xFFFF);
    }
  }

  template <int Parity, class Reload>
  __device__ void take(const uint32_t* words, S (&gx)[columns], S (&gy)[columns], Reload&& reload) {
    S b[columns + 2 * r];
#pragma unroll
    for (int i = 0; i < columns + 2 * r; ++i) b[i] = sample(words, i - r);
    reload();
#pragma unroll
    for (int step = 0; step < steps; ++step)
#pragma unroll
      for (int i = 0; i < columns + 2 * r - 1 - step; ++i) b[i] += b[i + 1];
    if constexpr (once) {
#pragma unroll
      for (int i = 0; i <= columns; ++i) b[i] -= S(32768 << steps);
    }
#pragma unroll
    for (int step = 0; step < steps; ++step)
#pragma unroll
      for (int i = 0; i <= columns; ++i) {
        const S below = b[i];
        b[i] += down[1 - Parity][step][i];
        down[Parity][step][i] = below;
      }
#pragma unroll
    for (int i = 0; i < columns; ++i) {
      const S d = b[i + 1] - b[i], s = b[i + 1] + b[i];
      gx[i] = across[1 - Parity][i] + d;
      gy[i] = s - sum[1 - Parity][i];
      across[Parity][i] = d;
      sum[Parity][i] = s;
    }
  }
};

constexpr int block_threads = 64;
/// Warps of a multiprocessor: few, so that a lane has the registers that its rows need.
template <int K, Wanted W>
constexpr int warps = K == 7 || (K == 5 && W == Wanted::any) ? 12 : 16;
constexpr int rows_ahead = 2;

template <class T, int K, Wanted W, bool Aligned>
__global__ void __launch_bounds__(block_threads, warps<K, W> * 32 / block_threads)
    sobel_march(SobelRequest<T> q, int32_t rows) {
  constexpr int r = K / 2;
  using S = Sums<T, K>;
  using Rows = cuda::LaneRows<T, columns, r, Aligned>;
  const Rows source(q.samples(), q.mode, q.outside, cuda::lane_number<Aligned>());
  const auto& lane = source.lane;
  for (int64_t strip = blockIdx.y; strip * rows < q.src.height; strip += gridDim.y) {
    const int32_t y0 = int32_t(strip) * rows, end = min(y0 + rows, q.src.height);
    Kept<T, K> kept;
    cuda::march_down<rows_ahead, r>(
        source, y0, end,
        [&](auto plain, auto parity, const uint32_t* words, int32_t y, auto&& reload) {
          constexpr bool is_plain = plain();
          S gx[columns], gy[columns];
          kept.template take<parity()>(words, gx, gy, reload);
          if (y < y0 || y >= end) return;
          write_outputs<OutputWay<T, K, Aligned, is_plain>, W>(q, lane, y, gx, gy);
        });
  }
}

template <class T, int K, Wanted W>
void launch(const SobelArgs& args, Call& call) {
  bool aligned = cuda::has_word_rows(args.src, 16);
  for (const ConstAnyView out : {args.out.gx, args.out.gy, args.out.magnitude, args.out.direction})
    aligned = aligned && cuda::has_word_rows(out, 16);
  const int32_t rows =
      cuda::rows_in_waves(args.src, block_threads * columns, warps<K, W> * 32 / block_threads, 4);
  const dim3 grid(cuda::lane_blocks(aligned, args.src.width, columns, block_threads),
                  std::min(cuda::blocks(args.src.height, rows), cuda::max_grid_y));
  cuda::launch("sobel", aligned ? sobel_march<T, K, W, true> : sobel_march<T, K, W, false>, grid,
               dim3(block_threads), 0, cuda::stream_of(call), request_of<T>(args), rows);
}

}  // namespace

std::string_view sobel_cuda::march_supports(const SobelArgs& args, const Parameters&) {
  using enum PixelType;
  if (args.src.type == f32) return "f32 sources";
  if (args.src.width < 12) return "pictures narrower than 12";
  return {};
}

void sobel_cuda::march(const SobelArgs& args, Call& call) {
  const SobelOutputs& out = args.out;
  const bool magnitude_alone =
      out.magnitude && out.magnitude.type != PixelType::f32 && !out.gx && !out.gy;
  for_type_and_aperture(args, [&](auto sample, auto k) {
    using T = decltype(sample);
    if constexpr (!std::is_same_v<T, float>) {
      if (out.direction || has_wide_roots(args)) return launch<T, k(), Wanted::any>(args, call);
      magnitude_alone ? launch<T, k(), Wanted::magnitude>(args, call)
                      : launch<T, k(), Wanted::gradients>(args, call);
    }
  });
}

}  // namespace cuesta
