// AppendProgram: one scalar program's expressions made again in another one.
//
// For whoever makes a graph of another: numbers of the one become numbers, expressions or constants
// of the other.
#pragma once

#include <vector>

#include "absl/functional/function_ref.h"
#include "runtime/scalar/scalar_program.h"

namespace dynacc {

// Makes every expression of `from` whose id is made.size() or more in `to`, and appends the ids
// that they have there to `made`: one for each id of `from`, so that a program that has grown is
// continued. `leaf` gives the expression of `to` that stands for an input or a data-dependent
// number of `from`; it is told its id there and asked once about each, in order.
void AppendProgram(const ScalarProgram& from, ScalarProgram& to,
                   absl::FunctionRef<ScalarId(ScalarId, const ScalarExpr&)> leaf,
                   std::vector<ScalarId>& made);

// The constant of that type and value.
ScalarId Constant(ScalarProgram& program, ScalarType type, ScalarValue value);

}  // namespace dynacc
