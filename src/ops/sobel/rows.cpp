// Strategy `rows`: the reference's loops, rows over threads.
#include "ops/sobel/reference.hpp"

namespace cuesta {

void sobel_rows(const SobelArgs& args, Call& call) {
  parallel_rows(args.src.height, call.threads(),
                [&](int32_t first, int32_t end) { sobel_reference_rows(args, first, end); });
}

}  // namespace cuesta
