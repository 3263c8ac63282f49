// Changes to the tensors among traced arguments and results, in containers too.
#pragma once

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "frontend/symbolic/trace_context.h"

namespace dynacc {

// `value` with `change` made to what is in it, items of tuples, lists and dicts one by one; new
// ones are made of these. GraphBreak for a container whose items are not known.
using ValueChange = absl::FunctionRef<absl::StatusOr<Value*>(Value*)>;
absl::StatusOr<Value*> MapItems(TraceContext& trace, Value* value, ValueChange change);

// Whether a tensor is in it.
bool HasNative(Value* value);

}  // namespace dynacc
