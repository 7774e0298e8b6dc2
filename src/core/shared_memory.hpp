// The seam between checks and CUDA: src/cuda/ defines this in a CUDA build, core/no_cuda.cpp
// otherwise.
#pragma once

namespace cuesta::detail {

/// Fills the shared memory of every multiprocessor of this thread's GPU with ones, finished on
/// return: a kernel that reads there what it has not written then reads no address's low bits, no
/// index and no number that it could take for its own. Throws Error{device}.
void spoil_shared_memory();

}  // namespace cuesta::detail
