// ReduceStep: a reduction in NumPy's order, by NumPy's own reduce loop.
//
// The order (PyUFunc_Reduce and the buffered nditer of NumPy 1.24; tests/runtime/executor compares
// with a model that was checked against NumPy itself): axes are iterated as nditer orders them for
// the operand alone. If the innermost axes are reduced, each run along them is cut into chunks of
// 8192 elements, each given to the loop as one call (the loop adds a chunk pairwise). If the
// innermost axis is kept, contributions are added elementwise, one after another. Where there is an
// identity the result starts with it, otherwise with the first element, which is then skipped.
// NumPy 2.3 cuts runs where it must copy elements into a buffer only (reduce_calls.h).
//
// Sums, greatest and least elements of runs without gaps are our own, with the loop's bits
// (runtime/cpu/loops/pairwise_sum.h and extreme_run.h).
//
// What is reduced is an array in memory or, with a producer, what a kernel computes: it then writes
// chunk by chunk into scratch memory and nothing is stored.
#pragma once

#include <optional>
#include <vector>

#include "runtime/cpu/loops/extreme_run.h"
#include "runtime/cpu/loops/pairwise_sum.h"
#include "runtime/cpu/loops/row_sum.h"
#include "runtime/executor/launch_step.h"
#include "runtime/executor/reduce_calls.h"
#include "runtime/executor/row_stage.h"
#include "runtime/executor/step.h"
#include "runtime/kernel/library_loops.h"
#include "runtime/ops/op.h"

namespace dynacc::executor {

struct ReducePlan {
  Op op = Op::kReduceSum;
  kernel::LibraryLoop loop;       // that does `op`
  DType dtype = DType::kFloat64;  // of the elements and of the result
  ShapePlan shape;                // of what is reduced
  std::vector<int> axes;          // reduced, ascending
  bool keepdims = false;
  std::optional<int> identity;    // none: starts with the first element
  bool by_calls = true;           // the bits depend on how many elements each call of `loop` gets
  bool separable = false;         // loop(acc, x) == acc op loop(identity, x), bit for bit
  bool loop_raises_flags = true;  // whether flags after the loop count
  bool producer_raises_flags = true;
  // Do what `loop` does to runs without gaps, sooner; null: nothing does.
  cpu::SumRunsFn sum_runs = nullptr;
  cpu::SumRowsFn sum_rows = nullptr;
  cpu::ExtremeRunFn extreme_run = nullptr;
  cpu::ExtremeRowsFn extreme_rows = nullptr;
  KernelPlan producer;  // producer.kernel is null if `source` is reduced as it lies
  OperandPlan source;
  int source_layout = -1;  // where NumPy has what is reduced: a step of the LayoutProgram
  int output = 0;
};

// Fills in what does `plan.op` on `plan.dtype` sooner than `plan.loop`.
void FindQuickRuns(ReducePlan& plan);

class ReduceStep : public Step, public RowStage {
 public:
  explicit ReduceStep(ReducePlan plan);
  absl::Status Run(RunFrame& frame) const override;
  bool Bind(Binder& binder) const override;

  const RowStage* row_stage() const override { return this; }
  bool CanCut(const RunFrame& frame) const override;
  void Gather(const RunFrame& frame, RowOperands& operands) const override;
  std::unique_ptr<const ReadyRows> Prepare(const RunFrame& frame,
                                           const LoopNest& part) const override;
  bool reads_ahead() const override { return true; }
  const ShapePlan& iteration() const override { return plan_.shape; }
  std::vector<int> inputs() const override;
  const std::vector<int>& outputs() const override { return outputs_; }
  size_t scratch_bytes() const override;
  double Cost(const RunFrame& frame) const override;
  Work WorkIn(const RunFrame& frame) const override;

  const ReducePlan& plan() const { return plan_; }

 private:
  ReducePlan plan_;
  std::vector<int> outputs_;
  uint32_t reduced_ = 0;  // bit i: axis i
};

}  // namespace dynacc::executor
