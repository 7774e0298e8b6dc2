// Erosion, dilation, opening and closing of bits by an octagon (octagon.hpp), of `fused`: the steps
// of one call in one pass over memory. A warp walks down 32 words side by side. A step makes of
// each row the square's window, across by two joins of three and down by two more; then the rhombus
// as two or four points at a time, each the same shape at half the distance: 20 operations a word
// for disk:15, where rows of six widths take 35. What earlier rows left stays in registers, in
// lines as long as the step looks back. Pixels move one way only, so that a word needs one
// neighbour: results lie as many pixels to the right as steps reach, and are moved back when they
// are written. Bound by the integer pipe; rows above a walk are made again for it, twice the reach
// a step.
#include "cuda/strip.cuh"
#include "ops/morphology/octagon.hpp"
#include "ops/morphology/step.cuh"

namespace cuesta {
namespace {

using namespace morphology_cuda;

/// The last Length rows.
template <int Length>
struct Line {
  uint32_t v[Length] = {};
  __device__ __forceinline__ void push(uint32_t row) {
#pragma unroll
    for (int i = 0; i + 1 < Length; ++i) v[i] = v[i + 1];
    v[Length - 1] = row;
  }
  /// The row pushed n − 1 before the last.
  __device__ __forceinline__ uint32_t back(int n) const { return v[Length - n]; }
};

template <bool Dilate>
struct Join {
  static __device__ __forceinline__ uint32_t of(uint32_t a, uint32_t b) {
    return Dilate ? a | b : a & b;
  }
  static __device__ __forceinline__ uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    return Dilate ? a | b | c : a & b & c;
  }
};

/// The word to the right.
__device__ __forceinline__ uint32_t next(uint32_t v) { return __shfl_down_sync(~0u, v, 1); }
/// Pixel x is v's pixel x + K.
template <int K>
__device__ __forceinline__ uint32_t moved(uint32_t v, uint32_t next_word) {
  return __funnelshift_r(v, next_word, K);
}

/// Joins with itself moved by K to all four sides: of the row K above the newest; pixel x is the
/// result's x + K + Extra.
template <bool Dilate, int K, int Extra>
struct FourPoints {
  Line<2 * K> rows;
  __device__ __forceinline__ uint32_t push(uint32_t v) {
    using J = Join<Dilate>;
    const uint32_t ends = J::of(v, rows.back(2 * K)), middle = rows.back(K);
    const uint32_t next_ends = next(ends), next_middle = next(middle);
    rows.push(v);
    return J::of(moved<Extra>(middle, next_middle), moved<2 * K + Extra>(middle, next_middle),
                 moved<K + Extra>(ends, next_ends));
  }
};

/// One step: push() takes row after row and gives the result of the row `reach` above, whose pixel
/// x is its word's x − reach.
template <bool Dilate, int Square, int Rhombus>
class OctagonStep {
 public:
  static constexpr int reach = Square + Rhombus + 1;

  __device__ __forceinline__ uint32_t push(uint32_t v) {
    using J = Join<Dilate>;
    static_assert(Square == 2 || Square == 3);
    const uint32_t after = next(v);
    const uint32_t octagon = rhombus(square(v, after));
    // The tips at the sides, above and below.
    const uint32_t centre = moved<reach>(v, after);
    const uint32_t out = J::of(octagon_, tips_.back(reach), centre);
    tips_.push(J::of(v, moved<2 * reach>(v, after), centres_.back(reach)));
    centres_.push(centre);
    octagon_ = octagon;
    return out;
  }

