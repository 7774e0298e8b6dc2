// Strategy `fused`: one pass over memory, all outputs together. u8 with aperture 3 and the common
// outputs walks down columns; everything else makes a few neighbours, of one row or, where samples
// are floats, of one column, from a window in registers.
#include <optional>

#include "cuda/row_words.cuh"
#include "ops/sobel/cuda.hpp"
#include "ops/sobel/outputs.cuh"

namespace cuesta {
namespace {

using namespace sobel_cuda;

// -- u8, aperture 3 -------------------------------------------------------------------------------
//
// A thread owns four columns and walks down. Sums are integers below 2^24, exact in f32, whose
// rate is twice that of integers.
constexpr int block_threads = 128, thread_columns = 4;

/// What a walk writes.
enum class Wanted { magnitude_u8, magnitude_f32, gradients_s16 };

// The low byte or half word of a whole number added to 1.5 · 2^23 is its two's complement.
__device__ uint32_t whole(float value) { return __float_as_uint(value + 12582912.0f); }

template <Wanted W, bool Aligned, int Columns>
__device__ void store_marched(const Request<uint8_t>& q, int32_t x0, int32_t y,
                              const float (&gx)[Columns], const float (&gy)[Columns]) {
  if constexpr (W == Wanted::magnitude_u8) {
    uint32_t bytes[Columns / 4];
#pragma unroll
    for (int i = 0; i < Columns / 4; ++i) {
      uint32_t m[4];
#pragma unroll
      for (int k = 0; k < 4; ++k)
        m[k] = whole(fminf(fabsf(gx[4 * i + k]) + fabsf(gy[4 * i + k]), 255.0f));
      bytes[i] =
          __byte_perm(__byte_perm(m[0], m[1], 0x0040), __byte_perm(m[2], m[3], 0x0040), 0x5410);
    }
    cuda::store_bytes<Aligned, Columns>(q.out.magnitude.as<uint8_t, Space::device>(), x0, y, bytes);
  } else if constexpr (W == Wanted::magnitude_f32) {
    // gx² + gy² <= 2,080,800 is exact; the root is rounded once, as the definition's is.
    float* to = q.out.magnitude.as<float, Space::device>().row(y) + x0;
    float m[Columns];
#pragma unroll
    for (int i = 0; i < Columns; ++i) m[i] = __fsqrt_rn(fmaf(gx[i], gx[i], gy[i] * gy[i]));
    if (Aligned && x0 + Columns <= q.src.width) {
#pragma unroll
      for (int i = 0; i < Columns / 4; ++i)
        reinterpret_cast<float4*>(to)[i] = {m[4 * i], m[4 * i + 1], m[4 * i + 2], m[4 * i + 3]};
      return;
    }
#pragma unroll
    for (int i = 0; i < Columns; ++i)
      if (x0 + i < q.src.width) to[i] = m[i];
  } else {
    const auto store = [&](const AnyView& out, const float(&g)[Columns]) {
      int16_t* to = out.as<int16_t, Space::device>().row(y) + x0;
      if (Aligned && x0 + Columns <= q.src.width) {
#pragma unroll
        for (int i = 0; i < Columns / 2; ++i)
          reinterpret_cast<uint32_t*>(to)[i] =
              __byte_perm(whole(g[2 * i]), whole(g[2 * i + 1]), 0x5410);
        return;
      }
#pragma unroll
      for (int i = 0; i < Columns; ++i)
        if (x0 + i < q.src.width) to[i] = int16_t(whole(g[i]));
    };
    store(q.out.gx, gx);
    store(q.out.gy, gy);
  }
}

// What a thread remembers of the last two rows: differences and smoothed sums across. Even and odd
// rows take turns, so that nothing moves between registers.
template <int Columns>
struct March {
  float differences[2][Columns] = {}, smooth[2][Columns] = {};

