// Pictures in host memory over GPUs: any operation, on all of a batch.
#pragma once

#include <functional>

#include "cuesta/batch.hpp"
#include "cuesta/exec.hpp"

namespace cuesta {

/// Calls `work` for every picture of a batch in host memory, on the GPUs in exec.devices.
/// `work` gets copies of the picture and of its result on a GPU; each GPU has several in flight.
/// Without GPUs it gets the pictures themselves, one after the other. `call` is `exec` for one
/// call: on that GPU's stream, with a workspace.
///
///     spread(pictures, edges, [](ConstAnyView src, AnyView dst, const Exec& call) {
///       canny(src, dst, {}, call); }, {.devices = devices_named("cuda:all")});
///
/// Results do not depend on the number of GPUs. `work` is called from several threads
/// concurrently. An exception is passed on when all have stopped; that of the first picture counts.
/// Throws Error{invalid_argument} for invalid batches or batches that are not in host memory,
/// Error{device}, Error{out_of_memory}.
void spread(const ConstBatch& src, const Batch& dst,
            const std::function<void(ConstAnyView src, AnyView dst, const Exec& call)>& work,
            const Exec& exec);

}  // namespace cuesta
