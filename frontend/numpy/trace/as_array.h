// np.asarray of any value: of an array that array, else a fresh one.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/numpy/trace/numpy_tensor.h"

namespace dynacc::numpy {

// `dtype`: the argument of that name, or null. GraphBreak for values that no array is made of.
absl::StatusOr<NumpyTensor*> AsArrayValue(symbolic::TraceContext& trace, symbolic::Value* value,
                                          symbolic::Value* dtype);

}  // namespace dynacc::numpy
