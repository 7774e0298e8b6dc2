// Strategy `tensor-rows`, u16: samples as two planes of bytes, and taps as one or two.
#include "ops/convolve/cuda/tensor_rows_run.cuh"

namespace cuesta {

void convolve_cuda::tensor_rows_of_words(const ConvolveArgs& args, const TensorTaps& taps,
                                         Call& call) {
  const bool near = row_reach(args) <= 12 && args.height <= 5;
  if (taps.planes > 1)
    return near ? run_rows<5, 2, uint16_t, 2>(args, taps, call)
                : run_rows<9, 3, uint16_t, 2>(args, taps, call);
  if (args.height > 9) {
    return row_reach(args) <= 12 ? run_rows<15, 2, uint16_t, 1>(args, taps, call)
                                 : run_rows<15, 3, uint16_t, 1>(args, taps, call);
  }
  near ? run_rows<5, 2, uint16_t, 1>(args, taps, call)
       : run_rows<9, 3, uint16_t, 1>(args, taps, call);
}

}  // namespace cuesta
