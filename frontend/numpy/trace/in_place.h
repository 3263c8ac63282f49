// `a += b` and its kin, and `out=` arguments: results that go into an array that is there.
#pragma once

#include "absl/status/status.h"
#include "frontend/numpy/trace/numpy_tensor.h"

namespace dynacc::numpy {

// Makes `result`, cast and broadcast, the new content of `target`. Breaks where NumPy would raise
// (a shape or dtype that does not fit, an array that may not be written) and as Write does.
absl::Status UpdateInPlace(symbolic::TraceContext& trace, NumpyTensor* target, NumpyTensor* result);

}  // namespace dynacc::numpy
