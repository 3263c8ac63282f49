// Eager matrix products of tensors.
#pragma once

#include "frontend/arrays/native/tensor_object.h"

namespace dynacc {

// a @ b, if both are float32, or both bfloat16, of rank 2 and more in host memory, and large enough
// for oneDNN (codegen/targets/cpu/onednn), which has quick code for them: with the bits that
// captured code gives. Of bfloat16 the sums are float32's, rounded once. None otherwise, and where
// the shapes do not fit. Null with a MemoryError.
Ref MultiplyTensors(TensorObject* a, TensorObject* b);

}  // namespace dynacc
