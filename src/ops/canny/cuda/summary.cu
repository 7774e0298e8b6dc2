// A summary of a histogram of magnitudes, and the limits that follow from it, for the kernels
// behind to read: a copy of the bins to the host, a choice there and a launch behind them take as
// long as all of Canny's kernels. First the sums of all bins before each, then what the rules ask
// of each bin. A block takes a picture's few bins in one launch; many bins are taken in three, a
// block for each group of them (otsu.hpp).
#include <cuda_runtime.h>

#include "cuda/overlap.cuh"
#include "cuda/sums.cuh"
#include "ops/canny/cuda/summary.hpp"
#include "ops/canny/otsu.hpp"

namespace cuesta::canny_cuda {
namespace {

using Count = unsigned long long;
using canny_otsu::group_bins;
using canny_otsu::Sums;
constexpr int32_t nowhere = 0x7fffffff;

/// The largest of Otsu's variances that were offered, and the first bin that has it.
struct Best {
  double variance;
  int32_t bin;

  __device__ void offer(const Best& other) {
    if (other.variance > variance || (other.variance == variance && other.bin < bin)) *this = other;
  }
};

/// A bin, and what all bins are together.
struct Bin {
  int32_t number;
  Count count, below;  // pixels in it; in it and all before
  Count all, zeros;    // in all, in bin 0

  __device__ Count before() const { return below - count; }
  __device__ bool may_be_middle() const {
    return count && double(before()) + double(count) / 2 >= double(all) / 2;
  }
  /// The first bin where something holds that holds from there on, or the last bin.
  __device__ void mark(const ThresholdRule& rule, MagnitudeSummary& known) const {
    const auto mark = [&](int32_t& at, auto&& holds) {
      const bool first = holds(below) && (number == 0 || !holds(before()));
      if (first || (number == rule.bins - 1 && !holds(below))) at = number;
    };
    mark(known.share, [&](Count n) { return double(n) >= rule.share * double(all); });
    mark(known.half_nonzero,
         [&](Count n) { return double(n < zeros ? 0 : n - zeros) >= 0.5 * double(all - zeros); });
    mark(known.few_above, [&](Count n) { return (all - n) * 1000 < all; });
  }
  /// Otsu's variance; `values` is the sum up to the bin and of all.
  __device__ Best otsu(Count values, Count all_values) const {
    if (number == 0 || count == 0) return {};
    return {canny_otsu::variance({below - zeros, values}, {all - zeros, all_values}), number};
  }
};

/// `known` of a picture is complete: the limits.
__device__ inline void write(const ThresholdRule& rule, const MagnitudeSummary& known,
                             const SummariesTo& to) {
  const FoundLimits limits =
      canny_rules::limits_for(rule, canny_rules::thresholds_from(rule, known));
  *to.limits = limits;
  to.host.post({known, limits});
}

// ---- what a block's threads have together

/// The best that a warp's lanes have, on all of them.
__device__ inline Best best_of_warp(Best best) {
#pragma unroll
  for (int by = 16; by > 0; by /= 2)
    best.offer({__shfl_xor_sync(~0u, best.variance, by), __shfl_xor_sync(~0u, best.bin, by)});
  return best;
}

/// Of a block of `Threads` threads, all of which call each function.
template <int Threads>
struct Block {
  static constexpr int warps = Threads / 32;
  Count sums[warps];
  Best bests[warps];

  /// The sum of what the threads up to this one have; `all` has every thread's.
  __device__ Count running_sum(Count own, Count& all) {
    const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
      const Count before = __shfl_up_sync(~0u, own, by);
      if (lane >= by) own += before;
    }
    if (lane == 31) sums[warp] = own;
    __syncthreads();
    Count before = 0;
    all = 0;
    for (int i = 0; i < warps; ++i) {
      if (i == warp) before = all;
      all += sums[i];
    }
    __syncthreads();
    return before + own;
  }
  __device__ Count sum(Count own) {
    Count all;
    running_sum(own, all);
    return all;
  }
  /// On the first thread.
  __device__ Best best(Best own) {
    own = best_of_warp(own);
    if (threadIdx.x % 32 == 0) bests[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x == 0)
      for (int i = 1; i < warps; ++i) own.offer(bests[i]);
    return own;
  }
};

// ---- few bins

constexpr int few_threads = 1024;

struct Shared {
  Block<few_threads> block;
  MagnitudeSummary known;
  int32_t middle, before_middle;
  Count zeros;
};

/// A thread's `Bins` bins of a picture's, which count whole numbers. Every phase is called by the
/// whole block, in the kernel's order.
template <int Bins>
struct FewBins {
  const ThresholdRule& rule;
  const uint32_t* bins;
  Shared& shared;
  int32_t first = int32_t(threadIdx.x) * Bins;
  uint32_t counts[Bins] = {};
  Count before = 0, values_before = 0, all = 0, all_values = 0;

