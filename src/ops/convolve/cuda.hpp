// The strategies of convolve on CUDA, those of ladder/ aside. No CUDA type: the table reads it.
#pragma once

#include "ops/convolve/args.hpp"

namespace cuesta::convolve_cuda {

/// The definition, a thread a pixel; takes every request.
void plain(const ConvolveArgs& args, Call& call);
/// Small windows of u8 as products of matrices of bytes.
void tensor(const ConvolveArgs& args, Call& call);

}  // namespace cuesta::convolve_cuda
