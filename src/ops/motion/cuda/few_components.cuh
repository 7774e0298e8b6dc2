// Components of masks of few runs, and the masks themselves, to host memory in one launch. Masks
// that were opened have few runs; where one has more, label finds the components of all.
// A block has a mask. clean_bits has counted the runs that begin in each row of each of its tiles:
// a scan over these counts says where every run stands, in raster order, before a word is read.
// Half a warp reads a tile's row that has pixels. A run hangs below the first run of the row above
// that it touches, by plain stores, and parents are replaced by theirs until none changes, so that
// the depth of a set costs its logarithm; what else touches is joined by the sets of
// src/cuda/union_find.cuh. A root is the first run of its set: a scan over roots numbers the
// components. A warp adds up what its runs have of one component, and components are written
// straight to page-locked memory. Other blocks meanwhile write masks there. Bound: latency, of one
// block's dependent steps, beside the bus.
#pragma once

#include "cuda/instructions.cuh"
#include "cuda/sums.cuh"
#include "cuda/union_find.cuh"
#include "cuesta/objects.hpp"
#include "ops/motion/cuda/clean_bits.cuh"

namespace cuesta::motion_cuda {

inline constexpr int few_threads = 1024;
inline constexpr int max_runs = 2048, max_rows = 4096, max_components = 256;
/// Rows of tiles that are listed at once.
inline constexpr int max_units = 2048;
/// Lanes for a row of a tile: its words and one to each side.
inline constexpr int unit_lanes = 16;
/// Columns are kept in 16 bits.
inline constexpr int32_t max_columns = 65535;

struct FewComponents {
  int32_t count;  ///< -1: there are more runs or components than there is room for
  int32_t unused[3];
  Component components[max_components];
};

/// The clean masks of a camera in one call.
struct ComponentsJob {
  const uint32_t* bits;
  int64_t step;         // words of 32 from mask to mask
  const uint8_t* runs;  // of each row `across` bytes, as clean_bits counts them
  int64_t runs_step;    // a multiple of 4, as the address is
  // Where the last mask goes, rows of whole words, or null; which of its rows have set pixels
  // there, or null; whether that is so already.
  uint64_t* last;
  uint8_t* shown;
  bool is_known;
  int32_t width, height, row_words, across;
  int32_t count, first_block;  // masks, and those of the jobs before
};

/// Blocks that write a mask.
inline constexpr int mask_blocks = 16;
struct ComponentsOut {
  int32_t masks;  // of all jobs
  bool eight;
  FewComponents* found;  // of each mask
};
template <int Most = max_jobs>
using ComponentsJobs = Jobs<ComponentsJob, ComponentsOut, Most>;
static_assert(sizeof(ComponentsJobs<>) <= 4000);

namespace few {

constexpr int warps = few_threads / 32, runs_a_thread = max_runs / few_threads;

struct Shared {
  static constexpr int tile_words = unit_lanes - 2;
  uint16_t begin[max_runs], end[max_runs], row[max_runs];  // pixels [begin, end] of a row
  uint16_t first_run[max_rows];                            // of each row
  int32_t parents[max_runs];                               // of a root, in the end, its component
  struct Unit {                                            // a row of a tile that has pixels
    uint16_t row, tile, first_run;
  } units[max_units];
  uint32_t warp_sums[3][warps];
  struct Set {
    int32_t left, right, top, bottom, area;
    int32_t x[2], y[2];  // sums of the lower and upper 16 bits of each run's
  } sets[max_components];
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

/// What clean_bits has counted in a mask, four bytes together, those a thread has.
class Counts {
 public:
  __device__ Counts(const ComponentsJob& job, int32_t t)
      : of_(reinterpret_cast<const uint32_t*>(job.runs + job.runs_step * t)),
        across_(job.across),
        height_(job.height) {
    const auto words = int32_t(job.runs_step / 4), a_thread = (words - 1) / few_threads + 1;
    begin_ = min(int32_t(threadIdx.x) * a_thread, words);
    end_ = min(begin_ + a_thread, words);
  }
  /// Runs; rows of tiles that have pixels.
  __device__ uint2 sum() const {
    uint32_t runs = 0, units = 0;
    for (int32_t i = begin_; i < end_; ++i) {
      const uint32_t four = of_[i];
      runs = __dp4a(four & ~__vcmpeq4(four, only_goes_on * 0x01010101u), 0x01010101u, runs);
      units += unsigned(__popc(__vcmpne4(four, 0) & 0x01010101u));
    }
    return make_uint2(runs, units);
  }
  /// Tells where the runs of each row begin, and lists units [from, from + max_units), where that
  /// many runs and units come before the thread's.
  __device__ void list(uint32_t run, uint32_t unit, uint32_t from, Shared& s) const {
    int32_t y = begin_ * 4 / across_, tile = begin_ * 4 - y * across_;
    for (int32_t i = begin_; i < end_; ++i) {
      for (uint32_t four = of_[i], k = 0; k < 4 && y < height_; ++k, four >>= 8) {
        const uint32_t count = four & 255;
        if (tile == 0) s.first_run[y] = uint16_t(run);
        if (count != 0 && unit++ - from < unsigned(max_units))
          s.units[unit - 1 - from] = {uint16_t(y), uint16_t(tile), uint16_t(run)};
        if (count != only_goes_on) run += count;
        if (++tile == across_) tile = 0, ++y;
      }
    }
  }

