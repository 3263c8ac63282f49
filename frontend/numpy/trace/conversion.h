// Casts and copies of whole arrays: which of them kernels may make in NumPy's place.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontend/numpy/trace/numpy_tensor.h"
#include "frontend/numpy/trace/sizes.h"
#include "frontend/symbolic/trace_context.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::numpy {

// GraphBreak for casts whose results, or warnings, depend on more than the elements.
absl::Status RequireCast(DType from, DType to);

// A fresh array of the elements of `node`, which has that shape, in the order that NumPy's "K"
// gives. GraphBreak for a library function's own result that has an axis of one element: the result
// is handed on in the place of its copy (DropMemoryOrder), but an array that lies in both orders
// at once has other strides along that axis than its copy.
absl::StatusOr<const ir::Node*> CopyInKeptOrder(symbolic::TraceContext& trace, const ir::Node* node,
                                                const Shape& shape);

// np.copy(a), np.array(a): a fresh array; of a NumPy scalar one of rank 0.
absl::StatusOr<NumpyTensor*> CopyOfArray(symbolic::TraceContext& trace, symbolic::TensorValue* a);

}  // namespace dynacc::numpy
