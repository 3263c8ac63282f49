// The executor's steps that launch emitted kernels on a device.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "codegen/emit/row_loop.h"
#include "codegen/targets/device_module.h"
#include "runtime/cache/kernel_cache.h"
#include "runtime/cuda/cuda_module.h"
#include "runtime/cuda/kernel_parameters.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/launch_step.h"
#include "runtime/executor/reduce_step.h"
#include "runtime/executor/step.h"
#include "runtime/executor/store_step.h"

namespace dynacc::cuda {

class CudaRun;

// A module of emitted kernels, as the kernel cache keeps it.
struct CudaKernelModule : cache::KernelModule {
  std::unique_ptr<CudaModule> module;
};

// One kernel and the most blocks that are of use to a launch of it.
struct CudaKernel {
  std::string name;
  cuda::Function function = nullptr;
  int64_t max_blocks = 0;
};

inline constexpr int kCudaBlockThreads = 256;

// An elementwise group's kernels.
struct CudaLaunchKernels {
  CudaKernel flat, strided;
  CudaKernel tiled;   // without a function if there is none
  CudaKernel rolled;  // for rolled inputs only
  int lanes = 1;      // elements that a thread of `flat` takes at a time
};

// Launches the one of them that fits on `operands` (the inputs, then what is written), as they are
// walked over `shape`'s axes.
absl::Status LaunchElementwise(CudaRun& run, const CudaLaunchKernels& kernels,
                               absl::Span<const DeviceOperand> operands, size_t num_inputs,
                               const StridedView& shape);

// The same for inputs of which some are rolled: shifts[k] are operand k's, by axis of the shape,
// from 0 to its size.
absl::Status LaunchRolled(CudaRun& run, const CudaLaunchKernels& kernels,
                          absl::Span<const DeviceOperand> operands,
                          absl::Span<const std::array<int64_t, kMaxRank>> shifts,
                          const StridedView& shape);

// A step that can be a part of a row kernel: its operands, as the row kernel is asked for them.
class CudaGroupStep : public executor::Step {
 public:
  virtual const executor::OperandPlan& input(int index) const = 0;
  virtual int output(int index) const = 0;  // a buffer
  virtual const executor::ShapePlan& iteration() const = 0;
};

class CudaLaunchStep : public CudaGroupStep {
 public:
  CudaLaunchStep(std::shared_ptr<const CudaKernelModule> module, CudaLaunchKernels kernels,
                 executor::KernelPlan plan, std::vector<int> outputs);
  absl::Status Run(executor::RunFrame& frame) const override;

  const executor::OperandPlan& input(int index) const override { return plan_.inputs[index]; }
  int output(int index) const override { return outputs_[index]; }
  const executor::ShapePlan& iteration() const override { return plan_.shape; }

 private:
  absl::Status Launch(executor::RunFrame& frame) const;
  std::vector<std::array<int64_t, kMaxRank>> ShiftsOf(const executor::RunFrame& frame) const;

  std::shared_ptr<const CudaKernelModule> module_;
  CudaLaunchKernels kernels_;
  executor::KernelPlan plan_;  // its own kernel, for the host, is not used
  std::vector<int> outputs_;
  int64_t bytes_read_ = 0, bytes_written_ = 0;  // an element
  bool is_rolled_;                              // an input is
};

// A copy on the device; a CopyStep there.
class CudaCopyStep : public executor::Step {
 public:
  CudaCopyStep(executor::OperandPlan source, int destination);
  absl::Status Run(executor::RunFrame& frame) const override;

 private:
  executor::OperandPlan source_;
  int destination_;
};

// What is on the device already, and can be seen under the other shape, stays there; the rest is
// done as the host does it.
class CudaReshapeStep : public executor::Step {
 public:
  CudaReshapeStep(executor::OperandPlan source, int destination);
  absl::Status Run(executor::RunFrame& frame) const override;

 private:
  executor::OperandPlan source_;
  int destination_;
  executor::ReshapeStep host_;
};

// A StoreStep on the device.
class CudaStoreStep : public executor::Step {
 public:
  explicit CudaStoreStep(executor::StorePlan plan);
  absl::Status Run(executor::RunFrame& frame) const override;

 private:
  absl::Status Store(executor::RunFrame& frame) const;
  absl::Status StartResult(executor::RunFrame& frame, StridedView& result) const;

  executor::StorePlan plan_;
};

// A library call that is a scan, on the device; by the host's step where NumPy may lay the result
// out in another way than in C order.
class CudaScanStep : public executor::Step {
 public:
  CudaScanStep(Op reduction, executor::OperandPlan source, int axis, int output,
               std::unique_ptr<const executor::Step> host);
  absl::Status Run(executor::RunFrame& frame) const override;

