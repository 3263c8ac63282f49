// Builtin functions, types and methods that the tracer executes itself (builtins.def).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "frontend/tracer/tracer.h"

namespace dynacc::tracer {

struct BuiltinCall {
  BorrowedRef callable;
  std::vector<symbolic::Value*> args;  // materialized
  symbolic::Keywords keywords;

  // The value of a keyword argument, or null.
  symbolic::Value* Keyword(const char* name) const;
  // GraphBreak unless there are so many positional arguments, and no keywords but those named.
  absl::Status Want(size_t least, size_t most, std::vector<const char*> names = {}) const;
};

// The result of calling a builtin; NotFound if it is none that the tracer knows.
absl::StatusOr<symbolic::Value*> CallBuiltin(Tracer& tracer, const BuiltinCall& call);

// Calls a function without effects on values that are all plain constants (or tuples and lists of
// such), at capture. What it raises is raised in the trace.
absl::StatusOr<symbolic::Value*> FoldCall(Tracer& tracer, const BuiltinCall& call);

namespace builtins {
#define DYNACC_BUILTIN(owner, name, function) \
  absl::StatusOr<symbolic::Value*> function(Tracer& tracer, const BuiltinCall& call);
#include "frontend/tracer/builtins/builtins.def"
#undef DYNACC_BUILTIN
}  // namespace builtins

}  // namespace dynacc::tracer
