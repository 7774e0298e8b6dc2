// The options of edges as the library's, for what finds edges and what makes lines of them.
#pragma once

#include "c/boundary.hpp"
#include "cuesta/edges.hpp"

namespace cuesta::c {

cuesta::CannyOptions canny_options(const cuesta_canny_options* options);
cuesta::LogOptions log_options(const cuesta_log_options* options);

}  // namespace cuesta::c
