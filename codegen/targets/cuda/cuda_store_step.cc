#include "codegen/targets/cuda/copy_kernels.h"
#include "codegen/targets/cuda/cuda_run.h"
#include "codegen/targets/cuda/cuda_steps.h"
#include "runtime/base/status_macros.h"

namespace dynacc::cuda {

CudaStoreStep::CudaStoreStep(executor::StorePlan plan) : plan_(std::move(plan)) {
  on_device = true;
  reports_flags = false;  // a device has none
}

absl::Status CudaStoreStep::Run(executor::RunFrame& frame) const {
  CudaRun& run = CudaRun::Of(frame);
  const CudaScope scope(run.device());
  DYNACC_RETURN_IF_ERROR(scope.status());
  return run.Explain(Store(frame));
}

// The memory of the new version, with what lies around the part in it.
absl::Status CudaStoreStep::StartResult(executor::RunFrame& frame, StridedView& result) const {
  CudaRun& run = CudaRun::Of(frame);
  DeviceOperand base, made;
  if (!plan_.base_is_empty) DYNACC_RETURN_IF_ERROR(run.Read(frame, plan_.base, base));
  if (plan_.reuse && base.view.data != nullptr) {  // a number has no memory to take over
    run.TakeOver(frame, plan_.base.buffer, plan_.result);
    result = base.view;
    return absl::OkStatus();
  }
  DYNACC_RETURN_IF_ERROR(run.Write(frame, plan_.result, made));
  result = made.view;
  if (plan_.base_is_empty) return absl::OkStatus();
  absl::Status status;
  executor::CopyAround(base.view, result, plan_.region, frame.scalars(),
                       [&](const StridedView& from, const StridedView& to) {
                         const DeviceOperand slab = {from, base.number};
                         status.Update(CopyOnDevice(run, slab, to));
                       });
  return status;
}

absl::Status CudaStoreStep::Store(executor::RunFrame& frame) const {
  CudaRun& run = CudaRun::Of(frame);
  StridedView result;
  DYNACC_RETURN_IF_ERROR(StartResult(frame, result));
  const StridedView part = executor::ApplyView(result, plan_.region, frame.scalars());
  if (plan_.part >= 0) {
    run.PlacePart(plan_.part, part);
  } else {
    DeviceOperand value;
    DYNACC_RETURN_IF_ERROR(run.Read(frame, plan_.value, value));
    DYNACC_RETURN_IF_ERROR(CopyOnDevice(run, value, part));
    const int64_t bytes = part.size() * ItemSize(part.dtype);
    frame.CountLaunch(bytes, bytes);
  }
  run.Wrote(plan_.result);
  return absl::OkStatus();
}

}  // namespace dynacc::cuda
