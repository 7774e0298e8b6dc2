// `cuesta._core`: the library's functions on arrays. It checks what an array is; names, defaults
// and documentation are in the Python modules that call it.
#include "module.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The C++ library on arrays; use the functions of `cuesta`.";
  cuesta::python::translate_errors();
  m.attr("version") = CUESTA_VERSION;
  m.attr("has_cuda") = bool(CUESTA_HAS_CUDA);
  cuesta::python::bind_arrays(m);
  cuesta::python::bind_keywords(m);
  cuesta::python::bind_edges(m);
  cuesta::python::bind_lines(m);
  cuesta::python::bind_recipes(m);
  cuesta::python::bind_lazy(m);
  cuesta::python::bind_filters(m);
  cuesta::python::bind_objects(m);
  cuesta::python::bind_motion(m);
  cuesta::python::bind_tracking(m);
  cuesta::python::bind_info(m);
}
