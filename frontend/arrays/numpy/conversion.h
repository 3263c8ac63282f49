// Casts of whole arrays: which of them kernels may make in NumPy's place.
#pragma once

#include "absl/status/status.h"
#include "runtime/tensor/dtype.h"

namespace dynacc {

// GraphBreak for casts whose results, or warnings, depend on more than the elements.
absl::Status RequireCast(DType from, DType to);

}  // namespace dynacc
