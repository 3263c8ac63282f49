// Whether the loops of the NumPy at hand give what kernels give.
//
// Kernels compute some ops themselves (ops.def says which, with NumPy 1.24's bits), and hand tiles
// to NumPy's loops for the rest: always operands without gaps. Both are proven by tests for
// NumPy 1.x. Of a NumPy 2 it is asked of the loops themselves, when an op is first traced: the
// results of some hundred samples, special values among them, must be the same bits as the op's
// element function gives, and the same whether operands have gaps or are one number for all. What
// fails is left to NumPy's own call (a LibraryCall node). Tensors are not NumPy's: one NaN is as
// good as another there, and operands that are walked backwards are turned round first
// (frontend/tensor/standard_loops.h).
#pragma once

#include "runtime/ops/op.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::numpy {

enum class LoopBits {
  kAsKernels,
  kUnlessBackwards,  // as kernels', but where an operand is walked from its end to its start
  kButForNans,       // kAsKernels or kUnlessBackwards but for the signs and payloads of NaNs
  kOther,
};

// For an elementwise op with a library loop for `dtype`. Products of complex128 are asked about in
// another way (complex_product.h), as are the exponents of powers (HasFastPowers).
LoopBits BitsOfLoop(Op op, DType dtype);

// Whether NumPy 2's loop of complex products gives what Op::kMultiplyFused does, however operands
// lie, into fresh results. (Into arrays that are there it may not: complex_product.h.)
bool ProductsAreFused(DType dtype);

// How NumPy's clip loop chooses between a float and a bound that is equal, of which one may be
// -0.0: the bound (NumPy 1.x: `a > min ? a : min`), or the float (`a < min ? min : a`), which newer
// loops keep where both bounds are one number for the whole loop. kOther: in neither way.
enum class ClipKeeps { kBound, kElement, kOther };
ClipKeeps ClipKeepsOf(DType dtype, bool bounds_are_numbers);

// Whether NumPy's power loops take short cuts for an exponent that is one number for the whole loop
// (POWER_FAST_PATH in numpy/_core/src/umath/fast_loop_macros.h): a reciprocal, ones, a root, the
// number itself or a square in place of pow, with other bits.
bool HasFastPowers();
// Whether the loop of float32 or float64 takes at least the one for squares, as those of 2.2 do.
bool PowerSquares(DType dtype);

// Finds out how this NumPy cuts reductions into calls (runtime/executor/reduce_calls.h) and tells
// the executor; once, after LoadUfuncs. Until then, and if it does so in neither of the ways known,
// ReductionsAreKnown is false.
void LearnReductions();
bool ReductionsAreKnown();

}  // namespace dynacc::numpy
