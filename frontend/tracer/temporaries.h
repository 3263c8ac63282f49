// Temporaries: results of operators that only the value stack refers to.
//
// NumPy computes `a + 1 + b` in the memory of `a + 1`, if that is large (numpy/core/src/multiarray/
// temp_elide.c of NumPy 1.24): the result then lies in memory as the temporary did, and not as
// fresh results of these two operands do.
#pragma once

#include "frontend/tracer/tracer.h"

namespace dynacc {

// Notes that the operator or comparison at `instruction`, of `left` and `right` (null: of one
// operand), gave `result`. The instruction is one of the frame's code.
void NoteOperatorResult(Tracer& tracer, const Instruction& instruction, Value* left, Value* right,
                        Value* result);

// Makes `result`, what the operator at `instruction` gave for its one or two operands (`right` is
// null for a unary one), lie where NumPy puts it. GraphBreak where control flow decides whether an
// operand is a temporary. What a call returned counts as none, although it may be one, but where
// that would change the result's bits: there it is a GraphBreak, too.
absl::Status PlaceInTemporary(Tracer& tracer, const Instruction& instruction, Value* left,
                              Value* right, Value* result);

}  // namespace dynacc
