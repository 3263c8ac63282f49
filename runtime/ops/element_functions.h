// Element functions: each elementwise op on one element, in plain C++.
//
// The meaning of the ops, written out: NumPy's semantics for every dtype (integers wrap without
// undefined behaviour, division and shifts at their corners, casts as on x86-64), libm for the
// transcendental functions, whose last digits may thus differ from NumPy's own loops. Slow: a call
// an element. Used by the reference target and by constant folding.
#pragma once

#include "runtime/ops/op.h"
#include "runtime/tensor/dtype.h"

namespace dynacc {

// Reads its operands (aligned, of one dtype) and writes one result of the op's result dtype. Raises
// floating-point flags as the operation does; integer division by zero raises FE_DIVBYZERO.
using UnaryElementFn = void (*)(const void* a, void* result);
using BinaryElementFn = void (*)(const void* a, const void* b, void* result);

// The function of a unary or binary op on `dtype`, or null where NumPy has none for that dtype
// without casting first (sin of integers, invert of floats) and for low-precision floats. Null for
// an op of another category, and for registered ops, which have loops alone.
UnaryElementFn FindUnaryElementFn(Op op, DType dtype);
BinaryElementFn FindBinaryElementFn(Op op, DType dtype);

// ndarray.astype(casting="unsafe"). Never null.
UnaryElementFn FindCastFn(DType from, DType to);

}  // namespace dynacc
