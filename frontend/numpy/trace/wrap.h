// Arrays and NumPy scalars of the program as inputs of the trace.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/numpy/trace/numpy_tensor.h"

namespace dynacc {

// As ArrayNamespace::Wrap. GraphBreak if kernels do not handle `object`.
absl::StatusOr<TensorValue*> WrapNumpy(TraceContext& trace, BorrowedRef object,
                                       const Source* source);

}  // namespace dynacc
