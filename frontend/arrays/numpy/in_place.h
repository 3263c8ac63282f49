// `a += b` and its kin on arrays that the segment made itself.
#pragma once

#include "absl/status/status.h"
#include "frontend/arrays/numpy/numpy_tensor.h"

namespace dynacc {

// Breaks unless `target`'s memory is the segment's own and no other value sees it.
absl::Status CheckUpdatable(const TensorValue* target);

// Makes `result` (of `target` op `other`) the new content of `target`, cast to its dtype. Breaks
// where NumPy would raise (a shape or dtype that does not fit), and where the memory order of the
// array, which an update keeps, is not certain to be that of a fresh result.
absl::Status UpdateInPlace(TraceContext& trace, NumpyTensor* target, Value* other,
                           NumpyTensor* result);

}  // namespace dynacc
