// Strategy `rows`: the reference's loops, rows over threads.
#include "ops/log/reference.hpp"

namespace cuesta {

void log_rows(const LogArgs& args, Call& call) {
  const log::Window window = log::window(args.options);
  const Strips strips(args.src.height, call.threads());
  auto* weights = call.scratch().take<int32_t>(size_t(window.size + 2) * size_t(window.size + 2));
  const size_t samples = log_reference_samples(args);
  auto* scratch = call.scratch().take<int64_t>(samples * size_t(strips.count));
  log_weights(window, weights);
  parallel_tasks(strips.count, call.threads(), [&](int s) {
    log_reference_rows(args, window, weights, scratch + samples * size_t(s), strips.begin(s),
                       strips.end(s));
  });
}

}  // namespace cuesta
