// The Python type dynacc.Tensor.
#pragma once

#include "frontend/cpython/ref.h"

namespace dynacc::tensor {

// Makes the type, once. False with an exception set.
bool MakeTensorType();

}  // namespace dynacc::tensor
