// Temporaries: results of operators and calls that only the value stack refers to.
//
// NumPy computes `a + 1 + b` in the memory of `a + 1`, if that is large (numpy/core/src/multiarray/
// temp_elide.c of NumPy 1.24): the result then lies in memory as the temporary did, and not as
// fresh results of these two operands do.
#pragma once

#include "frontend/tracer/tracer.h"

namespace dynacc::tracer {

// Makes `result`, what the operator at `instruction` gave for its one or two operands (`right` is
// null for a unary one), lie where NumPy puts it. GraphBreak where an operand that the segment
// found on the stack may be a temporary: an operator, a call or a subscript has left it there, or
// control flow decides what has.
absl::Status PlaceInTemporary(Tracer& tracer, const bytecode::Instruction& instruction,
                              symbolic::Value* left, symbolic::Value* right,
                              symbolic::Value* result);

}  // namespace dynacc::tracer
