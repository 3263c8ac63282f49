// Loops for what no ufunc does, or does in more than one way, in the form of NumPy's inner loops.
#pragma once

#include "runtime/kernel/library_loops.h"
#include "runtime/ops/op.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::cpu {

// args: source, destination. The conversions are C's, as NumPy's are (to bool: x != 0).
kernel::LibraryLoop CastLoop(DType from, DType to);

// The parts and the products of complex numbers: NumPy's own loop multiplies in one way or another,
// depending on how its operands lie, and the graph has an op for each. An elementwise op that names
// no ufunc has its element function (runtime/ops/element_functions.h), called for each element.
// Empty for any other op.
kernel::LibraryLoop ElementLoop(Op op, DType dtype);

// args: condition (bool), a, b, destination; the last three of `dtype`.
kernel::LibraryLoop WhereLoop(DType dtype);

}  // namespace dynacc::cpu
