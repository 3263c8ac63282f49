// Calls of ufuncs with `where` and `out`: np.divide(a, b, out=c, where=b != 0).
#pragma once

#include "absl/status/statusor.h"
#include "frontend/numpy/trace/numpy_tensor.h"

namespace dynacc::numpy {

// The content that `out` gets: op of the operands where the bool array `where` is true, its old
// content elsewhere. Other elements are computed of ones, so that they raise no flag.
absl::StatusOr<NumpyTensor*> MaskedElementwise(symbolic::TraceContext& trace, Op op,
                                               absl::Span<symbolic::Value* const> values,
                                               symbolic::TensorValue* where, NumpyTensor* out);

}  // namespace dynacc::numpy
