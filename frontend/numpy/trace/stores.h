// `a[key] = value`: assignment to parts of arrays, with ints, slices, None, Ellipsis and masks.
#pragma once

#include "absl/status/status.h"
#include "frontend/numpy/trace/numpy_tensor.h"

namespace dynacc {

// As ArrayNamespace::StoreSubscript. GraphBreak where NumPy raises or warns.
absl::Status NumpyStoreSubscript(TraceContext& trace, NumpyTensor* a, Value* key, Value* value);

// A single number as an element of an array of `dtype`; GraphBreak for what assigning it might warn
// of, raise, or convert by rules of its own.
absl::StatusOr<const Node*> NumberAs(TraceContext& trace, Value* value, DType dtype);

// GraphBreak for a value, a single one or an array, of which the same is true.
absl::Status RequireAssignable(TraceContext& trace, Value* value, DType dtype);

// `a[...] = value`.
absl::Status Assign(TraceContext& trace, NumpyTensor* a, Value* value);

// GraphBreak unless assigning an array of `from` to one of `to` casts as astype does.
absl::Status RequireArrayCast(DType from, DType to);

}  // namespace dynacc
