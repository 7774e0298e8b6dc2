// The oracle, by rows, so that `rows` can spread it over threads.
#pragma once

#include "ops/log/args.hpp"
#include "ops/log/window.hpp"

namespace cuesta {

/// The stencil itself, row-major, (size + 2)² weights: (g gᵀ) ∗ l.
void log_weights(const log::Window& window, int32_t* weights);
/// Samples of scratch that one call of log_reference_rows needs.
size_t log_reference_samples(const LogArgs& args);
/// Output rows [first, end) of the request.
void log_reference_rows(const LogArgs& args, const log::Window& window, const int32_t* weights,
                        int64_t* scratch, int32_t first, int32_t end);

/// Strategy `serial`.
void log_serial(const LogArgs& args, Call& call);
/// Strategy `rows`.
void log_rows(const LogArgs& args, Call& call);
/// Strategy `simd`, which takes every request.
void log_simd(const LogArgs& args, Call& call);

}  // namespace cuesta
