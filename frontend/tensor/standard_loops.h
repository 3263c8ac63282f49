// Loops for what the array API standard wants otherwise than NumPy's loops compute it.
#pragma once

#include "runtime/kernel/library_loops.h"
#include "runtime/ops/op.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::tensor {

// The loop that computes `op` on tensors of `dtype`: the registered library loop, or one around it.
// Empty if there is none.
//
// floor_divide: where an operand is infinite the standard prefers floor(x1 / x2), NumPy pairs it
// with the remainder as Python does (inf // 2 is NaN, 1.0 // -inf is -1).
//
// expm1 of complex numbers: NumPy's formula multiplies infinity by 0; where it is not finite,
// exp(x) - 1 has the standard's values.
//
// tanh and tan of complex numbers: at infinity C gives the result's part that is 0 the sign of
// sin(2 b), b the argument's finite part, and the standard that of b.
//
// power of floats: where TakesRoots.
//
// of low-precision floats: see low_precision.h.
//
// tests/array_api has the cases; TraceElementwise makes the same of graph nodes.
kernel::LibraryLoop StandardLoop(Op op, DType dtype);

// `loop`, which computes `op`, or one around it that hands it operands which are walked backwards
// the right way round: loops of NumPy 2 compute those in another way, with other last bits, and
// captured code packs them. Needs the GIL.
kernel::LibraryLoop ForwardLoop(Op op, DType dtype, const kernel::LibraryLoop& loop);

// Whether NumPy's loop of powers takes the square root where all elements have the exponent 0.5, as
// NumPy 2.4's does: the root of -0.0 is -0.0 and that of -inf NaN, the powers 0.0 and inf. Asked of
// the loop itself, once. False for dtypes other than float32 and float64.
bool TakesRoots(DType dtype);

}  // namespace dynacc::tensor
