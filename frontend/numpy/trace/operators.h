// Operators of Python on arrays and NumPy scalars: contracts as in ArrayNamespace.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/numpy/trace/numpy_tensor.h"

namespace dynacc {

absl::StatusOr<Value*> NumpyBinary(TraceContext& trace, int nb_op, bool in_place, Value* a,
                                   Value* b);
absl::StatusOr<Value*> NumpyCompare(TraceContext& trace, int compare_op, Value* a, Value* b);
absl::StatusOr<Value*> NumpyUnary(TraceContext& trace, int opcode, TensorValue* a);

// abs(a).
absl::StatusOr<Value*> NumpyAbsolute(TraceContext& trace, TensorValue* a);

// The operator run by NumPy itself at its place in the graph; nothing in place of an array.
absl::StatusOr<Value*> BinaryByNumpy(TraceContext& trace, int nb_op, bool in_place, Value* a,
                                     Value* b);

}  // namespace dynacc
