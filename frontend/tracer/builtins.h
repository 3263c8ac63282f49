// Builtins that the tracer executes itself (builtins.def).
#pragma once

#include "absl/status/statusor.h"
#include "frontend/tracer/tracer.h"

namespace dynacc {

struct BuiltinCall {
  BorrowedRef callable;
  std::vector<Value*> args;  // realized
  bool has_keywords = false;
};

// The result of calling a builtin; NotFound if it is none that the tracer knows.
absl::StatusOr<Value*> CallBuiltin(Tracer& tracer, const BuiltinCall& call);

}  // namespace dynacc
