// PythonScope: the extent in which a thread of the host is inside Python.
#pragma once

#include <Python.h>

#include <optional>

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
  PyThreadState* thread_;  // null: the GIL was taken, or held already, by PyGILState_Ensure
  PyGILState_STATE state_;
};

// Inside the call gate for the extent of a scope, unless status() is not ok.
class GateScope {
 public:
  GateScope();
  ~GateScope();
  GateScope(const GateScope&) = delete;
  GateScope& operator=(const GateScope&) = delete;
  const absl::Status& status() const { return status_; }

 private:
  absl::Status status_;
};

// The same for a call, which waits for its turn; one that another call makes has it already.
class CallScope {
 public:
  CallScope();
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;
  const absl::Status& status() const { return status_; }

 private:
  absl::Status status_;
};

// A GilScope behind the call gate. Check status() first: if it is not ok the GIL is not held.
class PythonScope {
 public:
  PythonScope() {
    if (gate_.status().ok()) gil_.emplace();
  }
  PythonScope(const PythonScope&) = delete;
  PythonScope& operator=(const PythonScope&) = delete;
  const absl::Status& status() const { return gate_.status(); }

 private:
  GateScope gate_;
  std::optional<GilScope> gil_;
};

}  // namespace dynacc
