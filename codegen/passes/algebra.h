// Algebra: identities that hold bit for bit, for every value of the operands.
//
// On floats that leaves little: NaN payloads, signed zeros, flags and signalling NaNs all count.
// The memory order of results counts too: NumPy gives a computed array an order of its own, so an
// operation is only replaced by an operand that is itself computed (see IsComputed).
// The rules are a table in algebra.cc, one function each.
#pragma once

#include <memory>

#include "codegen/ir/graph.h"

namespace dynacc {

std::unique_ptr<Graph> SimplifyAlgebra(const Graph& graph);

}  // namespace dynacc
