// Changes to the tensors among traced arguments and results, in containers too.
#pragma once

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "frontend/symbolic/trace_context.h"

namespace dynacc::tensor {

// `value` with `change` made to what is in it, items of tuples, lists and dicts one by one; new
// ones are made of these. GraphBreak for a container whose items are not known.
using ValueChange = absl::FunctionRef<absl::StatusOr<symbolic::Value*>(symbolic::Value*)>;
absl::StatusOr<symbolic::Value*> MapItems(symbolic::TraceContext& trace, symbolic::Value* value,
                                          ValueChange change);

// Whether a tensor is in it.
bool HasNative(symbolic::Value* value);

}  // namespace dynacc::tensor
