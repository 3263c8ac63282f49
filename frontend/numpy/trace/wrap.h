// Arrays and NumPy scalars of the program as inputs of the trace.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/numpy/trace/numpy_tensor.h"

namespace dynacc::numpy {

// As ArrayNamespace::Wrap. GraphBreak if kernels do not handle `object`.
absl::StatusOr<symbolic::TensorValue*> WrapNumpy(symbolic::TraceContext& trace, BorrowedRef object,
                                                 const sources::Source* source);

}  // namespace dynacc::numpy