 private:
  const uint32_t* of_;
  int32_t across_, height_, begin_, end_;
};

/// The runs that begin in `count` units, and the ends of those that end there.
__device__ inline void find_runs(const ComponentsJob& job, const uint32_t* bits, int count,
                                 Shared& s) {
  static_assert(unit_lanes == Shared::tile_words + 2);
  const int lane = int(threadIdx.x) % unit_lanes, own = int(threadIdx.x) / unit_lanes;
  const int32_t words = (job.width + 31) / 32;
  const auto from_lane = [](uint32_t v, int from) { return __shfl_sync(~0u, v, from, unit_lanes); };
  for (int u = own; u - own % 2 < count; u += few_threads / unit_lanes) {
    const auto unit = s.units[min(u, count - 1)];
    const int32_t i = unit.tile * Shared::tile_words - 1 + lane;
    const uint32_t v = u < count && unsigned(i) < unsigned(words)
                           ? bits[int64_t(unit.row) * job.row_words + i]
                           : 0;
    const uint32_t left = __shfl_up_sync(~0u, v, 1, unit_lanes) >> 31;
    const uint32_t right = __shfl_down_sync(~0u, v, 1, unit_lanes) << 31;
    const bool inside = lane > 0 && lane + 1 < unit_lanes;
    uint32_t begins = inside ? v & ~(v << 1 | left) : 0, ends = inside ? v & ~(v >> 1 | right) : 0;
    const int counts = __popc(begins) | __popc(ends) << 16;
    int upto = counts;
#pragma unroll
    for (int step = 1; step < unit_lanes; step *= 2) {
      const int other = __shfl_up_sync(~0u, upto, step, unit_lanes);
      if (lane >= step) upto += other;
    }
    // A run that continues from the tile before ends here.
    const uint32_t goes_on = from_lane(v, 0) >> 31 & from_lane(v, 1);
    int to = unit.first_run + ((upto - counts) & 0xFFFF);
    int to_end = unit.first_run - int(goes_on & 1) + ((upto - counts) >> 16);
    for (; begins; begins &= begins - 1, ++to) {
      s.begin[to] = uint16_t(i * 32 + __ffs(int(begins)) - 1);
      s.row[to] = unit.row;
    }
    for (; ends; ends &= ends - 1, ++to_end)
      s.end[to_end] = uint16_t(i * 32 + __ffs(int(ends)) - 1);
  }
}

/// Joins runs that touch. A thread has runs_a_thread of them, side by side.
__device__ inline void join_runs(int runs, int reach, Shared& s) {
  const int first = int(threadIdx.x) * runs_a_thread;
  // From one of the row above on, the next one that run i touches; else past the row.
  const auto next_above = [&](int i, int k, int end) {
    while (k < end && int(s.end[k]) + reach < int(s.begin[i])) ++k;
    return k < end && int(s.begin[k]) <= int(s.end[i]) + reach ? k : end;
  };
  int above[runs_a_thread], end[runs_a_thread];
  int32_t parent[runs_a_thread];
#pragma unroll
  for (int k = 0; k < runs_a_thread; ++k) {
    const int i = first + k, y = i < runs ? s.row[i] : 0;
    end[k] = y > 0 ? s.first_run[y] : 0;
    above[k] = y > 0 ? next_above(i, s.first_run[y - 1], end[k]) : 0;
    parent[k] = above[k] < end[k] ? above[k] : i;
    if (i < runs) s.parents[i] = parent[k];
  }
  __syncthreads();
  // All look, then all write: each thread its own runs' parents.
  for (;;) {
    bool changed = false;
    int32_t next[runs_a_thread];
#pragma unroll
    for (int k = 0; k < runs_a_thread; ++k) {
      if (first + k >= runs) break;
      next[k] = s.parents[parent[k]];
      changed |= next[k] != parent[k];
    }
    if (!__syncthreads_or(changed)) break;
#pragma unroll
    for (int k = 0; k < runs_a_thread; ++k) {
      if (first + k >= runs) break;
      s.parents[first + k] = parent[k] = next[k];
    }
    __syncthreads();
  }
#pragma unroll
  for (int k = 0; k < runs_a_thread; ++k) {
    while (above[k] < end[k]) {
      above[k] = next_above(first + k, above[k] + 1, end[k]);
      if (above[k] < end[k]) cuda::unite(Parents{s.parents}, first + k, above[k]);
    }
  }
  __syncthreads();
}

/// What is known of some runs of one component.
struct Part {
  int32_t left, right, bottom, area;
  int32_t x[2], y[2];

