// Reading through arrays of indices: `a[rows]`, `a[rows, columns]`, `a[:, [0, 2]]`, `a[mask]`.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/numpy/trace/numpy_tensor.h"
#include "frontend/numpy/trace/sizes.h"

namespace dynacc::numpy {

// a[key], where some item of the key is an array or list of ints, or one is a mask: then the size
// of the result is data-dependent (data_dependent_calls.h). GraphBreak for other keys, which make
// views.
absl::StatusOr<symbolic::Value*> Gather(symbolic::TraceContext& trace, NumpyTensor* a,
                                        symbolic::Value* key);

// The shape of a[key] for such a key without a mask.
absl::StatusOr<Shape> GatheredShape(symbolic::TraceContext& trace, NumpyTensor* a,
                                    symbolic::Value* key);

}  // namespace dynacc::numpy
