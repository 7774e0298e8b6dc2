// The strategies of log on CUDA, those of ladder/ aside. No CUDA type: the table reads it.
#pragma once

#include "ops/log/args.hpp"

namespace cuesta::log_cuda {

/// The definition, a thread a pixel; takes every request.
void plain(const LogArgs& args, Call& call);
/// One pass over memory: both filters and the rule.
void fused(const LogArgs& args, Call& call);
/// The whole stencil as products of matrices of bytes.
void tensor(const LogArgs& args, Call& call);
/// Both Gaussian passes as products of matrices of bytes, then the Laplacian; and what it does not
/// take.
void mma_separable(const LogArgs& args, Call& call);
std::string_view mma_separable_takes(const LogArgs& args, const Parameters& parameters);
/// Windows of any length: the Gaussian's sums as a picture, then the Laplacian and the rule.
std::string_view sums_take(const LogArgs& args, const Parameters& parameters);
void sums(const LogArgs& args, Call& call);

}  // namespace cuesta::log_cuda
