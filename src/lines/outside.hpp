// Lines outside of holes.
#pragma once

#include <cstdint>

#include "cuesta/lines.hpp"

namespace cuesta::lines {

/// The parts of lines at whose points `holes` is 0, simplified by how.tolerance; those below
/// how.min_length are left out. The lines have all their points (TraceOptions::tolerance 0).
Polylines outside(const Polylines& lines, ImageView<const uint8_t> holes, const TraceOptions& how);

}  // namespace cuesta::lines
