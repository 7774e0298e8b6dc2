// Strategy `tensor-rows`: windows of u8 and u16 pictures of any number of channels as products of
// matrices of bytes (cuda/tensor_rows.cuh). Sums become results by rules.cuh. Here u8 by taps of
// one signed byte.
#include "ops/convolve/cuda.hpp"
#include "ops/convolve/cuda/tensor_rows_run.cuh"

namespace cuesta {

void convolve_cuda::tensor_rows(const ConvolveArgs& args, Call& call) {
  TensorTaps taps;
  tensor_row_taps(args, taps);
  if (args.src.type == PixelType::u16) return tensor_rows_of_words(args, taps, call);
  if (taps.planes > 1) return tensor_rows_of_planes(args, taps, call);
  const bool near = row_reach(args) <= 12;
  if (near && args.height <= 3) return run_rows<3, 2, uint8_t, 1>(args, taps, call);
  if (near && args.height <= 5) return run_rows<5, 2, uint8_t, 1>(args, taps, call);
  if (near && args.height <= 7) return run_rows<7, 2, uint8_t, 1>(args, taps, call);
  if (near && args.height <= 9) return run_rows<9, 2, uint8_t, 1>(args, taps, call);
  if (row_reach(args) > TensorTaps::row_reach || args.height > TensorTaps::few_rows)
    return tensor_rows_of_many(args, taps, call);
  args.height <= 9 ? run_rows<9, 3, uint8_t, 1>(args, taps, call)
                   : run_rows<15, 3, uint8_t, 1>(args, taps, call);
}

}  // namespace cuesta
