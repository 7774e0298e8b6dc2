// Experiment `video`.
#pragma once

#include "bench/engine/session.hpp"

namespace cuesta::bench {

void bench_video(Session& session);

}  // namespace cuesta::bench