 private:
  __device__ __forceinline__ uint32_t square(uint32_t v, uint32_t after) {
    using J = Join<Dilate>;
    constexpr int extra = Rhombus == 0 ? 1 : 0;
    const uint32_t three = J::of(v, moved<1>(v, after), moved<2>(v, after)), right = next(three);
    uint32_t across = J::of(moved<extra>(three, right), moved<2 + extra>(three, right));
    if constexpr (Square == 3) across = J::of(across, moved<4 + extra>(three, right));
    const uint32_t down = J::of(across, across_.back(1), across_.back(2));
    across_.push(across);
    uint32_t all = J::of(down, down_.back(2));
    if constexpr (Square == 3) all = J::of(all, down_.back(2 * Square - 2));
    down_.push(down);
    return all;
  }
  __device__ __forceinline__ uint32_t rhombus(uint32_t v) {
    if constexpr (Rhombus >= 1) v = one_.push(v);
    if constexpr (Rhombus >= 2) v = two_.push(v);
    return v;
  }

  Line<2> across_;
  Line<2 * Square - 2> down_;
  FourPoints<Dilate, 1, Rhombus == 1 ? 1 : 0> one_;
  FourPoints<Dilate, Rhombus == 3 ? 2 : 1, 1> two_;
  uint32_t octagon_ = 0;
  Line<reach> centres_, tips_;
};

/// No branch: a branch a row would end what the compiler can overlap.
__device__ __forceinline__ void store_if(bool on, uint32_t* to, uint32_t v) {
  asm volatile(
      "{ .reg .pred on; setp.ne.s32 on, %0, 0; @on st.global.b32 [%1], %2; }" ::"r"(int(on)),
      "l"(to), "r"(v));
}

struct Walk {
  ConstAnyView src;
  AnyView dst;
  int32_t src_stride, dst_stride;  // bytes: a row's address is then one operation
  int32_t words, strips, rows;     // of 32 pixels a row; of warps side by side; of a warp
  uint32_t outside[2];             // what lies around the source of each step
};

/// Rows that a walk loads ahead, and makes in a round: no line is longer, so none moves in a round.
constexpr int ahead = 8;
constexpr int strip_words = 30;  // the first and the last word are there for their neighbours

/// Inner: all that the walk reads lies in the picture.
template <class First, class Second, int Steps, bool Inner>
__device__ __forceinline__ void walk(const Walk& q, int32_t word, int32_t top) {
  constexpr int reach = First::reach, all = Steps * reach;
  const int32_t width = q.src.width, height = q.src.height, end = min(top + q.rows, height);
  const int64_t pixel = int64_t(word) * 32;
  const uint32_t own = bit_range<uint32_t>(-pixel, width - pixel);
  const uint32_t own_between = bit_range<uint32_t>(-pixel - reach, width - pixel - reach);
  const bool there = word >= 0 && word < q.words;
  const int lane = threadIdx.x;
  const int32_t writes = lane > 0 && lane <= strip_words && there ? end - top : 0;
  const char* from = static_cast<const char*>(q.src.data) + int64_t(word) * 4;
  char* to = static_cast<char*>(q.dst.data) + int64_t(word) * 4;
  const auto load = [&](int32_t y) {
    const auto* at = reinterpret_cast<const uint32_t*>(from + int64_t(y) * q.src_stride);
    if constexpr (Inner) return __ldg(at);
    uint32_t v = q.outside[0];
    if (there && uint32_t(y) < uint32_t(height)) v = (__ldg(at) & own) | (q.outside[0] & ~own);
    return v;
  };
  First first;
  Second second;
  uint32_t coming[ahead];
#pragma unroll
  for (int i = 0; i < ahead; ++i) coming[i] = load(top - all + i);
#pragma unroll 1
  for (int32_t y = top - all; y < end + all; y += ahead) {
    uint32_t rows[ahead];
#pragma unroll
    for (int i = 0; i < ahead; ++i) rows[i] = coming[i];
#pragma unroll
    for (int i = 0; i < ahead; ++i) coming[i] = load(y + ahead + i);
#pragma unroll
    for (int i = 0; i < ahead; ++i) {
      uint32_t v = first.push(rows[i]);
      if constexpr (Steps == 2) {
        if constexpr (!Inner)
          v = uint32_t(y + i - reach) < uint32_t(height)
                  ? (v & own_between) | (q.outside[1] & ~own_between)
                  : q.outside[1];
        v = second.push(v);
      }
      v = __funnelshift_l(__shfl_up_sync(~0u, v, 1), v, all);
      store_if(uint32_t(y + i - all - top) < uint32_t(writes),
               reinterpret_cast<uint32_t*>(to + int64_t(y + i - all) * q.dst_stride),
               Inner ? v : v & own);
    }
  }
}

// A block is a warp: the compiler then knows that all of it walks the same way.
template <class First, class Second, int Steps>
__global__ void __launch_bounds__(32) walk_down(const __grid_constant__ Walk q) {
  constexpr int all = Steps * First::reach;
  const auto strip = int32_t(blockIdx.x % unsigned(q.strips));
  const auto top = int32_t(int64_t(blockIdx.x / unsigned(q.strips)) * q.rows);
  const int32_t left = strip * strip_words - 1;
  const bool inner = left >= 0 && int64_t(left + 33) * 32 <= q.src.width && top >= all &&
                     int64_t(top) + q.rows + all + ahead <= q.src.height;
  if (inner)
    walk<First, Second, Steps, true>(q, left + int32_t(threadIdx.x), top);
  else
    walk<First, Second, Steps, false>(q, left + int32_t(threadIdx.x), top);
}

uint32_t outside_word(const Rule& rule) {
  return (rule.neutral ? !rule.dilate : rule.outside != 0) ? ~0u : 0;
}

/// Walks a multiprocessor, of one step and of two: more are shorter and make more rows twice.
/// (H200, 2026-11-22, 8192²: one step 0.040 ms with 8, 0.030 with 12, 0.025 with 20; close + open
/// 0.054 ms with 8, 0.050 with 12 and with 16; 4096²: 0.025 with 8 and 12, 0.032 with 16.)
constexpr int walks[] = {20, 12};

template <int Square, int Rhombus>
void launch(ConstAnyView src, AnyView dst, const Rule& first, const Rule* second, Call& call) {
  using Dilation = OctagonStep<true, Square, Rhombus>;
  using Erosion = OctagonStep<false, Square, Rhombus>;
  Walk q{src, dst, int32_t(src.stride_bytes), int32_t(dst.stride_bytes), half_words(src.width)};
  q.strips = (q.words - 1) / strip_words + 1;
  q.outside[0] = outside_word(first);
  q.outside[1] = second ? outside_word(*second) : 0;
  q.rows = cuda::rows_of_walks(q.strips, src.height, (second ? 4 : 2) * Dilation::reach,
                               walks[second ? 1 : 0], ahead);
  const auto kernel =
      second ? first.dilate ? walk_down<Dilation, Erosion, 2> : walk_down<Erosion, Dilation, 2>
      : first.dilate ? walk_down<Dilation, Dilation, 1>
                     : walk_down<Erosion, Erosion, 1>;
  cuda::launch("morphology", kernel, dim3(unsigned(q.strips) * cuda::blocks(src.height, q.rows)),
               dim3(32), 0, cuda::stream_of(call), q);
}

}  // namespace

void morphology_cuda::bits_by_octagon(ConstAnyView src, AnyView dst, const morph::Octagon& octagon,
                                      const Rule& first, const Rule* second, Call& call) {
  switch (octagon.square * 4 + octagon.rhombus) {
    case 2 * 4 + 0: return launch<2, 0>(src, dst, first, second, call);
    case 2 * 4 + 1: return launch<2, 1>(src, dst, first, second, call);
    case 3 * 4 + 1: return launch<3, 1>(src, dst, first, second, call);
    case 3 * 4 + 2: return launch<3, 2>(src, dst, first, second, call);
    default: return launch<3, 3>(src, dst, first, second, call);
  }
}

}  // namespace cuesta
