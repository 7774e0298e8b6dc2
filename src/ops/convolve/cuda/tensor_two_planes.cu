// Strategy `tensor`, u8 with taps past a signed byte: two planes of them, sum = low + 256 high.
#include "ops/convolve/cuda/tensor_run.cuh"

namespace cuesta {

void convolve_cuda::tensor_two_planes(const ConvolveArgs& args, const TensorTaps& taps,
                                      Call& call) {
  run_tensor<uint8_t, 2>(args, taps, call);
}

}  // namespace cuesta
