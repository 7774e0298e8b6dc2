// Strategy `tensor`: one channel of u8 or u16 and taps of one or two signed bytes as products of
// matrices of bytes on the tensor cores: windows that reach four samples (cuda/tensor_stencil.cuh),
// of u8 up to 15 rows of 17 samples (cuda/tensor_wide.cuh). Sums become results by rules.cuh.
#include "ops/convolve/cuda.hpp"
#include "ops/convolve/cuda/tensor_run.cuh"

namespace cuesta {

void convolve_cuda::tensor_bytes(const ConvolveArgs& args, const TensorTaps& taps, Call& call) {
  run_tensor<uint8_t, 1>(args, taps, call);
}

void convolve_cuda::tensor(const ConvolveArgs& args, Call& call) {
  TensorTaps taps;
  tensor_taps(args, taps);
  if (args.src.type == PixelType::u16) return tensor_words(args, taps, call);
  if (taps.is_wide()) return tensor_wide(args, taps, call);
  taps.planes == 1 ? tensor_bytes(args, taps, call) : tensor_two_planes(args, taps, call);
}

}  // namespace cuesta
