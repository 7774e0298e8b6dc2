// Steps of u8 and u16 by rectangles, of `fused`, in one pass over memory. A warp marches down a
// strip (cuda/strip.cuh). Across, windows of 3, 7, 15 ... samples are joined of three of the one
// before, then three of the last that overlap; a join of three is one operation. Down, squares of
// 3, 5, 7 and 15 samples do the same before that, with earlier rows in registers. Others go by van
// Herk and Gil-Werman: rows in blocks as high as the rectangle, and a window is the rows of its
// block so far and the last rows of the block before, whose joins from below are in shared memory,
// a thread's columns in its own words; so the height costs nothing but memory. (van Herk, Pattern
// Recognition Letters 13, 1992; Gil and Werman, IEEE PAMI 15, 1993.) Bound by the integer pipe and,
// at twelve warps a multiprocessor, by rows that are still in flight.
#include "cuda/instructions.cuh"
#include "cuda/limits.hpp"
#include "cuda/strip.cuh"
#include "ops/morphology/join.cuh"

namespace cuesta {
namespace {

using namespace morphology_cuda;
using cuda::lane_pixels;
using cuda::Packed;
using cuda::Pairs;

struct Rectangle {
  cuda::StripPictures pictures;
  int32_t before, behind;  // columns of the window left and right of its own
  int32_t above, below;
};

/// Moved by lanes, then by pixels; uniform branches, for windows known at run time.
__device__ Pairs before_by(Pairs v, int distance) {
  if (distance >= lane_pixels) {
#pragma unroll
    for (uint32_t& r : v.r) r = __shfl_up_sync(~0u, r, unsigned(distance / lane_pixels));
  }
  if (distance & 1) v = cuda::before<1>(v);
  if (distance & 2) v = cuda::before<2>(v);
  if (distance & 4) v = cuda::before<4>(v);
  if (distance & 8) v = cuda::before<8>(v);
  return v;
}
__device__ Pairs after_by(Pairs v, int distance) {
  if (distance >= lane_pixels) {
#pragma unroll
    for (uint32_t& r : v.r) r = __shfl_down_sync(~0u, r, unsigned(distance / lane_pixels));
  }
  if (distance & 1) v = cuda::after<1>(v);
  if (distance & 2) v = cuda::after<2>(v);
  if (distance & 4) v = cuda::after<4>(v);
  if (distance & 8) v = cuda::after<8>(v);
  return v;
}

template <class J>
__device__ Pairs across_any(Pairs v, int before, int behind) {
  const int least = min(before, behind);
  int reach = 0;  // of v's windows, to either side
  if (least >= 1) v = J::of(v, cuda::before<1>(v), cuda::after<1>(v)), reach = 1;
  if (least >= 3) v = J::of(v, cuda::before<2>(v), cuda::after<2>(v)), reach = 3;
  if (least >= 7) v = J::of(v, cuda::before<4>(v), cuda::after<4>(v)), reach = 7;
  if (least >= 15) v = J::of(v, cuda::before<8>(v), cuda::after<8>(v)), reach = 15;
  for (; least >= 2 * reach + 1 && reach >= 15; reach = 2 * reach + 1)
    v = J::of(v, before_by(v, reach + 1), after_by(v, reach + 1));
  if (before > reach || behind > reach)
    v = J::of(v, before_by(v, before - reach), after_by(v, behind - reach));
  return v;
}

/// A thread's rows of a block, 16 bytes beside those of the other threads.
template <class T>
struct Ring {
  static constexpr int parts = int(sizeof(T));
  uint4* mine;

