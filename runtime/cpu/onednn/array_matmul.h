// Products of arrays that lie anywhere, by oneDNN (fused_matmul.h).
//
// Operands that lie as oneDNN wants them are read in place; others are copied. A stack of products
// with one right operand is one product of as many rows.
#pragma once

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/cpu/onednn/epilogue.h"
#include "runtime/cpu/onednn/matmul_work.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::cpu {

// Whether oneDNN is to compute such a product: the same for captured code and for eager functions,
// so that both have the same bits. False without oneDNN.
bool IsWorthOneDnn(DType operands, const MatmulWork& work);

struct ArrayStep {
  EpilogueKind kind;
  float alpha = 0;
  float beta = 0;
  StridedView array;  // of arrays: of the product's shape, or one row that is repeated
  bool is_row = false;
};

// out = epilogue(a @ b), by NumPy's rules for ranks of 2 and more; `out` has the result's shape and
// at least one element, and so has `a`. The operands are float32 or both bfloat16, `out` is
// float32. OneDnnStatus() must be OK. Errors and flags: as MultiplyFused.
absl::Status MultiplyArrays(const StridedView& a, const StridedView& b,
                            absl::Span<const ArrayStep> epilogue, const StridedView& out);

}  // namespace dynacc::cpu
