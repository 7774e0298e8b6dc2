// Least and greatest of a lane's pixels, for the marches down strips.
#pragma once

#include "cuda/strip.cuh"
#include "ops/morphology/step.cuh"

namespace cuesta::morphology_cuda {

template <bool Dilate>
struct Extreme {
  static __device__ __forceinline__ uint32_t of(uint32_t a, uint32_t b) {
    return Dilate ? __vmaxu2(a, b) : __vminu2(a, b);
  }
  static __device__ __forceinline__ uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    return Dilate ? __vimax3_u16x2(a, b, c) : __vimin3_u16x2(a, b, c);
  }
  template <class... More>
  static __device__ __forceinline__ cuda::Pairs of(const cuda::Pairs& a, const More&... more) {
    cuda::Pairs out;
#pragma unroll
    for (int j = 0; j < cuda::lane_pairs; ++j) out.r[j] = of(a.r[j], more.r[j]...);
    return out;
  }
  /// What never wins.
  static __device__ __forceinline__ cuda::Pairs none() {
    cuda::Pairs out;
#pragma unroll
    for (uint32_t& r : out.r) r = Dilate ? 0 : ~0u;
    return out;
  }
};

/// The pictures of a step, without strips.
template <class T>
cuda::StripPictures strip_pictures(ConstAnyView src, AnyView dst, const Rule& rule) {
  const Outside<T> outside = outside_of<T>(rule);
  const int right = rule.width - 1 - rule.anchor_x, below = rule.height - 1 - rule.anchor_y;
  cuda::StripPictures q{.src = src,
                        .dst = dst,
                        .mode = outside.mode,
                        .outside = outside.value,
                        .x_begin = rule.anchor_x,
                        .x_end = src.width - right,
                        .y_begin = rule.anchor_y,
                        .y_end = src.height - below};
  return q;
}

/// Three rows or fewer, as far apart as the window has them: a window of 2 Reach + 1 from one of
/// half that or less.
template <int Reach>
struct LastStep {
  // Of three windows the middle one is needed where the others leave a gap.
  static constexpr int from = Reach >= 5 ? 3 : Reach >= 2 ? 1 : 0, distance = Reach - from;
  static constexpr bool three = 2 * distance > 2 * from + 1;
};

/// Windows across of 2 Reach + 1 pixels, Reach 1 to 7.
template <class J, int Reach>
__device__ __forceinline__ cuda::Pairs across(cuda::Pairs v) {
  using Last = LastStep<Reach>;
  if constexpr (Last::from > 0) v = across<J, Last::from>(v);
  if constexpr (Last::three)
    return J::of(v, cuda::before<Last::distance>(v), cuda::after<Last::distance>(v));
  else
    return J::of(cuda::before<Last::distance>(v), cuda::after<Last::distance>(v));
}

/// The last Length rows: of Packed<T>, folded, or of Pairs, which are twice the registers of u8 but
/// need no work.
template <class Row, int Length>
struct Line {
  Row v[Length] = {};
  __device__ __forceinline__ void push(const Row& row) {
#pragma unroll
    for (int i = 0; i + 1 < Length; ++i) v[i] = v[i + 1];
    v[Length - 1] = row;
  }
  /// The row pushed n − 1 before the last.
  __device__ __forceinline__ const Row& back(int n) const { return v[Length - n]; }
};
template <class T, int Length>
struct Folded {
  Line<cuda::Packed<T>, Length> line;
  __device__ __forceinline__ void push(const cuda::Pairs& row) { line.push(cuda::fold<T>(row)); }
  __device__ __forceinline__ void push(const cuda::Packed<T>& row) { line.push(row); }
  __device__ __forceinline__ cuda::Pairs back(int n) const { return cuda::unfold<T>(line.back(n)); }
};

/// Windows down of 2 Reach + 1 rows: push() gives that of the row Reach above. Kept is what keeps
/// rows.
template <class J, template <int> class Kept, int Reach>
struct Down {
  using Last = LastStep<Reach>;
  Down<J, Kept, Last::from> before;
  Kept<2 * Last::distance> rows;
  __device__ __forceinline__ cuda::Pairs push(cuda::Pairs v) {
    v = before.push(v);
    cuda::Pairs out;
    if constexpr (Last::three)
      out = J::of(v, rows.back(Last::distance), rows.back(2 * Last::distance));
    else
      out = J::of(v, rows.back(2 * Last::distance));
    rows.push(v);
    return out;
  }
};
template <class J, template <int> class Kept>
struct Down<J, Kept, 0> {
  __device__ __forceinline__ cuda::Pairs push(const cuda::Pairs& v) { return v; }
};

/// Rows of a round (cuda::march_down): no Line here is longer.
inline constexpr int round_rows = 8;

/// One step in marches down strips; Step takes Extreme<dilate>.
template <template <class J> class Step, class T>
void launch_step(ConstAnyView src, AnyView dst, const Rule& rule, int marches, Call& call) {
  const cuda::StripPictures q = strip_pictures<T>(src, dst, rule);
  const auto launch = rule.dilate ? cuda::launch_strip_marches<Step<Extreme<true>>, T>
                                  : cuda::launch_strip_marches<Step<Extreme<false>>, T>;
  launch("morphology", q, marches, cuda::stream_of(call));
}

}  // namespace cuesta::morphology_cuda
