// Python numbers and the elements of tensors: one made of the other.
#pragma once

#include "frontend/cpython/ref.h"
#include "frontend/tensor/promotion.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::tensor {

// Writes a Python number of that kind as an element of `dtype` to `element`. Converts between kinds
// as C does. False with an exception set: OverflowError for an int that `dtype` cannot hold.
bool StoreNumber(BorrowedRef number, NumberKind kind, DType dtype, char* element);

// The element as a Python bool, int, float or complex.
Ref LoadNumber(const char* element, DType dtype);

}  // namespace dynacc::tensor
