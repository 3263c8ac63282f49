#include "codegen/kernel/kernel.h"

namespace dynacc {

bool IsEmitted(Op op, DType dtype, bool fast_math) {
  // fast_math adds emitters of its own in codegen/emit; the table says what has NumPy's bits.
  (void)fast_math;
  if (HasTrait(op, kEmitted)) return true;
  return HasTrait(op, IsFloat(dtype) ? kEmittedFloat : kEmittedInt);
}

}  // namespace dynacc
