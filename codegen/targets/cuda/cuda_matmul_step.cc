#include "absl/cleanup/cleanup.h"
#include "codegen/targets/cuda/copy_kernels.h"
#include "codegen/targets/cuda/cuda_run.h"
#include "codegen/targets/cuda/cuda_steps.h"
#include "codegen/targets/cuda/matmul_kernels.h"
#include "runtime/base/status_macros.h"

namespace dynacc::cuda {
namespace {

// What a number seen as a matrix takes while it is written out.
class WrittenOut {
 public:
  explicit WrittenOut(CudaRun& run) : run_(run) {}
  ~WrittenOut() {
    if (block_ != 0) run_.FreeScratch(block_);
  }

  // The operand's elements in memory.
  absl::StatusOr<StridedView> Of(const DeviceOperand& operand) {
    if (operand.view.data != nullptr) return operand.view;
    StridedView dense = operand.view;
    SetContiguousStrides(dense);
    const int64_t bytes = std::max<int64_t>(dense.size() * ItemSize(dense.dtype), 1);
    DYNACC_ASSIGN_OR_RETURN(block_, run_.AllocateScratch(bytes));
    dense.data = reinterpret_cast<char*>(block_);
    DYNACC_RETURN_IF_ERROR(CopyOnDevice(run_, operand, dense));
    return dense;
  }

 private:
  CudaRun& run_;
  cuda::DevicePointer block_ = 0;
};

}  // namespace

CudaMatmulStep::CudaMatmulStep(executor::OperandPlan a, executor::OperandPlan b, int output)
    : a_(std::move(a)), b_(std::move(b)), output_(output) {
  on_device = true;
  reports_flags = false;  // a device has none
}

absl::Status CudaMatmulStep::Run(executor::RunFrame& frame) const {
  CudaRun& run = CudaRun::Of(frame);
  const CudaScope scope(run.device());
  DYNACC_RETURN_IF_ERROR(scope.status());
  return run.Explain(Multiply(frame));
}

absl::Status CudaMatmulStep::Multiply(executor::RunFrame& frame) const {
  CudaRun& run = CudaRun::Of(frame);
  DeviceOperand a, b, out;
  DYNACC_RETURN_IF_ERROR(run.Read(frame, a_, a));
  DYNACC_RETURN_IF_ERROR(run.Read(frame, b_, b));
  DYNACC_RETURN_IF_ERROR(run.Write(frame, output_, out));
  WrittenOut first(run), second(run);
  DYNACC_ASSIGN_OR_RETURN(const StridedView in_a, first.Of(a));
  DYNACC_ASSIGN_OR_RETURN(const StridedView in_b, second.Of(b));
  frame.CountLaunch((in_a.size() + in_b.size()) * ItemSize(in_a.dtype),
                    out.view.size() * ItemSize(out.view.dtype));
  DYNACC_RETURN_IF_ERROR(MultiplyOnDevice(run, in_a, in_b, out.view));
  run.Wrote(output_);
  return absl::OkStatus();
}

}  // namespace dynacc::cuda
