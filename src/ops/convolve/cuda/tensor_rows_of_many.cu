// Strategy `tensor-rows`, u8 with more rows of taps, or a longer reach, than tensor_rows.cu has.
#include "ops/convolve/cuda/tensor_rows_run.cuh"

namespace cuesta {

void convolve_cuda::tensor_rows_of_many(const ConvolveArgs& args, const TensorTaps& taps,
                                        Call& call) {
  if (args.height <= 15) return run_rows<15, 4, uint8_t, 1>(args, taps, call);
  if (args.height > 21) return run_rows<31, 3, uint8_t, 1>(args, taps, call);
  row_reach(args) <= 12 ? run_rows<21, 2, uint8_t, 1>(args, taps, call)
                        : run_rows<21, 3, uint8_t, 1>(args, taps, call);
}

}  // namespace cuesta
