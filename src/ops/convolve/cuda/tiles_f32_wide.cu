// Strategy `tiles-f32`, windows that reach 5 to 7 samples.
#include "ops/convolve/cuda/tiles_f32.cuh"

namespace cuesta::convolve_cuda {

void float_tiles::wide(const ConvolveArgs& args, Call& call) {
  switch (reach_of(args)) {
    case 5: return run<11, 1>(args, call);
    case 6: return run<13, 1>(args, call);
    default: return run<15, 1>(args, call);
  }
}

}  // namespace cuesta::convolve_cuda
