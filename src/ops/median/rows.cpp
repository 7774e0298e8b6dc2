// Strategy `rows`: the reference's loops, rows over threads.
#include "ops/median/reference.hpp"

namespace cuesta {

void median_rows(const MedianArgs& args, Call& call) {
  parallel_rows(args.src.height, call.threads(),
                [&](int32_t first, int32_t end) { median_reference_rows(args, first, end); });
}

}  // namespace cuesta
