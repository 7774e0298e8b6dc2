// Strategy `rows`: the reference's loops, rows over threads.
#include "ops/background/reference.hpp"

namespace cuesta {

void background_rows(const BackgroundArgs& args, Call& call) {
  parallel_rows(args.frame.height, call.threads(),
                [&](int32_t first, int32_t end) { background_reference_rows(args, first, end); });
}

}  // namespace cuesta
