// Places in arrays that arrays compute (`table[:, best]`, `x[:found]`): numbers that only the run
// tells, like the sizes of data_dependent_calls.h. A view at such a place is a view like others.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/numpy/trace/numpy_tensor.h"
#include "frontend/numpy/trace/sizes.h"

namespace dynacc::numpy {

// The key with the ints that arrays compute, as indices and as bounds of slices, in the place of
// which come data-dependent numbers between 0 and the size of their axis. A run in which an index
// is out of range is given up. GraphBreak if there are none, or the key has arrays in it.
absl::StatusOr<symbolic::Value*> KeyWithPlaces(symbolic::TraceContext& trace, NumpyTensor* a,
                                               symbolic::Value* key);

// A bound of a slice that arrays compute, of an axis of that size, likewise; other values as they
// are.
absl::StatusOr<symbolic::Value*> BoundWithPlace(symbolic::TraceContext& trace,
                                                symbolic::Value* bound, Size size);

// Takes it for granted, and lets the run look, that op(a, b) holds of sizes of which one is
// data-dependent. False if it never does.
bool TakeForGranted(symbolic::TraceContext& trace, ScalarOp op, Size a, Size b);

}  // namespace dynacc::numpy
