// `cuesta._core`: the library's functions on arrays. It checks what an array is; names, defaults
// and documentation are in the Python modules that call it.
#include "module.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "cuesta/error.hpp"

namespace nb = nanobind;

namespace cuesta::python {
namespace {

const char* name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::input: return "input";
    case ErrorCode::output: return "output";
    case ErrorCode::device: return "device";
    case ErrorCode::out_of_memory: return "out_of_memory";
  }
  return "invalid_argument";
}

const char* name_of(Hint hint) {
  switch (hint) {
    case Hint::none: return "";
    case Hint::use_cpu: return "use_cpu";
    case Hint::raise_max_pixels: return "raise_max_pixels";
    case Hint::allow_partial: return "allow_partial";
  }
  return "";
}

// cuesta.errors has the classes.
void translate(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Error& error) {
    try {
      const nb::object made = nb::module_::import_("cuesta.errors")
                                  .attr("_from_library")(name_of(error.code()), error.what(),
                                                         error.value(), name_of(error.hint()));
      PyErr_SetObject(made.type().ptr(), made.ptr());
    } catch (nb::python_error& failure) {
      failure.restore();
    }
  }
}

}  // namespace
}  // namespace cuesta::python

NB_MODULE(_core, m) {
  m.doc() = "The C++ library on arrays; use the functions of `cuesta`.";
  nb::register_exception_translator(cuesta::python::translate);
  m.attr("version") = CUESTA_VERSION;
  m.attr("has_cuda") = bool(CUESTA_HAS_CUDA);
  cuesta::python::bind_keywords(m);
  cuesta::python::bind_edges(m);
  cuesta::python::bind_filters(m);
  cuesta::python::bind_objects(m);
  cuesta::python::bind_motion(m);
  cuesta::python::bind_tracking(m);
  cuesta::python::bind_info(m);
}
