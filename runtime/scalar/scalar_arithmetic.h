// The arithmetic of scalar programs: Python's, on 64-bit ints and doubles.
#pragma once

#include "runtime/scalar/scalar_program.h"

namespace dynacc {

// Computes `op` (a row of scalar_ops.def) on operands of `type` (Bool computes as Int). False where
// the table says that evaluation fails; `*result` is then unspecified. `b` is ignored by
// one-operand ops.
bool EvaluateScalarOp(ScalarOp op, ScalarType type, ScalarValue a, ScalarValue b,
                      ScalarValue* result);

}  // namespace dynacc
