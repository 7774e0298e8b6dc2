// `mma-march` for boxes of many rows, whose sums run down.
#include "ops/convolve/cuda/mma_march.cuh"
#include "ops/convolve/cuda/mma_march_forms.hpp"

namespace cuesta {

void convolve_mma::march_running(int across, const ConvolveArgs& args, Call& call) {
  switch (across) {
    case 3: return launch_march<MarchForm<3, running, 2>>(args, call);
    case 5: return launch_march<MarchForm<5, running, 2>>(args, call);
    default: return launch_march<MarchForm<9, running, 2>>(args, call);
  }
}

}  // namespace cuesta
