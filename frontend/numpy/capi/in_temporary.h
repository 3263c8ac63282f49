// Operators of large arrays that nothing but the value stack refers to.
//
// NumPy computes `a + 1 + b` in the memory of `a + 1` (temp_elide.c of NumPy 1.24), but only where
// CPython's own loop calls it: it looks at the C stack. What runs an instruction in the loop's
// place asks here first, so that the result lies in memory as it would.
#pragma once

#include "frontend/cpython/ref.h"

namespace dynacc::numpy {

// Whether it does so in this process at all. It looks for the names of CPython's functions, which
// not every build shows it. Asked of NumPy itself, once, by an operator that CPython runs.
bool ComputesInTemporaries();

// If NumPy would compute the operator (nb_op: NB_ADD ..., opcode: UNARY_NEGATIVE ...) in the memory
// of an operand, does so: *result is the operand (a new reference), or null with an exception set.
// Otherwise returns false. The caller holds one reference of each operand. Needs NumPy.
bool BinaryInTemporary(int nb_op, BorrowedRef left, BorrowedRef right, PyObject** result);
bool UnaryInTemporary(int opcode, BorrowedRef operand, PyObject** result);

}  // namespace dynacc::numpy
