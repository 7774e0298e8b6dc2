// Strategy `tensor`, u16: samples as two planes of bytes, and taps as one or two.
#include "ops/convolve/cuda/tensor_run.cuh"

namespace cuesta {

void convolve_cuda::tensor_words(const ConvolveArgs& args, const TensorTaps& taps, Call& call) {
  taps.planes == 1 ? run_tensor<uint16_t, 1>(args, taps, call)
                   : run_tensor<uint16_t, 2>(args, taps, call);
}

}  // namespace cuesta
