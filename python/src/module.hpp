// The parts of `cuesta._core`, one file each.
#pragma once

#include <nanobind/nanobind.h>

namespace cuesta::python {

/// Library errors thrown in a module's functions become those of cuesta.errors.
void translate_errors();

void bind_arrays(nanobind::module_& m);
void bind_keywords(nanobind::module_& m);
void bind_edges(nanobind::module_& m);
void bind_lines(nanobind::module_& m);
void bind_recipes(nanobind::module_& m);
void bind_lazy(nanobind::module_& m);
void bind_filters(nanobind::module_& m);
void bind_objects(nanobind::module_& m);
void bind_motion(nanobind::module_& m);
void bind_tracking(nanobind::module_& m);
void bind_info(nanobind::module_& m);

}  // namespace cuesta::python
