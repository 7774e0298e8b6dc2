// Strategy `tensor`, u8 and windows past four samples to a side.
#include "cuda/tensor_wide.cuh"
#include "ops/convolve/cuda/tensor_run.cuh"

namespace cuesta {

void convolve_cuda::tensor_wide(const ConvolveArgs& args, const TensorTaps& taps, Call& call) {
  with_rule<uint8_t, false>(args, taps, [&](const auto& rule) {
    cuda::tensor::run_wide("convolve", request_of<uint8_t>(args, rule), window_of(taps), rule,
                           call);
  });
}

}  // namespace cuesta
