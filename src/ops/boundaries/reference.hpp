// The oracle, by rows, so that `rows` can spread them over threads.
#pragma once

#include "ops/boundaries/args.hpp"

namespace cuesta {

/// The whole definition, the rows of each stage over `threads`.
void boundaries_by_rows(const BoundariesArgs& args, Call& call, int threads);

/// Strategy `serial`.
void boundaries_serial(const BoundariesArgs& args, Call& call);
/// Strategy `rows`.
void boundaries_rows(const BoundariesArgs& args, Call& call);
/// Strategy `simd`.
void boundaries_simd(const BoundariesArgs& args, Call& call);
/// Strategy `host`, of strengths of pictures on a GPU.
void boundaries_on_host(const BoundariesArgs& args, Call& call);

}  // namespace cuesta
