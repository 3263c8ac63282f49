// Function: a Python callable, called from C++; and C++ functions called from Python.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "dynacc/export.h"
#include "dynacc/value.h"

namespace dynacc {

// Of the library itself.
class CallWatch;
class ObjectAccess;

inline namespace v0 {

// Stops calls from another thread. Copies refer to the same one; once cancelled it stays so. A call
// is stopped at its next Python instruction, as by Ctrl-C: `finally` blocks and `with` statements
// of the Python code run. Captured code stops within some milliseconds, also in the middle of a
// kernel, having changed nothing; a C function that runs (NumPy's own) is not interrupted.
class DYNACC_EXPORT Cancellation {
 public:
  Cancellation();
  // Cancels every call that was, or will be, given this object. From any thread.
  void Cancel();
  bool cancelled() const;

 private:
  friend class dynacc::CallWatch;
  struct State;
  std::shared_ptr<State> state_;
};

struct CallOptions {
  Dict keywords;                                 // keyword arguments
  absl::Time deadline = absl::InfiniteFuture();  // when to stop the call
  const Cancellation* cancellation = nullptr;    // not owned; null: the call cannot be cancelled
};

// A Python callable. Copies refer to the same one. May be called from any thread; threads take
// turns as Python threads do, while kernels and most of NumPy run side by side. A function under
// dynacc.compile (or captured for a while) that only computes, from arrays and numbers to new
// arrays and numbers, takes a turn of less than a microsecond: its guards'.
class DYNACC_EXPORT Function {
 public:
  // Calls it with positional arguments. Errors:
  //   FAILED_PRECONDITION  the Runtime is gone, or this process is a fork of the one with a Runtime
  //   INVALID_ARGUMENT     an argument that has no Python form (a shape with a negative length, a
  //                        string that is not UTF-8), named by its position
  //   DEADLINE_EXCEEDED, CANCELLED   as `options` asked
  //   else                 an exception of the Python code (errors.h)
  absl::StatusOr<Value> Call(const std::vector<Value>& arguments,
                             const CallOptions& options = {}) const;

 private:
  friend class dynacc::ObjectAccess;
  std::shared_ptr<void> handle_;
};

// A C++ function for Python to call. `arguments` are the positional ones, `keywords` the others.
// Runs on the thread of the Python code that calls it, without the GIL: it may take its time, and
// may call back into Python. A status that it returns, or an exception that it throws, is raised in
// Python: INVALID_ARGUMENT as ValueError, OUT_OF_RANGE as IndexError, NOT_FOUND as LookupError,
// UNIMPLEMENTED as NotImplementedError, RESOURCE_EXHAUSTED as MemoryError, DEADLINE_EXCEEDED as
// TimeoutError, PERMISSION_DENIED as PermissionError, any other as RuntimeError.
using HostFunction =
    std::function<absl::StatusOr<Value>(const std::vector<Value>& arguments, const Dict& keywords)>;

}  // namespace v0
}  // namespace dynacc
