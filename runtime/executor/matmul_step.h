// MatmulStep: matrix products by the array library's own loop, and so by its BLAS.
#pragma once

#include "runtime/executor/step.h"
#include "runtime/kernel/library_loops.h"

namespace dynacc {

// Operands of rank 2 or more: (..., m, k) and (..., k, p) give (..., m, p); the leading axes have
// been broadcast to one shape or are missing in an operand.
class MatmulStep : public Step {
 public:
  MatmulStep(LibraryLoop loop, OperandPlan a, OperandPlan b, int output)
      : loop_(loop), a_(std::move(a)), b_(std::move(b)), output_(output) {}
  absl::Status Run(RunFrame& frame) const override;

 private:
  LibraryLoop loop_;
  OperandPlan a_;
  OperandPlan b_;
  int output_;
};

}  // namespace dynacc
