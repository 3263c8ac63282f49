// Python's number protocol and comparisons for tensors: slots of the type.
#pragma once

#include <vector>

#include "frontend/cpython/ref.h"

namespace dynacc::tensor {

// Appends the slots of operators, comparisons and conversions to Python numbers.
void AddOperatorSlots(std::vector<PyType_Slot>& slots);

}  // namespace dynacc::tensor
