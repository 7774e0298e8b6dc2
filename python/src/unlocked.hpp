// The interpreter's lock, given back while C++ works.
#pragma once

#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace cuesta::python {

/// Without the lock from here to the end of the scope.
///
/// Up to Python 3.13 a daemon thread that asks for the lock when the interpreter has ended is ended
/// by pthread_exit(), whose unwinding no destructor and no frame of nanobind lets through: the
/// process would abort. It is kept waiting here for the process's end instead, as Python 3.14 does
/// itself.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked() {
    try {
      PyEval_RestoreThread(state_);
    } catch (abi::__forced_unwind&) {
      for (;;) pause();
    }
  }

 private:
  PyThreadState* state_;
};

}  // namespace cuesta::python
