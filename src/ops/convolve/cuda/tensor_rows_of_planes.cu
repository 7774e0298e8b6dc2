// Strategy `tensor-rows`, u8 with taps past a signed byte: two planes of them, sum = low + 256
// high.
#include "ops/convolve/cuda/tensor_rows_run.cuh"

namespace cuesta {

void convolve_cuda::tensor_rows_of_planes(const ConvolveArgs& args, const TensorTaps& taps,
                                          Call& call) {
  row_reach(args) <= 12 && args.height <= 5 ? run_rows<5, 2, uint8_t, 2>(args, taps, call)
                                            : run_rows<9, 3, uint8_t, 2>(args, taps, call);
}

}  // namespace cuesta
