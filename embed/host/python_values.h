// Values of embed.h to Python objects and back, and Python exceptions to Status. All need the GIL.
#pragma once

#include <Python.h>

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "embed/include/dynacc/embed.h"
#include "frontend/cpython/ref.h"

namespace dynacc {

// Takes the GIL for the extent of a scope, from any thread.
class GilScope {
 public:
  GilScope() : state_(PyGILState_Ensure()) {}
  ~GilScope() { PyGILState_Release(state_); }
  GilScope(const GilScope&) = delete;
  GilScope& operator=(const GilScope&) = delete;

 private:
  PyGILState_STATE state_;
};

// Shared ownership of a Python object by code without the GIL; the last owner takes it to let go.
std::shared_ptr<void> Share(Ref object);

// The current exception, cleared, with the traceback's text as the message.
absl::Status TakeException();

absl::StatusOr<Ref> ToPython(const Value& value);
absl::StatusOr<Value> FromPython(BorrowedRef object);

}  // namespace dynacc
