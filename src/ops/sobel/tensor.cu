// Strategy `tensor`: u8, every aperture, both gradients by int8 tensor cores (m16n8k32, m16n8k16).
//
// 4 × 4 outputs are a row of the product, the samples around them (8 × 8 for apertures 3 and 5, 12
// × 12 for 7) the inner dimension, and the taps, moved to each of the 16 places, the other matrix,
// which stays in registers. The inner dimension is dealt so that lane 4g + t of a warp brings row t
// of four and bytes that lie together: samples enter the product as they lie in memory, and a lane
// gets four neighbours of one row of results. A lane owns 16 columns, eight lanes stand side by
// side, and the warp walks down four rows a step. Sums are exact, of 32 bits.
#include <array>

#include "cuda/lane_rows.cuh"
#include "cuda/row_words.cuh"
#include "ops/sobel/cuda.hpp"
#include "ops/sobel/lane_outputs.cuh"

namespace cuesta {
namespace {

using namespace sobel_cuda;

constexpr int columns = 16, lanes_across = 8, lanes_down = 4;

/// How the windows of an aperture lie in words and groups of four rows. `lead`: rows and columns
/// before a 4 × 4 patch.
template <int K>
struct Windows {
  static constexpr int groups = K == 7 ? 3 : 2, words = groups;
  static constexpr int lead = K == 7 ? 4 : 2;
};

/// The taps as the second matrix: of gx and gy, of the left and right two columns of the patch, of
/// each group of rows and word of columns, what each lane holds.
template <int K>
constexpr auto make_fragments() {
  using W = Windows<K>;
  constexpr auto taps = gradient::taps(K);
  std::array<uint32_t, 2 * 2 * W::groups * W::words * 32> out{};
  size_t at = 0;
  for (int along = 0; along < 2; ++along)
    for (int half = 0; half < 2; ++half)
      for (int group = 0; group < W::groups; ++group)
        for (int word = 0; word < W::words; ++word)
          for (int lane = 0; lane < 32; ++lane, ++at) {
            const int g = lane / 4, t = lane % 4, y = g / 2, x = 2 * half + g % 2;
            for (int e = 0; e < 4; ++e) {
              const int j = 4 * group + t - W::lead - y + K / 2;
              const int i = 4 * word + e - W::lead - x + K / 2;
              if (i < 0 || j < 0 || i >= K || j >= K) continue;
              const int tap = along == 0 ? taps.derivative[i] * taps.smoothing[j]
                                         : taps.smoothing[i] * taps.derivative[j];
              out[at] |= (uint32_t(tap) & 255) << 8 * e;
            }
          }
  return out;
}
template <int K>
__device__ const auto fragments = make_fragments<K>();

__device__ void multiply_add(int32_t (&d)[4], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3,
                             uint32_t b0, uint32_t b1) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},"
      "{%0,%1,%2,%3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
#endif
}
__device__ void multiply_add(int32_t (&d)[4], uint32_t a0, uint32_t a1, uint32_t b0) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a0), "r"(a1), "r"(b0));
#endif
}

