// Strategy `rows`: the reference's loops, rows over threads.
#include "ops/pixel/reference.hpp"

namespace cuesta {

void pixel_rows(const PixelArgs& args, Call& call) {
  if (args.op == PixelOp::histogram) {
    histogram_by_strips(args, call, [&](int32_t first, int32_t end, uint64_t* bins) {
      histogram_reference_rows(args, first, end, bins);
    });
    return;
  }
  parallel_rows(args.a.height, call.threads(),
                [&](int32_t first, int32_t end) { pixel_reference_rows(args, first, end); });
}

}  // namespace cuesta
