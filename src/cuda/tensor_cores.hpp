// What the GPU in use can multiply, for host code that includes no CUDA header.
#pragma once

namespace cuesta::cuda {

/// Whether this thread's GPU multiplies matrices of bytes as mma.sync.m16n8k32 does: compute
/// capability 8.0 and newer. Where there is no GPU, nothing speaks against it: true.
bool multiplies_bytes();

}  // namespace cuesta::cuda
