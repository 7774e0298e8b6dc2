// A summary of a histogram of magnitudes: a copy of 65,536 bins to the host and Otsu's chain of
// divisions there take several times as long as all of Canny's kernels. Blocks take chunks of bins:
// their sums, then running sums and bounds of each bin's variance (ops/shared/otsu.hpp), then the
// bins that a rule asks for. If only one bin's bounds reach the largest lower bound, it is Otsu's.
#include <cuda_runtime.h>

#include <algorithm>
#include <bit>

#include "cuda/launch.cuh"
#include "ops/canny/cuda/summary.hpp"
#include "ops/shared/otsu.hpp"

namespace cuesta::canny_cuda {
namespace {

constexpr int chunk = 1024;  // bins, a thread each
constexpr int max_chunks = (canny_bins + chunk - 1) / chunk;
constexpr uint32_t nowhere = 0x7fffffff;

/// Of a histogram, in device memory.
struct Room {
  unsigned long long counts[max_chunks];
  double sums[max_chunks];   // of the values of pixels
  unsigned long long least;  // the largest lower bound of a variance, its bits
  uint32_t middle, candidate, candidates;
};

struct Job {
  const uint32_t* bins;
  int32_t n;
  bool of_floats;
  double share;
  Room* room;
  unsigned long long* below;  // pixels in a bin and all before it
  double*
      most;  // a variance's upper bound, negated where the bin may be passed over; 0 where it is
  DeviceSummary* to;

