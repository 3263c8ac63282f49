// Products of complex128 arrays, which NumPy 1.24 rounds in one of two ways, and NumPy 2 always in
// the second; magnitudes stored with gaps. No other ufunc's bits depend on where its operands lie
// (tests/programs/numpy/ufunc_layouts.py).
//
// On CPUs with AVX-512 its loop (loops_arithm_fp.dispatch.c.src, loops.c.src) runs vector code
// where all operands lie without gaps and each 64 bytes or more apart from the result; other
// operands (strided, one element for all, the result itself, arrays of rank 0) take code in which
// the compiler has fused a product into each sum. Arithmetic of scalars is never fused. The graph
// has an op for each (ops.def). Which one it is must be known when the product is traced. Of one or
// two elements it is not: fresh results of 16 or 32 bytes lie as near as malloc puts them.
#pragma once

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "frontend/numpy/trace/elementwise.h"

namespace dynacc::numpy {

// The op that does what the ufunc of `op` does on these operands into a fresh array, or what
// scalars' operator does: another than `op` for some products. GraphBreak if it is not known, or
// NumPy's loop does neither.
absl::StatusOr<Op> ProductForm(symbolic::TraceContext& trace, Op op,
                               absl::Span<const Operand> operands, const Prepared& prepared);

// Whether NumPy rounds such products in two ways here.
bool HasTwoProducts();

// Whether a product of NumPy's own (a LibraryCall) in `dtype` may have other bits in the memory of
// an operand, where the operands may have changed places: NumPy 2 fuses one product of each part.
bool ProductHasOrder(DType dtype);

// The node for `result`, if NumPy computes it in the memory of its left operand, or in that of the
// `right` one, which then counts as the left one (a fused product has an order).
const ir::Node* InPlaceProduct(const ir::Node* result, bool right, symbolic::TraceContext& trace);

// GraphBreak for a product that NumPy 2's loop stores into an array that is there: where that lies
// close to an operand, or has one element and so no stride, the loop fuses nothing. None where the
// trace is differentiated: the value may then differ in the last digit.
absl::Status RefuseStoredProduct(const symbolic::TraceContext& trace, const NumpyTensor* result);

// Makes `result` of Elementwise what a call of the ufunc gives, which is no operator even of
// scalars. `out`: the array that it is stored into, or null. GraphBreak for a product if that is
// another than the operands, which may lie anywhere (none where the trace is differentiated, as
// above), and for magnitudes of complex numbers: another code writes those with gaps.
absl::Status RequireRoundingOfCall(symbolic::TraceContext& trace,
                                   absl::Span<symbolic::Value* const> operands,
                                   const symbolic::Value* out, NumpyTensor* result);

}  // namespace dynacc::numpy
