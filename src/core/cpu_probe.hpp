// Which instruction sets this build holds, this CPU runs, and this process uses.
#pragma once

namespace cuesta::detail {

/// Applies CUESTA_SIMD once a process. Throws Error{invalid_argument} for a name that this CPU or
/// build has not.
void apply_simd_environment();

}  // namespace cuesta::detail
