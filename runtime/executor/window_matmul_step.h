// WindowMatmulStep: products of windows of an array and one matrix, as convolutions are written.
#pragma once

#include "absl/status/statusor.h"
#include "runtime/executor/matmul_step.h"
#include "runtime/executor/step.h"

namespace dynacc::executor {

// The product that a MatmulStep gives of the windows' elements, in C order, as matrices with as
// many columns as the right operand has rows. `plan.a`: the windows, of any shape.
class WindowMatmulStep : public Step {
 public:
  explicit WindowMatmulStep(MatmulPlan plan) : plan_(std::move(plan)) {}
  absl::Status Run(RunFrame& frame) const override;
  Work WorkIn(const RunFrame& frame) const override { return WorkOf(plan_, frame); }

  const MatmulPlan& plan() const { return plan_; }

 private:
  MatmulPlan plan_;
};

// The windows as the matrices that are multiplied: of the shape of `out`, but with as many columns
// as `b` has rows. The elements are where `windows` shows them, if strides can say so; else in
// `memory`. INTERNAL if `windows` has more elements or fewer; RESOURCE_EXHAUSTED.
absl::StatusOr<StridedView> WindowMatrices(const StridedView& windows, const StridedView& b,
                                           const StridedView& out, ScratchBlock& memory);

// out = m @ b by `loop`, where m is WindowMatrices and b one matrix. Where the sums are in order,
// kernels read the windows as they lie (runtime/cpu/matmul/window_rows.h); otherwise of a copy, to
// the same bits. `out` has at least one element. Errors: as WindowMatrices.
absl::Status MultiplyWindowsByLoop(const kernel::LibraryLoop& loop, const StridedView& windows,
                                   const StridedView& b, const StridedView& out);

}  // namespace dynacc::executor
