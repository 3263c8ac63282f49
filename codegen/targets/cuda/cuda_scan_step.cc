#include "absl/cleanup/cleanup.h"
#include "codegen/targets/cuda/copy_kernels.h"
#include "codegen/targets/cuda/cuda_run.h"
#include "codegen/targets/cuda/cuda_steps.h"
#include "codegen/targets/cuda/scan_kernels.h"
#include "runtime/base/status_macros.h"

namespace dynacc::cuda {

CudaScanStep::CudaScanStep(Op reduction, executor::OperandPlan source, int axis, int output,
                           std::unique_ptr<const executor::Step> host)
    : reduction_(reduction),
      source_(std::move(source)),
      axis_(axis),
      output_(output),
      host_(std::move(host)) {
  on_device = true;
  reports_flags = false;  // a device has none
}

absl::Status CudaScanStep::Run(executor::RunFrame& frame) const {
  CudaRun& run = CudaRun::Of(frame);
  bool done = false;
  {
    const CudaScope scope(run.device());
    DYNACC_RETURN_IF_ERROR(scope.status());
    DYNACC_RETURN_IF_ERROR(run.Explain(Scan(frame, done)));
  }
  if (done) return absl::OkStatus();
  DYNACC_RETURN_IF_ERROR(run.BeforeHostStep(*this, frame));
  DYNACC_RETURN_IF_ERROR(host_->Run(frame));
  run.AfterHostStep(*this);
  return absl::OkStatus();
}

// Of what is in another memory order than C's, NumPy lays out the result as it sees fit.
absl::Status CudaScanStep::Scan(executor::RunFrame& frame, bool& done) const {
  CudaRun& run = CudaRun::Of(frame);
  DeviceOperand source, result;
  DYNACC_RETURN_IF_ERROR(run.Read(frame, source_, source));
  if (source.view.data == nullptr || !executor::IsCOrdered(source.view)) return absl::OkStatus();
  DYNACC_RETURN_IF_ERROR(run.Write(frame, output_, result));
  StridedView dense = source.view;
  cuda::DevicePointer copy = 0;
  const absl::Cleanup free = [&] {
    if (copy != 0) run.FreeScratch(copy);
  };
  if (!executor::IsContiguous(source.view)) {
    SetContiguousStrides(dense);
    DYNACC_ASSIGN_OR_RETURN(copy, run.AllocateScratch(dense.size() * ItemSize(dense.dtype)));
    dense.data = reinterpret_cast<char*>(copy);
    DYNACC_RETURN_IF_ERROR(CopyOnDevice(run, source, dense));
  }
  const int64_t bytes = dense.size() * ItemSize(dense.dtype);
  frame.CountLaunch(bytes, bytes);
  DYNACC_RETURN_IF_ERROR(ScanOnDevice(run, reduction_, dense, axis_, result.view));
  run.Wrote(output_);
  done = true;
  return absl::OkStatus();
}

}  // namespace dynacc::cuda