  /// Takes row y; gives the gradients of row y − 1.
  template <int Parity>
  __device__ void take(const cuda::RowWords<Columns>& row, float (&gx)[Columns],
                       float (&gy)[Columns]) {
    float v[Columns + 2];
#pragma unroll
    for (int i = 0; i < Columns + 2; ++i) v[i] = row.biased(i - 1);
#pragma unroll
    for (int i = 0; i < Columns; ++i) {
      const float difference = v[i + 2] - v[i], sum = fmaf(2.0f, v[i + 1], v[i] + v[i + 2]);
      gx[i] = fmaf(2.0f, differences[1 - Parity][i], differences[Parity][i] + difference);
      gy[i] = sum - smooth[Parity][i];
      differences[Parity][i] = difference;
      smooth[Parity][i] = sum;
    }
  }
};

template <Wanted W, bool Aligned>
__global__ void __launch_bounds__(block_threads) sobel_march(Request<uint8_t> q, int32_t rows) {
  constexpr int columns = thread_columns;
  March<columns> march;
  float gx[columns], gy[columns];
  const auto take = [&](auto parity, const cuda::RowWords<columns>& row) {
    march.template take<parity()>(row, gx, gy);
  };
  const auto store = [&](int32_t x0, int32_t y) {
    if (q.mode == BorderMode::ignore) {
#pragma unroll
      for (int i = 0; i < columns; ++i)
        if (leaves(q, x0 + i, y, 1)) gx[i] = gy[i] = 0;
    }
    store_marched<W, Aligned, columns>(q, x0, y, gx, gy);
  };
  cuda::march_down<Aligned, 1, block_threads, columns>(q, rows, take, store);
}

/// What a walk can make of the request, if anything.
std::optional<Wanted> marches(const SobelArgs& args) {
  using enum PixelType;
  const SobelOutputs& out = args.out;
  if (args.src.type != u8 || args.options.aperture != 3 || out.direction) return {};
  if (out.gx && out.gy && !out.magnitude && out.gx.type == s16 && out.gy.type == s16)
    return Wanted::gradients_s16;
  if (out.gx || out.gy || !out.magnitude) return {};
  if (out.magnitude.type == u8 && args.options.norm == Norm::l1) return Wanted::magnitude_u8;
  if (out.magnitude.type == f32 && args.options.norm == Norm::l2) return Wanted::magnitude_f32;
  return {};
}

template <Wanted W>
void launch_march(const SobelArgs& args, Call& call) {
  // Four f32 results leave as one vector.
  const bool aligned =
      cuda::has_word_rows(args.src) &&
      cuda::has_word_rows(args.out.magnitude, W == Wanted::magnitude_f32 ? 16 : 4) &&
      cuda::has_word_rows(args.out.gx) && cuda::has_word_rows(args.out.gy);
  const int32_t rows = cuda::rows_to_march(args.src, block_threads * thread_columns, 4);
  cuda::launch("sobel", aligned ? sobel_march<W, true> : sobel_march<W, false>,
               cuda::tiles(args.src, block_threads * thread_columns, rows), dim3(block_threads), 0,
               cuda::stream_of(call), request_of<uint8_t>(args), rows);
}

// -- Everything else ------------------------------------------------------------------------------

constexpr int pixels_per_thread = 4;
constexpr int block_x = 32, block_y = 8;

template <class T, int K>
__global__ void sobel_fused(Request<T> q) {
  constexpr int r = K / 2;
  constexpr auto taps = gradient::taps(K);
  const auto src = q.samples();
  const int x0 = (blockIdx.x * block_x + threadIdx.x) * pixels_per_thread;
  const int y = blockIdx.y * block_y + threadIdx.y;
  if (x0 >= src.width || y >= src.height) return;

  // Column sums of the window of all the thread's pixels: smoothed and derived down the rows.
  int32_t smooth[pixels_per_thread + 2 * r] = {}, derive[pixels_per_thread + 2 * r] = {};
  const bool inside = x0 >= r && x0 + pixels_per_thread + r <= src.width;
#pragma unroll
  for (int j = 0; j < K; ++j) {
    const int sy = map_index(q.mode, y + j - r, src.height);
    const T* row = sy < 0 ? nullptr : src.row(sy);
#pragma unroll
    for (int i = 0; i < pixels_per_thread + 2 * r; ++i) {
      const int sx = inside ? x0 + i - r : map_index(q.mode, x0 + i - r, src.width);
      const int32_t v = !row || sx < 0 ? q.outside : row[sx];
      smooth[i] += v * taps.smoothing[j];
      derive[i] += v * taps.derivative[j];
    }
  }
#pragma unroll
  for (int p = 0; p < pixels_per_thread; ++p) {
    const int x = x0 + p;
    if (x >= src.width) return;
    int32_t gx = 0, gy = 0;
#pragma unroll
    for (int i = 0; i < K; ++i) {
      gx += smooth[p + i] * taps.derivative[i];
      gy += derive[p + i] * taps.smoothing[i];
    }
    if (leaves(q, x, y, r)) gx = gy = 0;
    store(q, x, y, gx, gy);
  }
}

// Four pixels below each other: a warp reads and writes rows, whose floats are vectors already.
template <int K>
__global__ void __launch_bounds__(block_x* block_y) sobel_fused_floats(Request<float> q) {
  constexpr int r = K / 2, high = pixels_per_thread + 2 * r;
  constexpr auto taps = gradient::taps(K);
  const auto src = q.samples();
  const int x = blockIdx.x * block_x + threadIdx.x;
  const int y0 = (blockIdx.y * block_y + threadIdx.y) * pixels_per_thread;
  if (x >= src.width || y0 >= src.height) return;
  const bool inside = x >= r && x + r < src.width && y0 >= r && y0 + high - r <= src.height;
  int rows[high];
#pragma unroll
  for (int j = 0; j < high; ++j)
    rows[j] = inside ? y0 + j - r : map_index(q.mode, y0 + j - r, src.height);
  float gx[pixels_per_thread] = {}, gy[pixels_per_thread] = {};
#pragma unroll
  for (int i = 0; i < K; ++i) {
    const int sx = inside ? x + i - r : map_index(q.mode, x + i - r, src.width);
    float v[high];
#pragma unroll
    for (int j = 0; j < high; ++j) v[j] = (sx | rows[j]) < 0 ? q.outside : src.at(sx, rows[j]);
#pragma unroll
    for (int p = 0; p < pixels_per_thread; ++p) {
      float smooth = 0, derive = 0;
#pragma unroll
      for (int j = 0; j < K; ++j) {
        smooth = add_tap(smooth, taps.smoothing[j], v[p + j]);
        derive = add_tap(derive, taps.derivative[j], v[p + j]);
      }
      gx[p] = add_tap(gx[p], taps.derivative[i], smooth);
      gy[p] = add_tap(gy[p], taps.smoothing[i], derive);
    }
  }
#pragma unroll
  for (int p = 0; p < pixels_per_thread; ++p) {
    if (y0 + p >= src.height) return;
    const bool zero = leaves(q, x, y0 + p, r);
    store(q, x, y0 + p, zero ? 0.0f : gx[p], zero ? 0.0f : gy[p]);
  }
}

}  // namespace

void sobel_cuda::fused(const SobelArgs& args, Call& call) {
  if (const auto wanted = marches(args)) {
    switch (*wanted) {
      case Wanted::magnitude_u8: return launch_march<Wanted::magnitude_u8>(args, call);
      case Wanted::magnitude_f32: return launch_march<Wanted::magnitude_f32>(args, call);
      case Wanted::gradients_s16: return launch_march<Wanted::gradients_s16>(args, call);
    }
  }
  for_type_and_aperture(args, [&](auto sample, auto k) {
    using T = decltype(sample);
    constexpr int aperture = k();
    const dim3 block(block_x, block_y);
    if constexpr (std::is_same_v<T, float>) {
      cuda::launch("sobel", sobel_fused_floats<aperture>,
                   cuda::tiles(args.src, block_x, block_y * pixels_per_thread), block, 0,
                   cuda::stream_of(call), request_of<T>(args));
    } else {
      cuda::launch("sobel", sobel_fused<T, aperture>,
                   cuda::tiles(args.src, block_x * pixels_per_thread, block_y), block, 0,
                   cuda::stream_of(call), request_of<T>(args));
    }
  });
}

}  // namespace cuesta
