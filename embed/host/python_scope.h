// PythonScope: the extent in which a thread of the host is inside Python.
#pragma once

#include <Python.h>

#include "absl/status/status.h"

namespace dynacc {

// Takes the GIL for the extent of a scope, from any thread. A thread's first scope gives it a
// Python thread state that it keeps until it ends, so that later ones cost only the GIL.
class GilScope {
 public:
  GilScope();
  ~GilScope();
  GilScope(const GilScope&) = delete;
  GilScope& operator=(const GilScope&) = delete;

 private:
  PyGILState_STATE state_;
};

// A GilScope behind the call gate. Check status() first: if it is not ok the GIL is not held.
class PythonScope {
 public:
  PythonScope();
  ~PythonScope();
  PythonScope(const PythonScope&) = delete;
  PythonScope& operator=(const PythonScope&) = delete;
  absl::Status status() const { return status_; }

 private:
  absl::Status status_;
  PyGILState_STATE state_ = PyGILState_UNLOCKED;
};

}  // namespace dynacc