template <int K, int Threads, int Warps>
__global__ void __launch_bounds__(Threads, Warps * 32 / Threads)
    sobel_tensor(Request<uint8_t> q, int32_t rows) {
  using Win = Windows<K>;
  using Rows = cuda::LaneRows<uint8_t, columns, K / 2, true>;
  constexpr int groups = Win::groups, samples = Rows::count - (K != 7);
  // Groups of rows under way, and steps until registers have changed places and are back.
  constexpr int ahead = K == 7 ? 1 : 2, turns = groups;
  const int number = threadIdx.x % cuda::warp_lanes, t = number % lanes_down;
  const Rows source(q.samples(), q.mode, q.outside,
                    int32_t(blockIdx.x * Threads + threadIdx.x) / cuda::warp_lanes * lanes_across +
                        number / lanes_down);
  const auto& lane = source.lane;
  uint32_t taps[2][2][groups][Win::words];
#pragma unroll
  for (int i = 0; i < 4 * groups * Win::words; ++i)
    (&taps[0][0][0][0])[i] = fragments<K>[size_t(i * cuda::warp_lanes + number)];

  struct Group {
    uint32_t v[samples];
  };
  for (int64_t strip = blockIdx.y; strip * rows < q.src.height; strip += gridDim.y) {
    const int32_t y0 = int32_t(strip) * rows, end = min(y0 + rows, q.src.height);
    const int32_t first = y0 - Win::lead, past = end + Win::lead + 4;
    const auto walk = [&](auto place) {
      constexpr cuda::Place where = place();
      constexpr bool is_plain = where == cuda::Place::inner;
      typename Rows::Raw raw[ahead];
      Group kept[groups];
      // Rows that no result needs are those at the ends of its groups; they may be any.
      const auto load = [&](typename Rows::Raw& into, int32_t y) {
        source.template load<where>(into, min(y, end + Win::lead + 3));
      };
      const auto take = [&](typename Rows::Raw& from, int32_t y, Group& into) {
        source.template finish<where>(from, y);
#pragma unroll
        for (int i = 0; i < samples; ++i)
          into.v[i] =
              K == 7 ? from.words[i] : __byte_perm(from.words[i], from.words[i + 1], 0x5432);
        if (y - t + 4 * ahead < past) load(from, y + 4 * ahead);
      };
      const auto emit = [&](auto newest, int32_t y) {
        int32_t d[2][2][2][4] = {};  // patches 0, 2 and 1, 3; gradients; halves
#pragma unroll
        for (int group = 0; group < groups; ++group) {
          const uint32_t* v = kept[(newest() + 1 + group) % groups].v;
#pragma unroll
          for (int s = 0; s < 2; ++s)
#pragma unroll
            for (int k = 0; k < 4; ++k) {
              const uint32_t* b = taps[k / 2][k % 2][group];
              multiply_add(d[s][k / 2][k % 2], v[s], v[s + 2], v[s + 1], v[s + 3], b[0], b[1]);
              if constexpr (K == 7) multiply_add(d[s][k / 2][k % 2], v[s + 2], v[s + 4], b[2]);
            }
        }
        if (y - t >= end) return;
        int32_t gx[columns], gy[columns];
#pragma unroll
        for (int i = 0; i < columns; ++i) {
          const int s = i / 4 % 2, half = i % 4 / 2, c = i / 8 * 2 + i % 2;
          gx[i] = d[s][0][half][c], gy[i] = d[s][1][half][c];
        }
        if (y < end)
          write_outputs<uint8_t, K, Wanted::magnitude, true, is_plain>(q, lane, y, gx, gy);
      };
#pragma unroll
      for (int i = 0; i < ahead; ++i) load(raw[i], first + 4 * i + t);
        // Groups that come before the first result's last.
#pragma unroll
      for (int i = 0; i < groups - 1; ++i) take(raw[i % ahead], first + 4 * i + t, kept[i]);
      for (int32_t y = y0; y < end; y += 4 * turns) {
        const auto step = [&](auto i) {
          constexpr int group = i() + groups - 1;
          const int32_t at = y + 4 * i();
          if (at >= end) return;
          take(raw[group % ahead], at + t + 4 * (groups - 1) - Win::lead, kept[group % groups]);
          emit(std::integral_constant<int, group % groups>(), at + t);
        };
        step(std::integral_constant<int, 0>());
        step(std::integral_constant<int, 1>());
        if constexpr (turns == 3) step(std::integral_constant<int, 2>());
      }
    };
    cuda::walk_by_place(source, first >= 0 && end + Win::lead + 4 <= q.src.height, walk);
  }
}

constexpr int block_threads = 64;
/// Warps of a multiprocessor: few, so that a lane has the registers that its rows need. (H200,
/// 2026-11-22, 8192², times of a copy: aperture 5 16 warps 1.69, 20, with 24 bytes of stack, 1.63;
/// aperture 7 12 warps 2.57, 16, with 40 bytes, 2.38.)
template <int K>
constexpr int warps = K == 7 ? 16 : 20;

/// Rows of a strip: many, since groups of four rows around it are read and kept for nothing, but
/// few enough to fill the GPU. (Aperture 5: 24 rows 1.69, 48 1.63, 64 1.70; 7: 24 rows 2.65,
/// 48 2.42, 96 2.38.)
template <int K>
int32_t strip_rows(ConstAnyView picture, int32_t columns_a_block) {
  for (int32_t rows = K == 7 ? 96 : 48; rows > 8; rows /= 2) {
    const dim3 grid = cuda::tiles(picture, columns_a_block, rows);
    if (int64_t(grid.x) * grid.y >= 8 * cuda::multiprocessors()) return rows;
  }
  return 8;
}

template <int K>
void launch(const SobelArgs& args, Call& call) {
  constexpr int across = block_threads / lanes_down * columns;
  const int32_t rows = strip_rows<K>(args.src, across);
  const dim3 grid(cuda::blocks(args.src.width, across),
                  std::min(cuda::blocks(args.src.height, rows), cuda::max_grid_y));
  cuda::launch("sobel", sobel_tensor<K, block_threads, warps<K>>, grid, dim3(block_threads), 0,
               cuda::stream_of(call), request_of<uint8_t>(args), rows);
}

}  // namespace

std::string_view sobel_cuda::tensor_supports(const SobelArgs& args, const Parameters&) {
  using enum PixelType;
  const SobelOutputs& out = args.out;
  if (args.src.type != u8) return "sources but u8";
  if (args.options.aperture == 3) return "aperture 3";
  if (args.src.width < 20) return "pictures narrower than 20";
  if (!out.magnitude || out.gx || out.gy || out.direction ||
      (out.magnitude.type != u8 && (out.magnitude.type != u16 || args.options.norm != Norm::l1)))
    return "outputs but one magnitude, u8 or l1 to u16";
  if (!cuda::has_word_rows(args.src, 16) || !cuda::has_word_rows(out.magnitude, 16))
    return "rows that do not begin at multiples of 16 bytes";
  int device = 0, major = 0;
  cuda::check(cudaGetDevice(&device), "asking which GPU is in use");
  cuda::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
              "asking for the GPU's compute capability");
  return major < 8 ? "GPUs before compute capability 8.0" : std::string_view();
}

void sobel_cuda::tensor(const SobelArgs& args, Call& call) {
  args.options.aperture == 5 ? launch<5>(args, call) : launch<7>(args, call);
}

}  // namespace cuesta