  __device__ __forceinline__ void add_up() {
    Count own = 0, own_values = 0;
#pragma unroll
    for (int i = 0; i < Bins; ++i) {
      counts[i] = first + i < rule.bins ? bins[first + i] : 0;
      own += counts[i];
      own_values += Count(counts[i]) * Count(first + i);
    }
    if (threadIdx.x == 0) {
      shared.known = {};
      shared.middle = nowhere, shared.before_middle = -1;
      shared.zeros = counts[0];
    }
    before = shared.block.running_sum(own, all) - own;
    values_before = shared.block.running_sum(own_values, all_values) - own_values;
  }
  /// body(bin, values up to it).
  template <class Body>
  __device__ __forceinline__ void each(Body&& body) const {
    Count below = before, values = values_before;
#pragma unroll
    for (int i = 0; i < Bins; ++i) {
      below += counts[i];
      values += Count(counts[i]) * Count(first + i);
      if (first + i < rule.bins) body(Bin{first + i, counts[i], below, all, shared.zeros}, values);
    }
  }
  /// Otsu's bin, on the first thread; the marks, and the middle.
  __device__ __forceinline__ int32_t find() const {
    Best best = {};
    int32_t middle = nowhere;
    each([&](const Bin& bin, Count values) {
      best.offer(bin.otsu(values, all_values));
      if (middle == nowhere && bin.may_be_middle()) middle = bin.number;
      bin.mark(rule, shared.known);
    });
    middle = cuda::warp_min(middle);
    if (threadIdx.x % 32 == 0) atomicMin(&shared.middle, middle);
    return shared.block.best(best).bin;  // and a barrier
  }
  __device__ __forceinline__ void look_around_the_middle() const {
    int32_t before_middle = -1;
    each([&](const Bin& bin, Count) {
      if (bin.count && bin.number < shared.middle) before_middle = bin.number;
      if (bin.number != shared.middle) return;
      shared.known.middle_begin = bin.before();
      shared.known.middle_count = bin.count;
    });
    before_middle = cuda::warp_max(before_middle);
    if (threadIdx.x % 32 == 0) atomicMax(&shared.before_middle, before_middle);
    __syncthreads();
  }
  __device__ __forceinline__ MagnitudeSummary summary(int32_t otsu) const {
    MagnitudeSummary known = shared.known;
    known.all = all;
    known.zeros = shared.zeros;
    known.otsu = otsu;
    known.middle = 0, known.before_middle = -1;
    if (shared.middle == nowhere) return known;
    known.middle = shared.middle;
    known.before_middle = shared.before_middle;
    if (known.before_middle >= 0) known.before_count = bins[known.before_middle];
    return known;
  }
};

/// blockIdx.x is the picture.
template <int Bins>
__global__ void __launch_bounds__(few_threads)
    summarise_few(const __grid_constant__ ThresholdRule rule, const uint32_t* histograms,
                  SummariesTo to) {
  __shared__ Shared shared;
  cuda::wait_for_before();
  FewBins<Bins> own{rule, histograms + ptrdiff_t(rule.bins) * blockIdx.x, shared};
  own.add_up();
  const int32_t otsu = own.find();
  own.look_around_the_middle();
  if (threadIdx.x == 0) write(rule, own.summary(otsu), to + int32_t(blockIdx.x));
}

// ---- many bins

constexpr int max_groups = canny_bins / group_bins;

/// Of a histogram, in device memory.
struct Room {
  Count counts[max_groups], values[max_groups];  // sums of groups, in each one's unit
  Count below[max_groups];                       // pixels in it and all before it
  Best best[max_groups];
  int32_t middle[max_groups];
  MagnitudeSummary known;
};

struct Job {
  ThresholdRule rule;
  const uint32_t* bins;
  Room* room;
  SummariesTo to;

