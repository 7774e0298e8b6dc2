// Strategy `separable-f32`, tiles of 3 channels.
#include "ops/convolve/cuda/separable_f32_tiles.cuh"

namespace cuesta::convolve_cuda {

void separable_tiles::of_3_channels(const ConvolveArgs& args, Call& call) {
  run_of_channels<3>(args, call);
}

}  // namespace cuesta::convolve_cuda
