// The compiled half of the array namespace: what the Python files of dynacc are written with.
#pragma once

#include "frontend/cpython/ref.h"

namespace dynacc::tensor {

// The module, made at the first call: the type Tensor, the dtypes by name, the functions of
// elementwise.def, and primitives. Imports NumPy, whose loops compute. Null with an exception set:
// ImportError if NumPy is missing or of a version that is not known.
Ref ArraysModule();

}  // namespace dynacc::tensor
