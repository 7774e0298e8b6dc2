// Strategy `rows`: the reference's loops, rows over threads.
#include "ops/convolve/reference.hpp"

namespace cuesta {

void convolve_rows(const ConvolveArgs& args, Call& call) {
  parallel_rows(
      args.src.height, call.threads(),
      [&](int32_t first, int32_t end) { convolve_reference_rows(args, first, end); }, 1);
}

}  // namespace cuesta