  __device__ uint4& part(int row, int p) const { return mine[(row * parts + p) * int(blockDim.x)]; }
  __device__ __forceinline__ Pairs get(int row) const {
    Packed<T> v;
#pragma unroll
    for (int p = 0; p < parts; ++p) {
      const uint4 four = part(row, p);
      v.w[4 * p] = four.x, v.w[4 * p + 1] = four.y, v.w[4 * p + 2] = four.z;
      v.w[4 * p + 3] = four.w;
    }
    return cuda::unfold<T>(v);
  }
  __device__ __forceinline__ void put(int row, const Pairs& pairs) const {
    const Packed<T> v = cuda::fold<T>(pairs);
#pragma unroll
    for (int p = 0; p < parts; ++p)
      part(row, p) = {v.w[4 * p], v.w[4 * p + 1], v.w[4 * p + 2], v.w[4 * p + 3]};
  }
};

template <class J, class T, cuda::Rows Kind>
__device__ __forceinline__ void march_blocks(const Rectangle& q, const cuda::StripMarch& march,
                                             uint4* shared, int32_t (&map)[32 * lane_pixels]) {
  const cuda::StripLane<T, Kind> lane(q.pictures, march, map);
  const int high = q.above + q.below + 1;
  const Ring<T> ring{shared + threadIdx.x};
  for (int i = 0; i < high; ++i) ring.put(i, J::none());
  int32_t y = march.top - q.above;
  typename cuda::StripLane<T, Kind>::Raw row, next;
#pragma unroll 1
  for (int i = 0; i < 2; ++i) row = next, next = lane.load(y + i);
#pragma unroll 1
  while (y < march.end + q.below) {
    Pairs upto = J::none();
#pragma unroll 1
    for (int i = 0; i < high; ++i, ++y) {
      const Pairs v = across_any<J>(cuda::pairs_of<T>(lane.finish(row, y)), q.before, q.behind);
      row = next;
      next = lane.load(y + 2);
      upto = J::of(upto, v);
      const Pairs all = i + 1 < high ? J::of(upto, ring.get(i + 1)) : upto;
      ring.put(i, v);
      const int32_t to = y - q.below;
      lane.store(to >= march.top && to < march.end, to, cuda::packed_of<T>(all));
    }
    Pairs from = J::none();
#pragma unroll 4
    for (int i = high - 1; i > 0; --i) {
      from = J::of(from, ring.get(i));
      ring.put(i, from);
    }
  }
}

template <class J, class T>
__global__ void __launch_bounds__(32) rectangle_march(const __grid_constant__ Rectangle q) {
  CUESTA_DYNAMIC_SHARED(uint4, shared);
  __shared__ int32_t map[32 * lane_pixels];
  const cuda::StripMarch march(q.pictures);
  const cuda::Rows kind = march.rows_of(q.pictures, q.above, q.below + 2, 4 / int(sizeof(T)));
  cuda::by_rows(kind, [&](auto rows) { march_blocks<J, T, rows()>(q, march, shared, map); });
}

template <class T>
void by_blocks(ConstAnyView src, AnyView dst, const Rule& rule, Call& call) {
  Rectangle q{strip_pictures<T>(src, dst, rule), rule.anchor_x, rule.width - 1 - rule.anchor_x,
              rule.anchor_y, rule.height - 1 - rule.anchor_y};
  // Marches a multiprocessor. (H200, 2026-11-22, 15 × 13 at 8192²: 0.200 ms with 8, 0.140 with 16,
  // 0.120 with 20.)
  constexpr int marches = 32;
  q.pictures.set_strips(std::max(q.before, q.behind));
  q.pictures.rows =
      cuda::rows_of_marches(q.pictures.strips, src.height, rule.height - 1, marches, rule.height);
  const auto kernel =
      rule.dilate ? rectangle_march<Extreme<true>, T> : rectangle_march<Extreme<false>, T>;
  const size_t shared = rectangle_ring_bytes(src.type, rule.height);
  cuda::allow_shared(kernel, shared + rectangle_map_bytes, "morphology");
  cuda::launch("morphology", kernel, dim3(cuda::strip_marches(q.pictures)), dim3(32), shared,
               cuda::stream_of(call), q);
}

// -- Squares whose rows stay in registers ---------------------------------------------------------

template <class J, class T, int Reach>
struct SquareStep {
  static constexpr int reach = Reach, round = round_rows;
  // H200, 2026-11-22, 15 × 15 of u8 at 8192²: 2, 4 and 6 rows in flight 0.058, 0.057 and 0.054 ms.
  static constexpr int min_marches = sizeof(T) == 1 ? 12 : 8,
                       ahead = sizeof(T) == 1 && Reach == 7 ? 6 : 4;
  // Down first: rows as they come are unfolded by half the work that makes pairs of them. Long
  // lines are folded: unfolded, a multiprocessor has room for 8 marches of 15 × 15, not 12.
  template <int Length>
  using Kept = std::conditional_t<(Length > 4), Folded<T, Length>, Line<Pairs, Length>>;
  Down<J, Kept, Reach> down;
  __device__ __forceinline__ Packed<T> push(const Packed<T>& in) {
    const Pairs window = cuda::pairs_of<T>(down.push(cuda::unfold<T>(in)));
    return cuda::packed_of<T>(across<J, Reach>(window));
  }
};

template <class T, int Reach>
struct SquareOf {
  template <class J>
  using Step = SquareStep<J, T, Reach>;
};

template <class T>
void launch(ConstAnyView src, AnyView dst, const Rule& rule, Call& call) {
  // Marches a multiprocessor: of 15 × 15 as many as it has room for, one wave. (H200, 2026-11-22,
  // u8 at 8192²: 98 rows, one wave, 0.054 ms; 90 rows 0.066, 50 rows 0.058.)
  constexpr int marches = 24, tall_marches = 12;
  if (rule.width == rule.height) {
    switch (rule.width) {
      case 3: return launch_step<SquareOf<T, 1>::template Step, T>(src, dst, rule, marches, call);
      case 5: return launch_step<SquareOf<T, 2>::template Step, T>(src, dst, rule, marches, call);
      case 7: return launch_step<SquareOf<T, 3>::template Step, T>(src, dst, rule, marches, call);
      case 15:
        return launch_step<SquareOf<T, 7>::template Step, T>(src, dst, rule, tall_marches, call);
    }
  }
  by_blocks<T>(src, dst, rule, call);
}

}  // namespace

size_t morphology_cuda::rectangle_ring_bytes(PixelType type, int height) {
  return size_t(height) * 32 * sizeof(uint4) * size_t(bytes_per_sample(type));
}

void morphology_cuda::step_by_rectangle(ConstAnyView src, AnyView dst, const Rule& rule,
                                        Call& call) {
  if (src.type == PixelType::u8) return launch<uint8_t>(src, dst, rule, call);
  launch<uint16_t>(src, dst, rule, call);
}

}  // namespace cuesta
