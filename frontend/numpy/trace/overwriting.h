// Functions of NumPy's that may use the memory of their first argument as their own
// (`np.median(a, overwrite_input=True)`), and leave in it what they like.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/numpy/trace/library_call.h"
#include "frontend/numpy/trace/numpy_tensor.h"

namespace dynacc::numpy {

// The call, whose first positional argument is `a`: what it gives, of `shape`, and a new content of
// `a`. GraphBreak unless `a` is in C order: of other arrays NumPy may overwrite a copy.
absl::StatusOr<symbolic::Value*> CallOverwriting(symbolic::TraceContext& trace, TracedCall call,
                                                 NumpyTensor* a, const Shape& shape);

}  // namespace dynacc::numpy
