// LaunchStep: runs one compiled kernel over N-d operands.
#pragma once

#include <memory>
#include <vector>

#include "runtime/executor/loop_nest.h"
#include "runtime/executor/row_stage.h"
#include "runtime/executor/step.h"
#include "runtime/kernel/compiled_kernel.h"
#include "runtime/kernel/kernel.h"

namespace dynacc::executor {

// A kernel with what the executor must know of it besides how to run it.
struct KernelPlan {
  std::shared_ptr<const kernel::CompiledKernel> kernel;
  ShapePlan shape;  // of the iteration: every operand's own
  std::vector<OperandPlan> inputs;
  std::vector<DType> input_dtypes;
  std::vector<bool> input_is_number;  // of a kScalar buffer: no memory is read for it
  std::vector<DType> output_dtypes;
  double cost = 1;  // rough nanoseconds an element, to decide on threads
  Work work = {};   // of an element: WorkOf
};

// What a kernel computes of one element.
Work WorkOf(const kernel::Kernel& kernel);

class LaunchStep : public Step, public RowStage {
 public:
  // `outputs`: a buffer for each of the kernel's outputs.
  LaunchStep(KernelPlan plan, std::vector<int> outputs);

  absl::Status Run(RunFrame& frame) const override;

  bool AsFlat(const std::vector<BufferPlan>& buffers, FlatLaunch& launch) const override;
  bool Bind(Binder& binder) const override;

  const RowStage* row_stage() const override { return has_rolls_ ? nullptr : this; }
  bool CanCut(const RunFrame&) const override { return true; }
  void Gather(const RunFrame& frame, RowOperands& operands) const override;
  std::unique_ptr<const ReadyRows> Prepare(const RunFrame& frame,
                                           const LoopNest& part) const override;
  bool reads_ahead() const override { return true; }
  const ShapePlan& iteration() const override { return plan_.shape; }
  std::vector<int> inputs() const override;
  const std::vector<int>& outputs() const override { return outputs_; }
  double Cost(const RunFrame&) const override { return plan_.cost; }
  Work WorkIn(const RunFrame& frame) const override {
    return plan_.work * frame.ElementsOf(plan_.shape);
  }

  const KernelPlan& plan() const { return plan_; }

 private:
  void GatherNest(const RunFrame& frame, LoopNest& nest) const;
  bool IsFlat(const RunFrame& frame) const;
  void RunFlat(RunFrame& frame) const;
  void RunNest(RunFrame& frame) const;
  void RunRolled(RunFrame& frame) const;

  KernelPlan plan_;
  std::vector<int> outputs_;
  bool has_views_ = false;
  bool has_rolls_ = false;
  int bytes_read_ = 0;     // an element
  int bytes_written_ = 0;  // an element
};

// The kernel's inputs where they lie in this run.
class ResolvedInputs {
 public:
  ResolvedInputs(const KernelPlan& plan, const RunFrame& frame);

  const StridedView& operator[](int k) const { return *views_[k]; }

 private:
  boost::container::small_vector<StridedView, 4> storage_;
  const StridedView* views_[kMaxOperands];
  int count_ = 0;
};

// Runs the plan's kernel over a nest of all its operands, on several threads if it is long enough.
// A very long launch goes in rounds, between which it may be told to stop.
void LaunchKernel(RunFrame& frame, const KernelPlan& plan, const LoopNest& nest);

// Threads worth using for `elements` elements of `cost` nanoseconds each.
int PartsFor(int64_t elements, double cost);

// Rounds that a launch of so many parts goes in.
int RoundsFor(int64_t elements, double cost, int parts);

}  // namespace dynacc::executor
