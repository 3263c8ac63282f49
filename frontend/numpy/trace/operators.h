// Operators of Python on arrays and NumPy scalars: contracts as in ArrayNamespace.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/numpy/trace/numpy_tensor.h"

namespace dynacc::numpy {

absl::StatusOr<symbolic::Value*> NumpyBinary(symbolic::TraceContext& trace, int nb_op,
                                             bool in_place, symbolic::Value* a, symbolic::Value* b);
absl::StatusOr<symbolic::Value*> NumpyCompare(symbolic::TraceContext& trace, int compare_op,
                                              symbolic::Value* a, symbolic::Value* b);
absl::StatusOr<symbolic::Value*> NumpyUnary(symbolic::TraceContext& trace, int opcode,
                                            symbolic::TensorValue* a);

// abs(a).
absl::StatusOr<symbolic::Value*> NumpyAbsolute(symbolic::TraceContext& trace,
                                               symbolic::TensorValue* a);

// The operator run by NumPy itself at its place in the graph; nothing in place of an array.
absl::StatusOr<symbolic::Value*> BinaryByNumpy(symbolic::TraceContext& trace, int nb_op,
                                               bool in_place, symbolic::Value* a,
                                               symbolic::Value* b);
// The same of a comparison of two arrays, or of one and a NumPy scalar.
absl::StatusOr<symbolic::Value*> CompareByNumpy(symbolic::TraceContext& trace, int compare_op,
                                                symbolic::Value* a, symbolic::Value* b);

}  // namespace dynacc::numpy
