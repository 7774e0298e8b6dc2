// What every ladder prints of a measurement besides its paper's own table.
#pragma once

#include <string>

#include "bench/session.hpp"

namespace cuesta::bench {

/// "adaptive-tiled block=32 limit=device" on a device, "simd, 2 threads" on a host.
std::string label_of(const Row& row);
/// A line a row: time, spread, times a copy, speed-up over one core, GFLOP/s, operations a byte,
/// percent of the roofline, registers, shared memory, occupancy. Then the notes.
std::string details_of(const std::string& title, const Measured& measured);
/// The value of a parameter in a row's variant; `fallback` where it has none.
std::string parameter_of(const Row& row, const std::string& name, const std::string& fallback);

}  // namespace cuesta::bench
