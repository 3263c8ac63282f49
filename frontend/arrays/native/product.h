// Eager matrix products of tensors.
#pragma once

#include "frontend/arrays/native/tensor_object.h"

namespace dynacc {

// a @ b, if both are float32 of rank 2 and more in host memory and large enough for oneDNN
// (codegen/targets/cpu/onednn), which is there: with the bits that captured code gives. None
// otherwise, and where the shapes do not fit. Null with a MemoryError.
Ref MultiplyTensors(TensorObject* a, TensorObject* b);

}  // namespace dynacc