  __device__ static Part of(int i, const Shared& s) {
    const uint32_t x = s.begin[i], y = s.row[i], length = s.end[i] - x + 1u;
    const auto sum_x = uint32_t(uint64_t(2 * x + length - 1) * length / 2), sum_y = y * length;
    return {int32_t(x),
            s.end[i],
            int32_t(y),
            int32_t(length),
            {int32_t(sum_x & 0xFFFF), int32_t(sum_x >> 16)},
            {int32_t(sum_y & 0xFFFF), int32_t(sum_y >> 16)}};
  }
  __device__ static Part none() { return {INT32_MAX, -1, -1, 0, {0, 0}, {0, 0}}; }
  /// Of all lanes.
  __device__ Part over_warp() const {
    return {cuda::warp_min(left),
            cuda::warp_max(right),
            cuda::warp_max(bottom),
            cuda::warp_sum(area),
            {cuda::warp_sum(x[0]), cuda::warp_sum(x[1])},
            {cuda::warp_sum(y[0]), cuda::warp_sum(y[1])}};
  }
  __device__ void add_to(Shared::Set& set) const {
    atomicMin(&set.left, left);
    atomicMax(&set.right, right);
    atomicMax(&set.bottom, bottom);
    atomicAdd(&set.area, area);
    atomicAdd(&set.x[0], x[0]);
    atomicAdd(&set.x[1], x[1]);
    atomicAdd(&set.y[0], y[0]);
    atomicAdd(&set.y[1], y[1]);
  }
};

/// Adds run i to a component, -1 for none: what a warp has of one that many of its lanes have,
/// once.
__device__ inline void add_up(int i, int component, Shared& s) {
  constexpr int many = 4;
  const int lane = int(threadIdx.x) % 32;
  const Part own = component >= 0 ? Part::of(i, s) : Part::none();
  unsigned left = __ballot_sync(~0u, component >= 0);
  while (left) {
    const int leader = __ffs(int(left)) - 1;
    const int common = __shfl_sync(~0u, component, leader);
    const unsigned same = __ballot_sync(~0u, component == common);
    if (__popc(same) < many) break;
    const Part all = (component == common ? own : Part::none()).over_warp();
    if (lane == leader) all.add_to(s.sets[common]);
    left &= ~same;
  }
  if (left >> lane & 1) own.add_to(s.sets[component]);
}

__device__ inline Component component_of(const Shared::Set& set, int32_t label) {
  Component c;
  c.label = label;
  c.box = {set.left, set.top, set.right - set.left + 1, set.bottom - set.top + 1};
  c.area = set.area;
  c.sum_x = int64_t(set.x[0]) + (int64_t(set.x[1]) << 16);
  c.sum_y = int64_t(set.y[0]) + (int64_t(set.y[1]) << 16);
  return c;
}

/// Writes the rows of a last mask that have set pixels, or had some there: the bus is slow, and
/// opened masks are mostly empty.
__device__ inline void write_mask(const ComponentsJob& job, int part) {
  if (!job.last) return;
  const int lane = int(threadIdx.x) % 32;
  const int32_t words = (job.width + 63) / 64;
  const auto* from = reinterpret_cast<const uint64_t*>(job.bits + job.step * (job.count - 1));
  for (int32_t y = part * warps + int(threadIdx.x) / 32; y < job.height; y += mask_blocks * warps) {
    const uint64_t* row = from + int64_t(y) * (job.row_words / 2);
    const bool had = !job.is_known || job.shown[y] != 0;
    uint64_t set = 0;
    for (int32_t i = lane; i < words; i += 32) set |= row[i];
    const bool has = __any_sync(~0u, set != 0);
    if (has || had)
      for (int32_t i = lane; i < words; i += 32) job.last[int64_t(y) * words + i] = row[i];
    if (lane == 0 && job.shown) job.shown[y] = has;
  }
}

}  // namespace few

template <int Most>
__global__ void __launch_bounds__(few_threads)
    few_components(const __grid_constant__ ComponentsJobs<Most> q) {
  CUESTA_DYNAMIC_SHARED(uint32_t, memory);
  auto& s = *reinterpret_cast<few::Shared*>(memory);
  cuda::wait_for_before();
  if (int32_t(blockIdx.x) >= q.masks) {
    const int32_t block = int32_t(blockIdx.x) - q.masks;
    few::write_mask(q.jobs[block / mask_blocks], block % mask_blocks);
    return;
  }
  const ComponentsJob& job = q.jobs[job_of(q, int32_t(blockIdx.x))];
  const int32_t t = int32_t(blockIdx.x) - job.first_block;
  FewComponents& out = q.found[blockIdx.x];
  const auto give_up = [&] {
    if (threadIdx.x == 0) out.count = -1;
  };
  const few::Counts counts(job, t);
  const uint2 own = counts.sum();
  const uint2 numbered = cuda::sum_before<few_threads>(own.x, s.warp_sums[0]);
  const uint2 listed = cuda::sum_before<few_threads>(own.y, s.warp_sums[1]);
  if (numbered.y > unsigned(max_runs)) return give_up();
  const int runs = int(numbered.y);
  for (uint32_t from = 0; from < listed.y; from += max_units) {
    counts.list(numbered.x, listed.x, from, s);
    __syncthreads();
    few::find_runs(job, job.bits + job.step * t, int(min(listed.y - from, unsigned(max_units))), s);
    __syncthreads();
  }
  few::join_runs(runs, q.eight ? 1 : 0, s);

  // Of each run its root, and the roots before the thread's.
  constexpr int runs_a_thread = few::runs_a_thread;
  const int first = int(threadIdx.x) * runs_a_thread;
  int root[runs_a_thread];
  uint32_t roots = 0;
#pragma unroll
  for (int k = 0; k < runs_a_thread; ++k) {
    root[k] = first + k < runs ? cuda::find(few::Parents{s.parents}, first + k) : -1;
    roots += root[k] == first + k;
  }
  const uint2 numbered_roots = cuda::sum_before<few_threads>(roots, s.warp_sums[2]);
  const int components = int(numbered_roots.y);
  if (components > max_components) return give_up();
  int component = int(numbered_roots.x);
#pragma unroll
  for (int k = 0; k < runs_a_thread; ++k) {
    if (root[k] != first + k || root[k] < 0) continue;
    s.sets[component] = {INT32_MAX, -1, int32_t(s.row[first + k]), -1, 0, {0, 0}, {0, 0}};
    s.parents[first + k] = component++;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < runs_a_thread; ++k)
    few::add_up(first + k, root[k] >= 0 ? s.parents[root[k]] : -1, s);
  __syncthreads();
  if (threadIdx.x == 0) out.count = components;
  if (int(threadIdx.x) < components)
    out.components[threadIdx.x] = few::component_of(s.sets[threadIdx.x], int(threadIdx.x) + 1);
}

}  // namespace cuesta::motion_cuda
