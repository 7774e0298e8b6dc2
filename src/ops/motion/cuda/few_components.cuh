// Components of masks of few runs, and the masks themselves, to host memory in one launch. Masks
// that were opened have few runs; where one has more, label finds the components of all.
// A block has a mask. It goes through the rows that clean_bits found touched (a warp a row), keeps
// their runs in shared memory, joins those that touch in neighbouring rows by the sets of
// src/cuda/union_find.cuh, adds up what each set covers, and writes the components in raster order
// of their first pixels, straight to page-locked memory. Other blocks meanwhile write masks there.
// Bound: latency, of one block's dependent steps, beside the bus.
#pragma once

#include "cuda/union_find.cuh"
#include "cuesta/objects.hpp"

namespace cuesta::motion_cuda {

inline constexpr int few_threads = 1024;
inline constexpr int most_runs = 2048, most_rows = 4096, most_components = 256;
/// Columns are kept in 16 bits.
inline constexpr int32_t most_columns = 65535;

struct FewComponents {
  int32_t count;  ///< -1: there are more runs or components than there is room for
  int32_t unused[3];
  Component components[most_components];
};

/// The clean masks of a camera in one call.
struct ComponentsJob {
  const uint32_t* bits;
  int64_t step;            // words of 32 from mask to mask
  const uint8_t* touched;  // of each row `across` bytes, not 0 where a tile has set pixels
  int64_t touched_step;
  uint64_t* last;  // where the last mask goes, rows of whole words, or null
  int32_t width, height, row_words, across;
  int32_t count, first;  // masks, and those of the jobs before
};

inline constexpr int most_component_jobs = 28;
/// Blocks that write a mask.
inline constexpr int mask_blocks = 16;
struct ComponentsJobs {
  int32_t count, masks;  // masks of all jobs
  bool eight;
  FewComponents* found;  // of each mask
  ComponentsJob jobs[most_component_jobs];
};
static_assert(sizeof(ComponentsJobs) <= 4000);

namespace few {

struct Shared {
  uint16_t begin[most_runs], end[most_runs], row[most_runs];  // pixels [begin, end] of a row
  uint16_t first_run[most_rows + 1], runs_of[most_rows + 1];  // of each row, one later
  int32_t parents[most_runs];                                 // then, of a root, its component
  uint16_t rows[most_rows];                                   // that are touched
  int32_t row_count, run_count, components;
  struct Set {
    uint32_t first;  // row << 16 | column
    int32_t left, right, bottom, area;
    uint32_t x[2], y[2];  // sums of the lower and upper 16 bits of each run's
  } sets[most_components];
};
static_assert(sizeof(Shared) <= 60 * 1024);

/// Parents in shared memory, for cuda/union_find.cuh. Read by atomics too, as others write them.
struct Parents {
  int32_t* of;
};
__device__ inline int32_t parent_of(Parents parents, int32_t node) {
  return atomicOr(parents.of + node, 0);
}
__device__ inline void set_parent(Parents parents, int32_t node, int32_t parent) {
  atomicMin(parents.of + node, parent);  // parents only fall
}
__device__ inline int32_t link_root(Parents parents, int32_t node, int32_t parent) {
  return atomicCAS(parents.of + node, node, parent);
}

/// Rows with set pixels, in any order.
__device__ inline void find_rows(const ComponentsJob& job, const uint8_t* touched, Shared& s) {
  for (int32_t y = threadIdx.x; y <= job.height; y += few_threads) s.runs_of[y] = 0;
  for (int32_t y = threadIdx.x; y < job.height; y += few_threads) {
    uint32_t any = 0;
    for (int32_t i = 0; i < job.across; ++i) any |= touched[int64_t(y) * job.across + i];
    if (any) s.rows[atomicAdd(&s.row_count, 1)] = uint16_t(y);
  }
}

/// The runs of the touched rows; those of a row stand together.
__device__ inline void find_runs(const ComponentsJob& job, const uint32_t* bits, Shared& s) {
  const int lane = int(threadIdx.x) % 32;
  const int32_t words = (job.width + 31) / 32;
  for (int k = int(threadIdx.x) / 32; k < s.row_count; k += few_threads / 32) {
    // A dense mask is given up after its first rows.
    const int so_far = lane == 0 ? atomicOr(&s.run_count, 0) : 0;
    if (__shfl_sync(~0u, so_far, 0) > most_runs) break;
    const int32_t y = s.rows[k];
    const uint32_t* row = bits + int64_t(y) * job.row_words;
    int count = 0;
    for (int32_t i = lane; i < words; i += 32) {
      const uint32_t v = row[i], before = i > 0 ? row[i - 1] >> 31 : 0;
      count += __popc(v & ~(v << 1 | before));
    }
#pragma unroll
    for (int step = 16; step > 0; step /= 2) count += __shfl_xor_sync(~0u, count, step);
    int at = 0;
    if (lane == 0) at = atomicAdd(&s.run_count, count);
    at = __shfl_sync(~0u, at, 0);
    if (at + count > most_runs) continue;  // run_count says so
    if (lane == 0) {
      s.first_run[y + 1] = uint16_t(at);
      s.runs_of[y + 1] = uint16_t(count);
    }
    int at_end = at;
    for (int32_t first = 0; first < words; first += 32) {
      const int32_t i = first + lane;
      const uint32_t v = i < words ? row[i] : 0;
      const uint32_t before = i > 0 && i < words ? row[i - 1] >> 31 : 0;
      const uint32_t after = i + 1 < words ? row[i + 1] << 31 : 0;
      uint32_t begins = v & ~(v << 1 | before), ends = v & ~(v >> 1 | after);
      int own = __popc(begins) | __popc(ends) << 16, upto = own;
#pragma unroll
      for (int step = 1; step < 32; step *= 2) {
        const int other = __shfl_up_sync(~0u, upto, step);
        if (lane >= step) upto += other;
      }
      const int all = __shfl_sync(~0u, upto, 31);
      int to = at + ((upto - own) & 0xFFFF), to_end = at_end + ((upto - own) >> 16);
      for (; begins; begins &= begins - 1, ++to) {
        s.begin[to] = uint16_t(i * 32 + __ffs(int(begins)) - 1);
        s.row[to] = uint16_t(y);
        s.parents[to] = to;
      }
      for (; ends; ends &= ends - 1, ++to_end)
        s.end[to_end] = uint16_t(i * 32 + __ffs(int(ends)) - 1);
      at += all & 0xFFFF;
      at_end += all >> 16;
    }
  }
}

/// Joins run i with those of the row above that it touches.
__device__ inline void join_above(int i, int reach, Shared& s) {
  const int y = s.row[i], count = s.runs_of[y];  // of row y - 1
  const int begin = int(s.begin[i]) - reach, end = int(s.end[i]) + reach;
  for (int k = s.first_run[y], last = k + count; k < last; ++k)
    if (s.begin[k] <= end && s.end[k] >= begin) cuda::unite(Parents{s.parents}, i, k);
}

__device__ inline void add_up(int i, int component, Shared& s) {
  Shared::Set& set = s.sets[component];
  const uint32_t x = s.begin[i], y = s.row[i], length = s.end[i] - x + 1u;
  const auto sum_x = uint32_t(uint64_t(2 * x + length - 1) * length / 2), sum_y = y * length;
  atomicMin(&set.first, y << 16 | x);
  atomicMin(&set.left, int(x));
  atomicMax(&set.right, int(s.end[i]));
  atomicMax(&set.bottom, int(y));
  atomicAdd(&set.area, int(length));
  atomicAdd(&set.x[0], sum_x & 0xFFFF);
  atomicAdd(&set.x[1], sum_x >> 16);
  atomicAdd(&set.y[0], sum_y & 0xFFFF);
  atomicAdd(&set.y[1], sum_y >> 16);
}

__device__ inline Component component_of(const Shared::Set& set, int32_t label) {
  Component c;
  c.label = label;
  const auto top = int32_t(set.first >> 16);
  c.box = {set.left, top, set.right - set.left + 1, set.bottom - top + 1};
  c.area = set.area;
  c.sum_x = int64_t(set.x[0]) + (int64_t(set.x[1]) << 16);
  c.sum_y = int64_t(set.y[0]) + (int64_t(set.y[1]) << 16);
  return c;
}

__device__ inline void copy_mask(const ComponentsJob& job, int part) {
  if (!job.last) return;
  const int32_t words = (job.width + 63) / 64;
  const auto* from = reinterpret_cast<const uint64_t*>(job.bits + job.step * (job.count - 1));
  const int64_t all = int64_t(words) * job.height;
  for (int64_t i = int64_t(part) * few_threads + threadIdx.x; i < all;
       i += mask_blocks * few_threads) {
    const int64_t y = i / words;
    job.last[i] = from[y * (job.row_words / 2) + i - y * words];
  }
}

}  // namespace few

static __global__ void __launch_bounds__(few_threads)
    few_components(const __grid_constant__ ComponentsJobs q) {
  extern __shared__ uint32_t memory[];
  auto& s = *reinterpret_cast<few::Shared*>(memory);
  if (int32_t(blockIdx.x) >= q.masks) {
    const int32_t block = int32_t(blockIdx.x) - q.masks;
    few::copy_mask(q.jobs[block / mask_blocks], block % mask_blocks);
    return;
  }
  int j = 0;
  while (j + 1 < q.count && int32_t(blockIdx.x) >= q.jobs[j + 1].first) ++j;
  const ComponentsJob& job = q.jobs[j];
  const int32_t t = int32_t(blockIdx.x) - job.first;
  FewComponents& out = q.found[blockIdx.x];
  if (threadIdx.x == 0) s.row_count = s.run_count = s.components = 0;
  __syncthreads();
  few::find_rows(job, job.touched + job.touched_step * t, s);
  __syncthreads();
  few::find_runs(job, job.bits + job.step * t, s);
  if (threadIdx.x < most_components)
    s.sets[threadIdx.x] = {~0u, INT32_MAX, -1, -1, 0, {0, 0}, {0, 0}};
  __syncthreads();
  const int runs = s.run_count;
  if (runs > most_runs) {
    if (threadIdx.x == 0) out.count = -1;
    return;
  }
  for (int i = threadIdx.x; i < runs; i += few_threads) few::join_above(i, q.eight ? 1 : 0, s);
  __syncthreads();
  // Of each run its root, then of each root its component's number below -1.
  int root[most_runs / few_threads];
#pragma unroll
  for (int k = 0; k < most_runs / few_threads; ++k) {
    const int i = int(threadIdx.x) + k * few_threads;
    root[k] = i < runs ? cuda::find(few::Parents{s.parents}, i) : -1;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < most_runs / few_threads; ++k) {
    const int i = int(threadIdx.x) + k * few_threads;
    if (root[k] == i) s.parents[i] = atomicAdd(&s.components, 1);
  }
  __syncthreads();
  const int components = s.components;
  if (components > most_components) {
    if (threadIdx.x == 0) out.count = -1;
    return;
  }
#pragma unroll
  for (int k = 0; k < most_runs / few_threads; ++k) {
    const int i = int(threadIdx.x) + k * few_threads;
    if (root[k] >= 0) few::add_up(i, s.parents[root[k]], s);
  }
  __syncthreads();
  if (threadIdx.x == 0) out.count = components;
  if (int(threadIdx.x) < components) {
    const few::Shared::Set set = s.sets[threadIdx.x];
    int before = 0;
    for (int k = 0; k < components; ++k) before += s.sets[k].first < set.first;
    out.components[before] = few::component_of(set, before + 1);
  }
}

}  // namespace cuesta::motion_cuda
