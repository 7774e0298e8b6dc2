// Experiment `cpu`.
#pragma once

#include <vector>

#include "bench/bench.hpp"

namespace cuesta::bench {

class Session;

/// Those of Session::wants_table.
void bench_cpu(Session& session);

}  // namespace cuesta::bench
