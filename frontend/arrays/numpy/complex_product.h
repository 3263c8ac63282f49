// The product of complex128 arrays, which NumPy 1.24 rounds in one of two ways.
//
// On CPUs with AVX-512 its loop runs vector code where all operands lie without gaps, each apart
// from the result; other operands (strided, one element for all, the result itself) take code in
// which the compiler has fused a product into each sum. Single elements are never fused. The graph
// has an op for each (ops.def). Which one it is must be known when the product is traced.
#pragma once

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "frontend/arrays/numpy/elementwise.h"

namespace dynacc {

// The op that does what the ufunc of `op` does on these operands: another than `op` for some
// products. GraphBreak if it is not known, or NumPy's loop does neither.
absl::StatusOr<Op> ProductForm(TraceContext& trace, Op op, absl::Span<const Operand> operands,
                               const Prepared& prepared);

// The node for `result`, an operation on `target` that is stored into `target`.
const Node* InPlaceProduct(TraceContext& trace, const NumpyTensor* target,
                           const NumpyTensor* result);

}  // namespace dynacc
