// Simplification of scalar expressions: rules that hold for every value of the operands.
//
// Evaluation runs every expression of a program, so an operand that fails still makes the program
// fail when a rule has dropped it: rules only have to be right where the operands have values.
#pragma once

#include "runtime/scalar/scalar_program.h"

namespace dynacc {

// An expression equal to `expr` (not yet in `program`, not all constants), or kNoScalar.
ScalarId SimplifyScalar(ScalarProgram& program, const ScalarExpr& expr);

// Puts the operands of a commutative op on ints in order: constants last, else the older first.
void CanonicalizeScalar(const ScalarProgram& program, ScalarExpr& expr);

}  // namespace dynacc
