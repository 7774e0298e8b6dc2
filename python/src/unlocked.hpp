// Releases the interpreter's lock while C++ runs.
#pragma once

#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace cuesta::python {

/// Releases the lock until the end of the scope.
///
/// Up to Python 3.13 a daemon thread that requests the lock after the interpreter has ended is
/// ended by pthread_exit(). Destructors and frames of nanobind do not allow its unwinding, so the
/// process would abort. Such a thread waits here for the end of the process instead, as in Python
/// 3.14.
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
