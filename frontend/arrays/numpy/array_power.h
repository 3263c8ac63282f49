// `a ** b` where an array takes part: NumPy's operator, which is not np.power.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/arrays/numpy/numpy_tensor.h"

namespace dynacc {

// For an array and a single exponent of -1, 0, 0.5, 1 or 2 NumPy runs a simpler ufunc instead
// (fast_scalar_power in numpy/core/src/multiarray/number.c of 1.24), else np.power.
absl::StatusOr<NumpyTensor*> ArrayPower(TraceContext& trace, Value* a, Value* b);

}  // namespace dynacc
