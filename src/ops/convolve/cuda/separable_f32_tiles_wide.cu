// Strategy `separable-f32`, tiles of one channel, 33 to 63 taps.
#include "ops/convolve/cuda/separable_f32_tiles.cuh"

namespace cuesta::convolve_cuda {

void separable_tiles::wide(const ConvolveArgs& args, Call& call) {
  switch (args.width) {
    case 33: return run<33, 1>(args, call);
    case 35: return run<35, 1>(args, call);
    case 37: return run<37, 1>(args, call);
    case 39: return run<39, 1>(args, call);
    case 41: return run<41, 1>(args, call);
    case 43: return run<43, 1>(args, call);
    case 45: return run<45, 1>(args, call);
    case 47: return run<47, 1>(args, call);
    case 49: return run<49, 1>(args, call);
    case 51: return run<51, 1>(args, call);
    case 53: return run<53, 1>(args, call);
    case 55: return run<55, 1>(args, call);
    case 57: return run<57, 1>(args, call);
    case 59: return run<59, 1>(args, call);
    case 61: return run<61, 1>(args, call);
    default: return run<63, 1>(args, call);
  }
}

}  // namespace cuesta::convolve_cuda
