// Strategy `tiles`, the seams: open sets that touch across the rims of tiles become one.
#pragma once

#include "cuda/sums.cuh"
#include "ops/label/cuda/tiles.cuh"

namespace cuesta::label_cuda {

inline constexpr int seam_threads = 256;

/// A thread has a pixel of a rim. Pairs that follow from the pixel before are left out, and of
/// equal pairs of a warp all but one.
template <bool Eight>
__global__ void __launch_bounds__(seam_threads) join_seams(Tiles t) {
  cuda::let_next_begin();
  cuda::wait_for_before();
  const uint32_t n = blockIdx.x * uint32_t(seam_threads) + threadIdx.x;
  const auto width = uint32_t(t.width), height = uint32_t(t.height);
  const uint32_t below = uint32_t(t.down - 1) * width;
  const uint32_t beside = uint32_t(t.across - 1) * height;
  uint64_t pair = 0;
  if (n < below + beside) {
    const bool is_row = n < below;
    const uint32_t m = is_row ? n : n - below, length = is_row ? width : height;
    const int32_t* const one = (is_row ? t.last_rows : t.last_columns) + m;
    const int32_t* const other = (is_row ? t.first_rows : t.first_columns) + m + length;
    const bool first = m % length == 0;
    const int32_t a = *one, b = *other;
    const int32_t a_before = first ? 0 : one[-1], b_before = first ? 0 : other[-1];
    const auto join = [&](int32_t with_a, int32_t with_b) {
      pair = uint64_t(uint32_t(with_a)) << 32 | uint32_t(with_b);
    };
    if (a && b) {
      if (a != a_before || b != b_before) join(a, b);
    } else if (Eight) {
      if (b && a_before && !b_before) join(a_before, b);
      if (a && b_before && !a_before) join(a, b_before);
    }
  }
  if (__ballot_sync(~0u, pair != 0) == 0) return;
  const unsigned same = __match_any_sync(~0u, pair);
  if (pair == 0 || int(threadIdx.x) % 32 != lowest_bit(same)) return;
  cuda::unite_at_once(t.parents, cuda::parent_of(t.parents, open_set(0, int32_t(pair >> 32) - 1)),
                      cuda::parent_of(t.parents, open_set(0, int32_t(uint32_t(pair)) - 1)));
}

/// What is added to a set.
struct Gathered {
  int32_t root = -1;
  int64_t area, x, y;
  int32_t left, right, bottom;

  __device__ void take(int32_t of, const Sums& sums) {
    root = of;
    area = sums.area, x = sums.x, y = sums.y;
    left = sums.left, right = sums.right, bottom = sums.bottom;
  }
  __device__ void join(int64_t more_area, int64_t more_x, int64_t more_y, int32_t other_left,
                       int32_t other_right, int32_t other_bottom) {
    area += more_area, x += more_x, y += more_y;
    left = min(left, other_left), right = max(right, other_right);
    bottom = max(bottom, other_bottom);
  }
  __device__ void add_to(Sums* sums) const {
    Sums& of = sums[root];
    cuda::add(of.area, area);
    cuda::add(of.x, x);
    cuda::add(of.y, y);
    atomicMin(&of.left, left);
    atomicMax(&of.right, right);
    atomicMax(&of.bottom, bottom);
  }
};

/// Open sets are added to their roots, whose first pixels are first ones of the picture. Where a
/// mask is one large component, most have one root: a thread keeps what it has for a root until
/// another comes, and a warp adds up what its lanes have for one.
static __global__ void __launch_bounds__(set_threads) merge_open_sets(Tiles t) {
  cuda::let_next_begin();
  cuda::wait_for_before();
  const int32_t count = t.counts->open_sets;
  Gathered held;
  for (int32_t k = int32_t(blockIdx.x * set_threads + threadIdx.x); k < count;
       k += int32_t(gridDim.x * set_threads)) {
    const int32_t first_pixel = t.open_sums[k].first_pixel;
    const int32_t root = index_of(cuda::flatten(t.parents, open_set(first_pixel, k)));
    if (root == k) {
      const int32_t y = first_pixel / t.width, x = first_pixel - y * t.width;
      atomicOr(&t.roots[t.at(x / word_pixels, y)], 1u << x % word_pixels);
      continue;
    }
    const Sums own = t.open_sums[k];
    if (root == held.root) {
      held.join(own.area, own.x, own.y, own.left, own.right, own.bottom);
    } else {
      if (held.root >= 0) held.add_to(t.open_sums);
      held.take(root, own);
    }
  }
  const unsigned some = __ballot_sync(~0u, held.root >= 0);
  if (some == 0) return;
  const int leader = lowest_bit(some);
  const int32_t common = __shfl_sync(~0u, held.root, leader);
  const bool joins = held.root == common;
  if (!joins && held.root >= 0) held.add_to(t.open_sums);
  if (!joins) {
    held.area = held.x = held.y = 0;
    held.left = INT32_MAX, held.right = held.bottom = 0;
  }
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    held.join(__shfl_xor_sync(~0u, held.area, step), __shfl_xor_sync(~0u, held.x, step),
              __shfl_xor_sync(~0u, held.y, step), __shfl_xor_sync(~0u, held.left, step),
              __shfl_xor_sync(~0u, held.right, step), __shfl_xor_sync(~0u, held.bottom, step));
  }
  if (int(threadIdx.x) % 32 == leader) held.add_to(t.open_sums);
}

}  // namespace cuesta::label_cuda
