// MatmulStep: matrix products by the array library's own loop, and so by its BLAS.
#pragma once

#include "runtime/executor/matmul_rows.h"
#include "runtime/executor/step.h"

namespace dynacc::executor {

// What a product of that plan computes (Step::WorkIn).
Work WorkOf(const MatmulPlan& plan, const RunFrame& frame);

// Operands of rank 2 or more: (..., m, k) and (..., k, p) give (..., m, p); the leading axes have
// been broadcast to one shape or are missing in an operand.
//
// NumPy has BLAS compute half of the product of a matrix with its own transpose, which can differ
// in bits from the product of two matrices, and knows it by the address. `apart`: the program's
// operands are two arrays; if the graph has one for both, the step copies it. Otherwise one that
// the graph knows as a number only is written out once for both.
class MatmulStep : public Step {
 public:
  MatmulStep(MatmulPlan plan, bool apart) : rows_(std::move(plan)), apart_(apart) {}
  absl::Status Run(RunFrame& frame) const override;
  bool Bind(Binder& binder) const override;
  const RowStage* row_stage() const override { return &rows_; }
  Work WorkIn(const RunFrame& frame) const override { return WorkOf(plan(), frame); }

  const MatmulPlan& plan() const { return rows_.plan(); }
  bool apart() const { return apart_; }

 private:
  MatmulRows rows_;
  bool apart_;
};

// The products of arrays in memory by such a loop; `out` has at least one element.
void MultiplyByLoop(const kernel::LibraryLoop& loop, const StridedView& a, const StridedView& b,
                    const StridedView& out);

}  // namespace dynacc::executor
