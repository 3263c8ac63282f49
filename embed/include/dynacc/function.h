// Function: a Python callable, called from C++; and C++ functions called from Python.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
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

// One parameter of a function, as inspect.signature tells it.
struct Parameter {
  std::string name;
  std::string kind;        // "positional only", "positional", "*", "keyword only", "**"
  std::string annotation;  // "" without one
  bool has_default = false;
  Value default_value;
};

// What a function takes.
struct Signature {
  std::string text;           // "(x, *, scale=1.0) -> float"
  std::string returns;        // the annotation of what it gives; "" without one
  std::string documentation;  // its docstring; "" without one
  std::vector<Parameter> parameters;
};

// An axis of an argument whose size may vary in a frozen function.
struct DynamicAxis {
  int axis = 0;
  int64_t least = 0;  // bounds of the size; both 0: none
  int64_t most = 0;
};

// How Function::Freeze freezes, as dynacc.export's arguments of these names (docs/program.md).
struct FreezeOptions {
  Dict keywords;  // keyword arguments of the example call
  // By the argument's name; all other sizes are those of the examples.
  std::map<std::string, std::vector<DynamicAxis>> dynamic;
  std::vector<std::string> targets;  // levels of CPUs; empty: x86-64-v3 and x86-64-v4
  bool fast_math = false;
};

// What became of the calls of a Function.
struct FunctionCounters {
  uint64_t calls = 0;     // that are over
  uint64_t direct = 0;    // of those, served by compiled code, with Python held for guards only
  uint64_t failures = 0;  // of those, ended in an error
};

// A Python callable. Copies refer to the same one. May be called from any thread; threads take
// turns as Python threads do, while kernels and most of NumPy run side by side. A function under
// dynacc.compile (or captured for a while) that only computes, from arrays and numbers to new
// arrays and numbers, takes a turn of less than a microsecond: its guards'.
class DYNACC_EXPORT Function {
 public:
  // Calls it with positional arguments: f.Call({x, 2, "name"}), or a vector of them. Errors:
  //   FAILED_PRECONDITION  the Runtime is gone, or this process is a fork of the one with a Runtime
  //   INVALID_ARGUMENT     an argument that has no Python form (a shape with a negative length, a
  //                        string that is not UTF-8), named by its position
  //   DEADLINE_EXCEEDED, CANCELLED   as `options` asked
  //   else                 an exception of the Python code (errors.h)
  absl::StatusOr<Value> Call(absl::Span<const Value> arguments,
                             const CallOptions& options = {}) const;

  // The same, with the results put into memory of the host's: of a function that returns an array
  // or a number, outputs[0]; of one that returns a tuple or list of these, as many, in order. A
  // number's output has one element, of its kind (float, int, bool). A call whose values are
  // computed by compiled code allocates nothing once it has run before: kernels write where the
  // outputs are, if they are contiguous and share no memory with arguments. Beside the errors of
  // Call:
  //   INVALID_ARGUMENT   an output is not in the host's memory, read-only, or describes no memory;
  //                      the function gave another number of results, or one of another type or
  //                      shape than its output
  // After an error the outputs hold anything.
  absl::Status CallInto(absl::Span<const Value> arguments, absl::Span<const TensorView> outputs,
                        const CallOptions& options = {}) const;

  // Calls it once for each list of arguments, in order, on this thread. Python is entered once for
  // all that compiled code can serve, so that short calls cost less. A request that fails does not
  // keep others from being served; the deadline is that of all.
  std::vector<absl::StatusOr<Value>> CallBatch(absl::Span<const List> requests,
                                               const CallOptions& options = {}) const;

  // Calls it on a thread of the Runtime's executor (RuntimeOptions::executor) and hands the result
  // to `done`, on that thread. `done` is called once in any case: with FAILED_PRECONDITION, perhaps
  // before this returns, if the Runtime is gone. What `arguments` lend must stay valid until then;
  // `options.cancellation` need not. `done` may call functions, and must not throw.
  void CallAsync(List arguments, CallOptions options,
                 std::function<void(absl::StatusOr<Value> result)> done) const;
  // The same with a future. It is always fulfilled.
  std::future<absl::StatusOr<Value>> CallAsync(List arguments, CallOptions options = {}) const;

  // What it takes. INVALID_ARGUMENT for a callable that does not say, as some builtins.
  absl::StatusOr<dynacc::Signature> Signature() const;

  // Traces it on these arguments, without running it, and writes a program to `path` that
  // libdynacc_program runs without Python (program.h). Errors: those of dynacc.export, with a line
  // for each place of the function that no program can hold.
  absl::Status Freeze(const std::string& path, absl::Span<const Value> examples,
                      const FreezeOptions& options = {}) const;

  // Of the calls by this object and its copies; Module::Get begins a new count.
  FunctionCounters Counters() const;

 private:
  friend class dynacc::ObjectAccess;
  struct Counts;
  std::shared_ptr<void> handle_;
  std::shared_ptr<Counts> counts_;
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
