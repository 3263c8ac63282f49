// How floating-point errors are reported, as it is known while tracing.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/arrays/numpy/bound_args.h"

namespace dynacc {

// Sets it as np.seterr does with the arguments all, divide, over, under and invalid; the bits of
// UFUNC_SHIFT_DIVIDEBYZERO and so on before.
absl::StatusOr<int> SetErrorsAs(TraceContext& trace, const BoundArgs& args);

// GraphBreak if the constant `scalar` underflows as a `dtype`, and underflow is reported: kernels
// get numbers in their dtype, and do not see the flag.
absl::Status RequireQuietConversion(TraceContext& trace, const Number& scalar, DType dtype);

}  // namespace dynacc
