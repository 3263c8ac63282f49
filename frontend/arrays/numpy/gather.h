// Reading through arrays of indices: `a[rows]`, `a[rows, columns]`, `a[:, [0, 2]]`.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/arrays/numpy/numpy_tensor.h"
#include "frontend/arrays/numpy/sizes.h"

namespace dynacc {

// a[key], where some item of the key is an array or list of ints. GraphBreak for other keys: masks
// (the size of the result depends on their values), and keys that make views.
absl::StatusOr<Value*> Gather(TraceContext& trace, NumpyTensor* a, Value* key);

// The shape of a[key] for such a key.
absl::StatusOr<Shape> GatheredShape(TraceContext& trace, NumpyTensor* a, Value* key);

}  // namespace dynacc
