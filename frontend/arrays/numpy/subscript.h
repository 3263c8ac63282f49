// `a[key]` with ints, slices, None and Ellipsis: views and items.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/arrays/numpy/numpy_tensor.h"

namespace dynacc {

// As ArrayNamespace::Subscript. GraphBreak for keys that are arrays, lists, bools or anything else.
absl::StatusOr<Value*> NumpySubscript(TraceContext& trace, NumpyTensor* a, Value* key);

}  // namespace dynacc