 private:
  absl::Status Scan(executor::RunFrame& frame, bool& done) const;

  Op reduction_;
  executor::OperandPlan source_;
  int axis_;
  int output_;
  std::unique_ptr<const executor::Step> host_;
};

// A library call that reads through indices, on the device; by the host's step where NumPy may lay
// the result out in another way than in C order.
class CudaGatherStep : public executor::Step {
 public:
  CudaGatherStep(executor::GatherPlan plan, std::unique_ptr<const executor::Step> host);
  absl::Status Run(executor::RunFrame& frame) const override;

 private:
  bool IsInCOrder(const executor::RunFrame& frame) const;
  absl::Status Gather(executor::RunFrame& frame, bool& done) const;

  executor::GatherPlan plan_;
  std::unique_ptr<const executor::Step> host_;
};

// A library call that writes through indices, on the device.
class CudaScatterStep : public executor::Step {
 public:
  CudaScatterStep(executor::ScatterPlan plan, std::unique_ptr<const executor::Step> host);
  absl::Status Run(executor::RunFrame& frame) const override;

 private:
  absl::Status Scatter(executor::RunFrame& frame, bool& done) const;
  absl::Status ReadValue(executor::RunFrame& frame, const StridedView& shape,
                         DeviceOperand& value) const;

  executor::ScatterPlan plan_;
  std::unique_ptr<const executor::Step> host_;
};

// A matrix product, on the device. Its operands as those of a MatmulStep.
class CudaMatmulStep : public executor::Step {
 public:
  CudaMatmulStep(executor::OperandPlan a, executor::OperandPlan b, int output);
  absl::Status Run(executor::RunFrame& frame) const override;

 private:
  absl::Status Multiply(executor::RunFrame& frame) const;

  executor::OperandPlan a_, b_;
  int output_;
};

// A reduction's kernels (prelude/reduce.h).
struct CudaReduceKernels {
  CudaKernel rows, columns, combine;
};

class CudaReduceStep : public CudaGroupStep {
 public:
  CudaReduceStep(std::shared_ptr<const CudaKernelModule> module, CudaReduceKernels kernels,
                 executor::ReducePlan plan);
  absl::Status Run(executor::RunFrame& frame) const override;

  const executor::OperandPlan& input(int index) const override { return inputs_[index]; }
  int output(int) const override { return plan_.output; }
  const executor::ShapePlan& iteration() const override { return plan_.shape; }

 private:
  absl::Status Reduce(executor::RunFrame& frame) const;

  std::shared_ptr<const CudaKernelModule> module_;
  CudaReduceKernels kernels_;
  executor::ReducePlan plan_;
  std::vector<executor::OperandPlan> inputs_;
  uint32_t reduced_ = 0;  // bit i: axis i
};

// A row kernel: four forms of it, for rows of different lengths, and one for rows side by side
// (prelude/rows.h).
struct CudaRowKernels {
  CudaKernel warp, block, shared, scratch, columns;
  emit::RowPlan plan;
  int from = 0, to = 0;                       // the axes along which a row goes
  int shape = 0;                              // the step whose iteration is over whole rows
  int64_t bytes_read = 0, bytes_written = 0;  // an element
  struct Operand {
    int step = 0;   // among those that it takes the place of
    int index = 0;  // of the step's inputs or outputs
  };
  std::vector<Operand> inputs, outputs;
};

// Several steps as one launch. They run one by one where a row's elements lie neither at even
// distances nor in such runs, where there are no rows, where rows are few and so long that each is
// better cut, and where they lie side by side and are too long for registers: each step alone then
// reads them side by side.
class CudaRowBlockStep : public executor::Step {
 public:
  CudaRowBlockStep(std::shared_ptr<const CudaKernelModule> module, CudaRowKernels kernels,
                   std::vector<std::unique_ptr<const CudaGroupStep>> steps);
  absl::Status Run(executor::RunFrame& frame) const override;

 private:
  absl::Status RunOneByOne(executor::RunFrame& frame) const;
  absl::StatusOr<bool> TryLaunch(executor::RunFrame& frame) const;
  // The axis at which a row is cut into runs, so that all operands lie at even distances along a
  // run and from run to run; the first one: a row is one run. Nothing if there is none.
  std::optional<int> FindCut(executor::RunFrame& frame, absl::Span<const DeviceOperand> inputs,
                             int whole_rank) const;
  void ReleaseFor(const executor::Step& step, executor::RunFrame& frame) const;

  std::shared_ptr<const CudaKernelModule> module_;
  CudaRowKernels kernels_;
  std::vector<std::unique_ptr<const CudaGroupStep>> steps_;
};

}  // namespace dynacc::cuda