  __device__ double value(int32_t bin) const {
    return of_floats ? double(__uint_as_float(uint32_t(bin) << 15)) : double(bin);
  }
  __device__ uint32_t count(int32_t bin) const { return bin < n ? bins[bin] : 0; }
};

/// The sum of what the threads of a block up to this one have; `all` has every thread's.
template <class T>
__device__ T running_sum(T own, T (&of_warps)[32], T& all) {
  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
  for (int by = 1; by < 32; by *= 2) {
    const T before = __shfl_up_sync(~0u, own, by);
    if (lane >= by) own += before;
  }
  if (lane == 31) of_warps[warp] = own;
  __syncthreads();
  T before = 0;
  all = 0;
  for (int i = 0; i < chunk / 32; ++i) {
    if (i == warp) before = all;
    all += of_warps[i];
  }
  __syncthreads();
  return before + own;
}

__global__ void __launch_bounds__(chunk) sum_chunks(Job job) {
  __shared__ unsigned long long of_counts[32];
  __shared__ double of_sums[32];
  const int32_t bin = int32_t(blockIdx.x) * chunk + int32_t(threadIdx.x);
  const uint32_t count = job.count(bin);
  unsigned long long counts;
  double sums;
  running_sum(static_cast<unsigned long long>(count), of_counts, counts);
  running_sum(count ? job.value(bin) * count : 0.0, of_sums, sums);
  if (threadIdx.x != 0) return;
  job.room->counts[blockIdx.x] = counts;
  job.room->sums[blockIdx.x] = sums;
  if (blockIdx.x == 0) {
    job.room->least = 0;
    job.room->middle = job.room->candidate = nowhere;
    job.room->candidates = 0;
  }
}

__global__ void __launch_bounds__(chunk) bound_variances(Job job) {
  __shared__ unsigned long long of_counts[32];
  __shared__ double of_sums[32];
  const int32_t bin = int32_t(blockIdx.x) * chunk + int32_t(threadIdx.x);
  unsigned long long before = 0, all = 0;
  double sum_before = 0, sum = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) {
    if (i == blockIdx.x) before = all, sum_before = sum;
    all += job.room->counts[i];
    sum += job.room->sums[i];
  }
  const uint32_t count = job.count(bin), zeros = job.count(0);
  unsigned long long unused;
  double unused_sum;
  const unsigned long long below =
      before + running_sum(static_cast<unsigned long long>(count), of_counts, unused);
  const double sum_below =
      sum_before + running_sum(count ? job.value(bin) * count : 0.0, of_sums, unused_sum);
  if (bin >= job.n) return;
  job.below[bin] = below;
  OtsuRange range{-1, -1};
  if (count && below > zeros && below < all)
    range = otsu_range(double(below - zeros), sum_below, double(all - zeros), sum, bin + 1,
                       job.of_floats ? job.n : 0);
  job.most[bin] = range.most < 0 ? 0 : range.least < 0 ? -range.most : range.most;
  if (range.least > 0) atomicMax(&job.room->least, std::bit_cast<unsigned long long>(range.least));
}

__global__ void __launch_bounds__(chunk) find_bins(Job job) {
  const int32_t bin = int32_t(blockIdx.x) * chunk + int32_t(threadIdx.x);
  if (bin >= job.n) return;
  const auto least = std::bit_cast<double>(job.room->least);
  const double most = job.most[bin];
  if (least > 0 && fabs(most) >= least) {
    atomicAdd(&job.room->candidates, most < 0 ? 2u : 1u);
    atomicMin(&job.room->candidate, uint32_t(bin));
  }
  const unsigned long long all = job.below[job.n - 1], below = job.below[bin], zeros = job.count(0),
                           count = job.count(bin), before = below - count;
  if (count && double(before) + double(count) / 2 >= double(all) / 2)
    atomicMin(&job.room->middle, uint32_t(bin));
  // The first bin where something holds that holds from there on, or the last bin.
  const auto mark = [&](int32_t& at, auto&& holds) {
    const bool first = holds(below) && (bin == 0 || !holds(before));
    if (first || (bin == job.n - 1 && !holds(below))) at = bin;
  };
  MagnitudeSummary& known = job.to->known;
  mark(known.share, [&](unsigned long long n) { return double(n) >= job.share * double(all); });
  mark(known.half_nonzero, [&](unsigned long long n) {
    return double(n < zeros ? 0 : n - zeros) >= 0.5 * double(all - zeros);
  });
  mark(known.few_above, [&](unsigned long long n) { return (all - n) * 1000 < all; });
}

__global__ void finish(Job job) {
  MagnitudeSummary& known = job.to->known;
  known.all = job.below[job.n - 1];
  known.zeros = job.count(0);
  known.otsu = int32_t(job.room->candidate);
  job.to->otsu_candidates = job.room->candidates;
  const uint32_t middle = job.room->middle;
  known.middle = 0, known.before_middle = -1;
  known.middle_begin = known.middle_count = known.before_count = 0;
  if (middle == nowhere) return;
  known.middle = int32_t(middle);
  known.middle_count = job.count(known.middle);
  known.middle_begin = job.below[middle] - known.middle_count;
  if (known.middle_begin == 0) return;
  known.before_middle = known.middle - 1;
  while (job.count(known.before_middle) == 0) --known.before_middle;
  known.before_count = job.count(known.before_middle);
}

}  // namespace

size_t summary_room(int32_t n) {
  return sizeof(Room) + size_t(n) * (sizeof(unsigned long long) + sizeof(double));
}

void summarise(const CannyOptions& options, PixelType type, const uint32_t* bins, int32_t n,
               DeviceSummary* summary, void* room, Call& call) {
  auto* const below = reinterpret_cast<unsigned long long*>(static_cast<Room*>(room) + 1);
  const bool of_floats = type == PixelType::f32;
  const Job job{bins,
                of_floats ? std::min(n, canny_float_bins) : n,
                of_floats,
                canny_share(options),
                static_cast<Room*>(room),
                below,
                reinterpret_cast<double*>(below + n),
                summary};
  const dim3 grid(cuda::blocks(job.n, chunk));
  const cudaStream_t stream = cuda::stream_of(call);
  for (const auto kernel : {sum_chunks, bound_variances, find_bins})
    cuda::launch("canny", kernel, grid, dim3(chunk), 0, stream, job);
  cuda::launch("canny", finish, dim3(1), dim3(1), 0, stream, job);
}

}  // namespace cuesta::canny_cuda
