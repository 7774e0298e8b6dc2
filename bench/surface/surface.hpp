// Experiment `surface`.
#pragma once

namespace cuesta::bench {

class Session;

/// Times every request of surface_requests() by the strategy that a call selects by default, beside
/// a copy of its source: on the GPU if there is one, otherwise on the host.
void bench_surface(Session& session);

}  // namespace cuesta::bench
