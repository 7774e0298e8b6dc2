// Strategy `tiles-f32`, 3 channels.
#include "ops/convolve/cuda/tiles_f32.cuh"

namespace cuesta::convolve_cuda {

void float_tiles::of_3_channels(const ConvolveArgs& args, Call& call) {
  run_of_channels<3>(args, call);
}

}  // namespace cuesta::convolve_cuda
