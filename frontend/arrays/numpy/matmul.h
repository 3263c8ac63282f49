// Matrix products: `@`, np.matmul.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/arrays/numpy/numpy_tensor.h"

namespace dynacc {

// np.matmul(a, b) of float arrays of one dtype and rank >= 1, with NumPy's rules for ranks and
// batches. GraphBreak for other operands: a cast would change which memory BLAS sees.
absl::StatusOr<NumpyTensor*> NumpyMatmul(TraceContext& trace, Value* a, Value* b);

}  // namespace dynacc
