// The cameras of a launch: arguments of the kernel, so that nothing is sent before it.
#pragma once

#include <cstdint>

namespace cuesta::motion_cuda {

/// Cameras of a launch: a kernel's arguments end at 4 KiB.
inline constexpr int max_jobs = 28;

/// `Common` holds what all share. A launch of one camera, whose frame waits for it, carries one
/// job: every KiB of arguments costs the host and the GPU time.
template <class Job, class Common, int Most = max_jobs>
struct Jobs : Common {
  int32_t count = 0;
  Job jobs[Most];

  Jobs<Job, Common, 1> first() const {
    Jobs<Job, Common, 1> one{*this, count, {jobs[0]}};
    return one;
  }
  static_assert(Most > 1 || sizeof(Job) < 200);
};

/// Which of the jobs a block is of: job.first_block blocks are of those before.
template <class Jobs>
__device__ __forceinline__ int job_of(const Jobs& q, int32_t block) {
  int j = 0;
  while (j + 1 < q.count && block >= q.jobs[j + 1].first_block) ++j;
  return j;
}

}  // namespace cuesta::motion_cuda
