// Pictures in host memory over GPUs: any operation, on all of a batch.
#pragma once

#include <functional>

#include "cuesta/batch.hpp"
#include "cuesta/exec.hpp"

namespace cuesta {

/// Calls `work` for every picture of a batch in host memory, on copies of it and of its result on
/// the GPUs in exec.devices, several of them at once on each; on the host's own, one after the
/// other, where there are none. `call` is `exec` for one call: on that GPU's stream, with a
/// workspace.
///
///     spread(pictures, edges, [](ConstAnyView src, AnyView dst, const Exec& call) {
///       canny(src, dst, {}, call); }, {.devices = devices_named("cuda:all")});
///
/// Results do not depend on the number of GPUs. `work` is called from several threads at once;
/// what it throws is thrown when all have stopped, of the first picture that failed. Throws
/// Error{invalid_argument} for batches that cannot be meant or are not the host's, Error{device},
/// Error{out_of_memory}.
void spread(const ConstBatch& src, const Batch& dst,
            const std::function<void(ConstAnyView src, AnyView dst, const Exec& call)>& work,
            const Exec& exec);

}  // namespace cuesta
