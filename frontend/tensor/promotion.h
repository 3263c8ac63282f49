// Which dtype a result has: the Array API standard's type promotion.
//
// Between kinds, where the standard leaves the choice, as NumPy's promote_types (int32 and float32
// give float64). bfloat16 goes with integers as float16 does, and with float16 to float32; float8
// with integers as float16 does, with each other to float16, and with a wider float to that. A
// Python number takes the dtype of the tensors beside it; one of a higher kind makes the tensors'
// the default dtype of that kind (float64), or complex of the same precision.
#pragma once

#include <optional>

#include "absl/types/span.h"
#include "frontend/cpython/ref.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::tensor {

// The kind of an int, float, complex or bool of Python (or of a subclass, as numpy.float64 is).
enum class NumberKind : uint8_t { kBool, kInt, kFloat, kComplex };
std::optional<NumberKind> KindOfNumber(BorrowedRef object);

DType Promote(DType a, DType b);
DType PromoteNumber(DType dtype, NumberKind kind);

// The dtype that a Python number has by itself: bool, int64, float64, complex128.
DType DefaultDType(NumberKind kind);

}  // namespace dynacc::tensor
