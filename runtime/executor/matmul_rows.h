// MatmulRows: the rows of a matrix product as a stage of a RowBlockStep.
//
// A product whose sums are in order (runtime/cpu/matmul) has the same bits whichever rows are
// computed at a time. So the scores of an attention need never be there as a whole: some rows of
// them are computed, go through a softmax and are multiplied again, in cache. The right operand is
// read, and brought into the kernels' order, once for each block of rows.
#pragma once

#include <memory>
#include <vector>

#include "runtime/executor/row_stage.h"
#include "runtime/kernel/library_loops.h"

namespace dynacc::executor {

struct MatmulPlan {
  kernel::LibraryLoop loop;  // NumPy's, or what stands for it
  OperandPlan a;
  OperandPlan b;
  ShapePlan shape;  // of the result
  ScalarId inner;   // factors of each sum
  int output;
};

class MatmulRows : public RowStage {
 public:
  explicit MatmulRows(MatmulPlan plan) : plan_(std::move(plan)), outputs_{plan_.output} {}
  const MatmulPlan& plan() const { return plan_; }

  bool CanCut(const RunFrame& frame) const override;
  int64_t LeastRows(const RunFrame& frame, int axis) const override;
  void Gather(const RunFrame& frame, RowOperands& operands) const override;
  std::unique_ptr<const ReadyRows> Prepare(const RunFrame& frame,
                                           const LoopNest& part) const override;
  const ShapePlan& iteration() const override { return plan_.shape; }
  std::vector<int> inputs() const override { return {plan_.a.buffer, plan_.b.buffer}; }
  const std::vector<int>& outputs() const override { return outputs_; }
  size_t scratch_bytes() const override;
  double Cost(const RunFrame& frame) const override;

 private:
  MatmulPlan plan_;
  std::vector<int> outputs_;
};

// Fills an operand's strides along the leading axes of a product with `leading` of them: 0 where
// the operand has none or is broadcast.
void LeadingStrides(const StridedView& operand, int leading, int64_t* strides);

}  // namespace dynacc::executor
