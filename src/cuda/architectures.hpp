// Which GPUs this build has code for.
#pragma once

#include <algorithm>
#include <span>

namespace cuesta::cuda {

/// Compute capabilities as 10 · major + minor, rising: what the kernels were compiled for.
std::span<const int> built_architectures();

/// That of this thread's GPU as 10 · major + minor; 0 where there is none.
int compute_capability();

/// Machine code runs on its own major version from its minor version on. GPUs newer than all of
/// `built` may run by compilation at load time, so they are let through; a launch tells.
constexpr bool can_run(std::span<const int> built, int major, int minor) {
  const int wanted = 10 * major + minor;
  return std::any_of(built.begin(), built.end(),
                     [&](int have) { return have / 10 == major && have <= wanted; }) ||
         (!built.empty() && wanted > *std::max_element(built.begin(), built.end()));
}

}  // namespace cuesta::cuda
