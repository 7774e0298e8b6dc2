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

}  // namespace cuesta::log_cuda
