// Matrix products: `@`, np.matmul, np.dot.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/numpy/trace/numpy_tensor.h"

namespace dynacc::numpy {

// np.matmul(a, b) of numeric arrays of rank >= 1, with NumPy's rules for ranks and batches.
// GraphBreak for bools, and for two dtypes if the memory that BLAS sees may matter
// (ordered_matmul.h).
// `free`: the bits of matmul_attrs.h that say what the product is free in; they count if the sums
// are float32.
absl::StatusOr<NumpyTensor*> NumpyMatmul(symbolic::TraceContext& trace, symbolic::Value* a,
                                         symbolic::Value* b, int64_t free = 0);

}  // namespace dynacc::numpy
