// What is between the two passes of a stencil with factors: a picture of column sums in device
// memory.
#pragma once

#include "ops/convolve/cuda/kernels.cuh"

namespace cuesta::convolve_ladder {

/// Column sums of the rows whose window is inside; the others are not written, and not read.
template <class T>
using Middle = ImageView<convolve_cuda::Tap<T>, Space::device>;

template <class T>
Middle<T> middle_of(const ConvolveArgs& args, Call& call) {
  return call.scratch().image<convolve_cuda::Tap<T>, Space::device>(args.src.width,
                                                                    args.src.height);
}

}  // namespace cuesta::convolve_ladder
