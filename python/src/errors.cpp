// The library's errors as Python's; cuesta.errors has the classes.
#include "cuesta/error.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "module.hpp"

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
    case Hint::choose_page: return "choose_page";
    case Hint::choose_band: return "choose_band";
    case Hint::allow_partial: return "allow_partial";
  }
  return "";
}

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

void translate_errors() { nb::register_exception_translator(translate); }

}  // namespace cuesta::python
