// The options of edges as the library's, for what finds edges and what makes lines of them.
#pragma once

#include <cstddef>

#include "c/boundary.hpp"
#include "cuesta/edges.hpp"

namespace cuesta::c {

template <>
inline constexpr size_t first_size<cuesta_canny_options> = offsetof(cuesta_canny_options, color);

cuesta::CannyOptions canny_options(const cuesta_canny_options* options);
cuesta::LogOptions log_options(const cuesta_log_options* options);

}  // namespace cuesta::c
