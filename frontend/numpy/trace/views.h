// Tensors that are views of another one's memory.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "frontend/numpy/trace/numpy_tensor.h"
#include "frontend/numpy/trace/sizes.h"

namespace dynacc::numpy {

// A view of `base` with that node (a View or Reshape of base's), which writes to `base` keep up.
NumpyTensor* NewViewTensor(symbolic::TraceContext& trace, NumpyTensor* base, const ir::Node* node,
                           const Shape& shape, const COrder& c_order);

// base.transpose(permutation).
NumpyTensor* TransposedView(symbolic::TraceContext& trace, NumpyTensor* base,
                            absl::Span<const int64_t> permutation);

// A view that has base's axes `axes` in that order, -1 for a new axis of size 1. The axes that are
// left out have size 1.
NumpyTensor* AxesView(symbolic::TraceContext& trace, NumpyTensor* base,
                      absl::Span<const int64_t> axes);

// The elements of `base` in another shape, in C order, where it may be a copy or a view: writes to
// either are refused from here on. For traces with free orders.
NumpyTensor* MaybeView(symbolic::TraceContext& trace, NumpyTensor* base, const Shape& shape);

// base.reshape(shape), which must have the same number of elements, as a view. GraphBreak if NumPy
// may copy, as far as is known of base's memory; a MaybeView where orders are free.
absl::StatusOr<NumpyTensor*> ReshapedView(symbolic::TraceContext& trace, NumpyTensor* base,
                                          const Shape& shape);

// The same for a shape argument, which may have a -1 in it; always a fresh view.
absl::StatusOr<NumpyTensor*> ReshapedArray(symbolic::TraceContext& trace, NumpyTensor* a,
                                           Shape shape);

// A fresh array of `rank` axes whose one element is the scalar.
NumpyTensor* ArrayOfScalar(symbolic::TraceContext& trace, NumpyTensor* scalar, int rank);

// GraphBreak for NumPy scalars, which have no memory to view.
absl::Status RequireArray(const symbolic::TensorValue* tensor);

}  // namespace dynacc::numpy
