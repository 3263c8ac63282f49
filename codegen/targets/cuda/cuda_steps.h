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

namespace dynacc {

class CudaRun;

// A module of emitted kernels, as the kernel cache keeps it.
struct CudaKernelModule : KernelModule {
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
class CudaGroupStep : public Step {
 public:
  virtual const OperandPlan& input(int index) const = 0;
  virtual int output(int index) const = 0;  // a buffer
  virtual const ShapePlan& iteration() const = 0;
};

class CudaLaunchStep : public CudaGroupStep {
 public:
  CudaLaunchStep(std::shared_ptr<const CudaKernelModule> module, CudaLaunchKernels kernels,
                 KernelPlan plan, std::vector<int> outputs);
  absl::Status Run(RunFrame& frame) const override;

  const OperandPlan& input(int index) const override { return plan_.inputs[index]; }
  int output(int index) const override { return outputs_[index]; }
  const ShapePlan& iteration() const override { return plan_.shape; }

 private:
  absl::Status Launch(RunFrame& frame) const;
  std::vector<std::array<int64_t, kMaxRank>> ShiftsOf(const RunFrame& frame) const;

  std::shared_ptr<const CudaKernelModule> module_;
  CudaLaunchKernels kernels_;
  KernelPlan plan_;  // its own kernel, for the host, is not used
  std::vector<int> outputs_;
  int64_t bytes_read_ = 0, bytes_written_ = 0;  // an element
  bool is_rolled_;                              // an input is
};

// A copy on the device; a CopyStep there.
class CudaCopyStep : public Step {
 public:
  CudaCopyStep(OperandPlan source, int destination);
  absl::Status Run(RunFrame& frame) const override;

 private:
  OperandPlan source_;
  int destination_;
};

// What is on the device already, and can be seen under the other shape, stays there; the rest is
// done as the host does it.
class CudaReshapeStep : public Step {
 public:
  CudaReshapeStep(OperandPlan source, int destination);
  absl::Status Run(RunFrame& frame) const override;

 private:
  OperandPlan source_;
  int destination_;
  ReshapeStep host_;
};

// A StoreStep on the device.
class CudaStoreStep : public Step {
 public:
  explicit CudaStoreStep(StorePlan plan);
  absl::Status Run(RunFrame& frame) const override;

 private:
  absl::Status Store(RunFrame& frame) const;
  absl::Status StartResult(RunFrame& frame, StridedView& result) const;

  StorePlan plan_;
};

// A library call that is a scan, on the device; by the host's step where NumPy may lay the result
// out in another way than in C order.
class CudaScanStep : public Step {
 public:
  CudaScanStep(Op reduction, OperandPlan source, int axis, int output,
               std::unique_ptr<const Step> host);
  absl::Status Run(RunFrame& frame) const override;

 private:
  absl::Status Scan(RunFrame& frame, bool& done) const;

  Op reduction_;
  OperandPlan source_;
  int axis_;
  int output_;
  std::unique_ptr<const Step> host_;
};

// A library call that reads through indices, on the device; by the host's step where NumPy may lay
// the result out in another way than in C order.
class CudaGatherStep : public Step {
 public:
  CudaGatherStep(GatherPlan plan, std::unique_ptr<const Step> host);
  absl::Status Run(RunFrame& frame) const override;

 private:
  bool IsInCOrder(const RunFrame& frame) const;
  absl::Status Gather(RunFrame& frame, bool& done) const;

  GatherPlan plan_;
  std::unique_ptr<const Step> host_;
};

// A library call that writes through indices, on the device.
class CudaScatterStep : public Step {
 public:
  CudaScatterStep(ScatterPlan plan, std::unique_ptr<const Step> host);
  absl::Status Run(RunFrame& frame) const override;

 private:
  absl::Status Scatter(RunFrame& frame, bool& done) const;
  absl::Status ReadValue(RunFrame& frame, const StridedView& shape, DeviceOperand& value) const;

  ScatterPlan plan_;
  std::unique_ptr<const Step> host_;
};

// A matrix product, on the device. Its operands as those of a MatmulStep.
class CudaMatmulStep : public Step {
 public:
  CudaMatmulStep(OperandPlan a, OperandPlan b, int output);
  absl::Status Run(RunFrame& frame) const override;

 private:
  absl::Status Multiply(RunFrame& frame) const;

  OperandPlan a_, b_;
  int output_;
};

// A reduction's kernels (prelude/reduce.h).
struct CudaReduceKernels {
  CudaKernel rows, columns, combine;
};

class CudaReduceStep : public CudaGroupStep {
 public:
  CudaReduceStep(std::shared_ptr<const CudaKernelModule> module, CudaReduceKernels kernels,
                 ReducePlan plan);
  absl::Status Run(RunFrame& frame) const override;

  const OperandPlan& input(int index) const override { return inputs_[index]; }
  int output(int) const override { return plan_.output; }
  const ShapePlan& iteration() const override { return plan_.shape; }

 private:
  absl::Status Reduce(RunFrame& frame) const;

  std::shared_ptr<const CudaKernelModule> module_;
  CudaReduceKernels kernels_;
  ReducePlan plan_;
  std::vector<OperandPlan> inputs_;
  uint32_t reduced_ = 0;  // bit i: axis i
};

// A row kernel: four forms of it, for rows of different lengths, and one for rows side by side
// (prelude/rows.h).
struct CudaRowKernels {
  CudaKernel warp, block, shared, scratch, columns;
  RowPlan plan;
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
class CudaRowBlockStep : public Step {
 public:
  CudaRowBlockStep(std::shared_ptr<const CudaKernelModule> module, CudaRowKernels kernels,
                   std::vector<std::unique_ptr<const CudaGroupStep>> steps);
  absl::Status Run(RunFrame& frame) const override;

 private:
  absl::Status RunOneByOne(RunFrame& frame) const;
  absl::StatusOr<bool> TryLaunch(RunFrame& frame) const;
  // The axis at which a row is cut into runs, so that all operands lie at even distances along a
  // run and from run to run; the first one: a row is one run. Nothing if there is none.
  std::optional<int> FindCut(RunFrame& frame, absl::Span<const DeviceOperand> inputs,
                             int whole_rank) const;
  void ReleaseFor(const Step& step, RunFrame& frame) const;

  std::shared_ptr<const CudaKernelModule> module_;
  CudaRowKernels kernels_;
  std::vector<std::unique_ptr<const CudaGroupStep>> steps_;
};

}  // namespace dynacc
