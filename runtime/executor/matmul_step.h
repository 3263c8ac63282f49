// MatmulStep: matrix products by the array library's own loop, and so by its BLAS.
#pragma once

#include "runtime/executor/step.h"
#include "runtime/kernel/library_loops.h"

namespace dynacc {

// Operands of rank 2 or more: (..., m, k) and (..., k, p) give (..., m, p); the leading axes have
// been broadcast to one shape or are missing in an operand.
//
// NumPy has BLAS compute half of the product of a matrix with its own transpose, which can differ
// in bits from the product of two matrices, and knows it by the address. `apart`: the program's
// operands are two arrays; if the graph has one for both, the step copies it. Otherwise one that
// the graph knows as a number only is written out once for both.
class MatmulStep : public Step {
 public:
  MatmulStep(LibraryLoop loop, OperandPlan a, OperandPlan b, bool apart, int output)
      : loop_(loop), a_(std::move(a)), b_(std::move(b)), apart_(apart), output_(output) {}
  absl::Status Run(RunFrame& frame) const override;

 private:
  LibraryLoop loop_;
  OperandPlan a_;
  OperandPlan b_;
  bool apart_;
  int output_;
};

// The products of arrays in memory by such a loop; `out` has at least one element.
void MultiplyByLoop(const LibraryLoop& loop, const StridedView& a, const StridedView& b,
                    const StridedView& out);

}  // namespace dynacc