  __device__ Count count(int32_t bin) const { return bin < rule.bins ? bins[bin] : 0; }
  __device__ Count values(int32_t bin) const {
    return count(bin) * canny_otsu::value_in_group(rule.of_floats, bin);
  }
};

__global__ void __launch_bounds__(group_bins) sum_groups(const __grid_constant__ Job job) {
  __shared__ Block<group_bins> block;
  cuda::wait_for_before();
  const int32_t bin = int32_t(blockIdx.x) * group_bins + int32_t(threadIdx.x);
  const Count counts = block.sum(job.count(bin)), values = block.sum(job.values(bin));
  if (threadIdx.x != 0) return;
  job.room->counts[blockIdx.x] = counts;
  job.room->values[blockIdx.x] = values;
}

/// A block takes a group, a thread a bin; first a thread a group of all.
__global__ void __launch_bounds__(group_bins) measure_groups(const __grid_constant__ Job job) {
  static_assert(max_groups <= group_bins);
  __shared__ Block<group_bins> block;
  __shared__ int32_t last, middle;
  cuda::wait_for_before();
  const auto group = int32_t(blockIdx.x), thread = int32_t(threadIdx.x);
  const bool is_group = thread < int32_t(gridDim.x);
  const Count zeros = job.count(0);
  // Bin 0 counts for no class.
  Count in_group = is_group ? job.room->counts[thread] : 0;
  if (thread == 0) last = middle = 0;
  __syncthreads();
  if (in_group > (thread == 0 ? zeros : 0)) atomicMax(&last, thread);
  __syncthreads();
  const bool of_floats = job.rule.of_floats;
  const Count in_values =
      is_group ? canny_otsu::in_common_unit(of_floats, job.room->values[thread], thread, last) : 0;
  const Count all = block.sum(in_group), all_values = block.sum(in_values);
  const Count before = block.sum(thread < group ? in_group : 0);
  const Count values_before = block.sum(thread < group ? in_values : 0);

  const int32_t number = group * group_bins + thread;
  Count unused;
  const Count count = job.count(number);
  const Count below = before + block.running_sum(count, unused);
  const Count values =
      values_before + canny_otsu::in_common_unit(
                          of_floats, block.running_sum(job.values(number), unused), group, last);
  const Bin bin{number, count, below, all, zeros};
  const bool inside = number < job.rule.bins;
  if (thread == 0) middle = nowhere;
  __syncthreads();
  if (inside && bin.may_be_middle()) atomicMin(&middle, number);
  if (inside) bin.mark(job.rule, job.room->known);
  const Best best = block.best(inside ? bin.otsu(values, all_values) : Best{});
  if (thread == group_bins - 1) job.room->below[group] = below;
  if (thread != 0) return;
  job.room->best[group] = best;
  job.room->middle[group] = middle;
}

__global__ void __launch_bounds__(group_bins)
    finish(const __grid_constant__ Job job, int32_t groups) {
  __shared__ Block<group_bins> block;
  __shared__ int32_t middle;
  cuda::wait_for_before();
  const auto thread = int32_t(threadIdx.x);
  if (thread == 0) middle = nowhere;
  __syncthreads();
  if (thread < groups) atomicMin(&middle, job.room->middle[thread]);
  const Best best = block.best(thread < groups ? job.room->best[thread] : Best{});
  if (thread != 0) return;
  MagnitudeSummary known = job.room->known;
  known.all = job.room->below[groups - 1];
  known.zeros = job.count(0);
  known.otsu = best.bin;
  known.middle = 0, known.before_middle = -1;
  known.middle_begin = known.middle_count = known.before_count = 0;
  if (middle != nowhere) {
    known.middle = middle;
    known.middle_count = job.count(middle);
    known.middle_begin = middle >= group_bins ? job.room->below[middle / group_bins - 1] : 0;
    for (int32_t bin = middle / group_bins * group_bins; bin < middle; ++bin)
      known.middle_begin += job.count(bin);
  }
  if (known.middle_begin > 0) {
    known.before_middle = middle - 1;
    while (job.count(known.before_middle) == 0) --known.before_middle;
    known.before_count = job.count(known.before_middle);
  }
  write(job.rule, known, job.to);
}

}  // namespace

size_t summary_room() { return sizeof(Room); }

void summarise(const ThresholdRule& rule, const uint32_t* histograms, int32_t bins,
               int32_t pictures, const SummariesTo& to, void* room, Call& call) {
  const cudaStream_t stream = cuda::stream_of(call);
  const auto few = [&](auto kernel) {
    cuda::launch_overlapped("canny", kernel, dim3(unsigned(pictures)), dim3(few_threads), 0, stream,
                            rule, histograms, to);
  };
  if (bins <= 2 * few_threads) return few(summarise_few<2>);
  if (bins <= 4 * few_threads) return few(summarise_few<4>);
  const unsigned groups = cuda::blocks(rule.bins, group_bins);
  for (int32_t i = 0; i < pictures; ++i) {
    const Job job{rule, histograms + ptrdiff_t(bins) * i, static_cast<Room*>(room), to + i};
    for (const auto kernel : {sum_groups, measure_groups})
      cuda::launch_overlapped("canny", kernel, dim3(groups), dim3(group_bins), 0, stream, job);
    cuda::launch_overlapped("canny", finish, dim3(1), dim3(group_bins), 0, stream, job,
                            int32_t(groups));
  }
}

}  // namespace cuesta::canny_cuda
