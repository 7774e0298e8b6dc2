// Launches that begin while the one before them on the stream ends (programmatic dependent
// launches, from sm_90 on; before that, one after the other).
#pragma once

#include "cuda/instructions.cuh"
#include "cuda/launch.cuh"

namespace cuesta::cuda {

/// From here on blocks of the next launch_overlapped() may take places that are free, once all
/// blocks of this launch have come here.
__device__ inline void let_next_begin() { launch_dependents(); }
/// In a kernel launched by launch_overlapped(): what the launches before have written is read after
/// this.
__device__ inline void wait_for_before() { wait_for_dependencies(); }

/// launch() of a kernel that calls wait_for_before(), on every path and before it writes.
template <class... Parameters, class... Arguments>
void launch_overlapped(std::string_view operation, void (*kernel)(Parameters...), dim3 grid,
                       dim3 block, size_t shared, cudaStream_t stream, Arguments&&... arguments) {
  cudaLaunchAttribute overlaps{};
  overlaps.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlaps.val.programmaticStreamSerializationAllowed = 1;
  launch_with({&overlaps, 1}, operation, kernel, grid, block, shared, stream, arguments...);
}

}  // namespace cuesta::cuda
