// Python exceptions as absl::Status.
//
// The status code tells the kind (the table is in PythonError's comment). The message is what the
// last line of a traceback says, as "ValueError: no such row"; Status::ToString shows the stack,
// too, and PythonErrorOf gives the parts.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "dynacc/export.h"

namespace dynacc {
inline namespace v0 {

// A Python exception. Its status code is that of the first class in this table that it is an
// instance of:
//
//   NotImplementedError                      UNIMPLEMENTED
//   MemoryError                              RESOURCE_EXHAUSTED
//   ImportError, FileNotFoundError           NOT_FOUND
//   PermissionError                          PERMISSION_DENIED
//   TimeoutError                             DEADLINE_EXCEEDED
//   KeyboardInterrupt                        CANCELLED
//   LookupError (IndexError, KeyError)       OUT_OF_RANGE
//   SyntaxError                              INVALID_ARGUMENT
//   TypeError, ValueError, ArithmeticError   INVALID_ARGUMENT
//   any other                                UNKNOWN
//
// A call that was stopped by its deadline or its Cancellation has DEADLINE_EXCEEDED or CANCELLED.
struct PythonError {
  std::string type;       // the qualified name of its class: "ValueError", "model.NotReady"
  std::string message;    // str() of it
  std::string traceback;  // as Python prints it, with a newline at the end
};

// The Python exception that `status` stands for; nullopt if it came from somewhere else.
DYNACC_EXPORT std::optional<PythonError> PythonErrorOf(const absl::Status& status);

}  // namespace v0
}  // namespace dynacc
