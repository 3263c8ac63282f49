// `a += b` and its kin on arrays that the segment made itself.
#pragma once

#include "absl/status/status.h"
#include "frontend/arrays/numpy/numpy_tensor.h"

namespace dynacc {

// Breaks unless `target`'s memory is the segment's own and no other value sees it.
absl::Status CheckUpdatable(const TensorValue* target);

// Makes `result` the new content of `target`, cast to its dtype; the array stays where it lies.
// Breaks where NumPy would raise (a shape or dtype that does not fit).
absl::Status UpdateInPlace(TraceContext& trace, NumpyTensor* target, NumpyTensor* result);

}  // namespace dynacc
