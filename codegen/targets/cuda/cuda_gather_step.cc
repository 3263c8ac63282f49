#include <algorithm>

#include "absl/cleanup/cleanup.h"
#include "codegen/targets/cuda/combine_kernels.h"
#include "codegen/targets/cuda/copy_kernels.h"
#include "codegen/targets/cuda/cuda_run.h"
#include "codegen/targets/cuda/cuda_steps.h"
#include "codegen/targets/cuda/gather_kernels.h"
#include "runtime/base/status_macros.h"

namespace dynacc::cuda {

CudaGatherStep::CudaGatherStep(executor::GatherPlan plan,
                               std::unique_ptr<const executor::Step> host)
    : plan_(std::move(plan)), host_(std::move(host)) {
  on_device = true;
  reports_flags = false;  // a device has none
}

absl::Status CudaGatherStep::Run(executor::RunFrame& frame) const {
  CudaRun& run = CudaRun::Of(frame);
  bool done = false;
  if (IsInCOrder(frame)) {
    const CudaScope scope(run.device());
    DYNACC_RETURN_IF_ERROR(scope.status());
    DYNACC_RETURN_IF_ERROR(run.Explain(Gather(frame, done)));
  }
  if (done) return absl::OkStatus();
  DYNACC_RETURN_IF_ERROR(run.BeforeHostStep(*this, frame));
  DYNACC_RETURN_IF_ERROR(host_->Run(frame));
  run.AfterHostStep(*this);
  return absl::OkStatus();
}

// Whether NumPy's result is in C order, or nobody sees.
bool CudaGatherStep::IsInCOrder(const executor::RunFrame& frame) const {
  if (CudaRun::Of(const_cast<executor::RunFrame&>(frame)).is_resident()) return true;
  if (plan_.order == executor::GatherPlan::Order::kC || frame.shape_plan(plan_.output).rank < 2)
    return true;
  if (plan_.order == executor::GatherPlan::Order::kUnknown) return false;
  StridedView storage;
  const StridedView& source = frame.Resolve(plan_.source, storage);
  const bool has_whole = !plan_.is_along && source.rank > static_cast<int>(plan_.indices.size());
  if (has_whole && !executor::IsContiguous(source)) return false;
  for (const executor::GatherPlan::Index& index : plan_.indices) {
    StridedView of_index;
    if (index.number.has_value()) continue;
    const StridedView& view = frame.Resolve(index.operand, of_index);
    if (view.rank > 1 && !executor::IsCOrdered(view)) return false;
  }
  return true;
}

absl::Status CudaGatherStep::Gather(executor::RunFrame& frame, bool& done) const {
  CudaRun& run = CudaRun::Of(frame);
  DeviceOperand source, result;
  DYNACC_RETURN_IF_ERROR(run.Read(frame, plan_.source, source));
  StridedView shape;
  frame.FillShape(frame.shape_plan(plan_.output), shape);
  // Of no elements NumPy says itself what it thinks of the indices.
  const bool is_librarys = shape.size() == 0 && !run.is_resident();
  if (source.view.data == nullptr || is_librarys) return absl::OkStatus();
  DevicePlaces places;
  const absl::Cleanup leave = [&] { LeavePlaces(run, places); };
  DYNACC_ASSIGN_OR_RETURN(const bool fits, FindPlaces(run, frame, plan_, source.view, places));
  if (!fits) return absl::OkStatus();
  DYNACC_RETURN_IF_ERROR(run.Write(frame, plan_.output, result));
  const int64_t bytes = result.view.size() * ItemSize(result.view.dtype);
  frame.CountLaunch(bytes, bytes);
  DYNACC_RETURN_IF_ERROR(GatherOnDevice(run, places, result.view));
  run.Wrote(plan_.output);
  done = true;
  return absl::OkStatus();
}

CudaScatterStep::CudaScatterStep(executor::ScatterPlan plan,
                                 std::unique_ptr<const executor::Step> host)
    : plan_(std::move(plan)), host_(std::move(host)) {
  on_device = true;
  reports_flags = false;  // a device has none
}

absl::Status CudaScatterStep::Run(executor::RunFrame& frame) const {
  CudaRun& run = CudaRun::Of(frame);
  bool done = false;
  {
    const CudaScope scope(run.device());
    DYNACC_RETURN_IF_ERROR(scope.status());
    DYNACC_RETURN_IF_ERROR(run.Explain(Scatter(frame, done)));
  }
  if (done) return absl::OkStatus();
  DYNACC_RETURN_IF_ERROR(run.BeforeHostStep(*this, frame));
  DYNACC_RETURN_IF_ERROR(host_->Run(frame));
  run.AfterHostStep(*this);
  return absl::OkStatus();
}

// The value, as the elements' shape shows it; a number is in the operand's `number`.
absl::Status CudaScatterStep::ReadValue(executor::RunFrame& frame, const StridedView& shape,
                                        DeviceOperand& value) const {
  if (plan_.number.has_value()) {
    value.number = *plan_.number;
  } else {
    DYNACC_RETURN_IF_ERROR(CudaRun::Of(frame).Read(frame, plan_.value, value));
  }
  const StridedView from = value.view;
  char* const data = plan_.number.has_value() ? nullptr : from.data;
  value.view = shape;
  value.view.data = data;
  std::fill_n(value.view.strides, shape.rank, 0);
  for (int i = 0; data != nullptr && i < from.rank; ++i) {
    const int axis = shape.rank - from.rank + i;
    if (from.shape[i] == shape.shape[axis]) value.view.strides[axis] = from.strides[i];
    if (from.shape[i] == 1 || from.shape[i] == shape.shape[axis]) continue;
    return absl::AbortedError("a value that does not fit the places that it is written to");
  }
  return absl::OkStatus();
}

// NumPy writes in the indices' order in memory.
absl::Status CudaScatterStep::Scatter(executor::RunFrame& frame, bool& done) const {
  CudaRun& run = CudaRun::Of(frame);
  const executor::GatherPlan& plan = plan_.places;
  DeviceOperand base, value, result;
  DYNACC_RETURN_IF_ERROR(run.Read(frame, plan.source, base));
  DevicePlaces places;
  const absl::Cleanup leave = [&] { LeavePlaces(run, places); };
  DYNACC_ASSIGN_OR_RETURN(const bool fits, FindPlaces(run, frame, plan, base.view, places));
  const bool is_librarys = places.shape().size() == 0 && !run.is_resident();
  if (!fits || is_librarys) return absl::OkStatus();
  for (const DevicePlaces::Index& index : places.indices) {
    if (index.view.rank > 1 && !executor::IsCOrdered(index.view)) return absl::OkStatus();
  }
  DYNACC_RETURN_IF_ERROR(ReadValue(frame, places.shape(), value));
  DYNACC_RETURN_IF_ERROR(run.Write(frame, plan.output, result));
  const int64_t bytes = (result.view.size() + places.shape().size()) * ItemSize(base.view.dtype);
  frame.CountLaunch(bytes, bytes);
  DYNACC_RETURN_IF_ERROR(CopyOnDevice(run, base, result.view));
  DYNACC_ASSIGN_OR_RETURN(const bool found, FindPlaces(run, frame, plan, result.view, places));
  bool written = found;
  if (plan_.op.has_value()) {
    DYNACC_ASSIGN_OR_RETURN(written, CombineOnDevice(run, *plan_.op, places, value));
  } else {
    DYNACC_RETURN_IF_ERROR(ScatterOnDevice(run, places, value));
  }
  run.Wrote(plan.output);
  done = written;
  return absl::OkStatus();
}

}  // namespace dynacc::cuda
