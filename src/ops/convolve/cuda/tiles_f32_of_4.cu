// Strategy `tiles-f32`, 4 channels.
#include "ops/convolve/cuda/tiles_f32.cuh"

namespace cuesta::convolve_cuda {

void float_tiles::of_4_channels(const ConvolveArgs& args, Call& call) {
  run_of_channels<4>(args, call);
}

}  // namespace cuesta::convolve_cuda
