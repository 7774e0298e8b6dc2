// `mma-march` for windows that reach further across, in samples, than down.
#include "ops/convolve/cuda/mma_march.cuh"
#include "ops/convolve/cuda/mma_march_forms.hpp"

namespace cuesta {

void convolve_mma::march_oblong(int across, const ConvolveArgs& args, Call& call) {
  switch (across) {
    case 2: return launch_march<MarchForm<2, 1, 3>>(args, call);
    case 4: return launch_march<MarchForm<4, 2, 2>>(args, call);
    case 5: return launch_march<MarchForm<5, 2, 2>>(args, call);
    case 7: return launch_march<MarchForm<7, 3, 2>>(args, call);
    default: return launch_march<MarchForm<9, 3, 2>>(args, call);
  }
}

}  // namespace cuesta
