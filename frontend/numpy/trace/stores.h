// `a[key] = value`: assignment to parts of arrays, with ints, slices, None, Ellipsis and masks.
#pragma once

#include "absl/status/status.h"
#include "frontend/numpy/trace/numpy_tensor.h"

namespace dynacc::numpy {

// As ArrayNamespace::StoreSubscript. GraphBreak where NumPy raises or warns.
absl::Status NumpyStoreSubscript(symbolic::TraceContext& trace, NumpyTensor* a,
                                 symbolic::Value* key, symbolic::Value* value);

// A single number as an element of an array of `dtype`; GraphBreak for what assigning it might warn
// of, raise, or convert by rules of its own.
absl::StatusOr<const ir::Node*> NumberAs(symbolic::TraceContext& trace, symbolic::Value* value,
                                         DType dtype);

// GraphBreak for a value, a single one or an array, of which the same is true.
absl::Status RequireAssignable(symbolic::TraceContext& trace, symbolic::Value* value, DType dtype);

// `a[...] = value`.
absl::Status Assign(symbolic::TraceContext& trace, NumpyTensor* a, symbolic::Value* value);

// GraphBreak unless assigning an array of `from` to one of `to` casts as astype does.
absl::Status RequireArrayCast(DType from, DType to);

}  // namespace dynacc::numpy
