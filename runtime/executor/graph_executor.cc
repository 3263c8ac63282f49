#include "runtime/executor/graph_executor.h"

#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "boost/container/small_vector.hpp"
#include "runtime/base/status_macros.h"
#include "runtime/executor/copy_step.h"
#include "runtime/platform/fp_flags.h"

namespace dynacc::executor {

std::vector<LateInputSize> GraphExecutor::FindLateInputs() const {
  std::vector<LateInputSize> late;
  if (scalars_.num_data_dependent() == 0) return late;
  for (const BufferPlan& buffer : buffers_) {
    for (int axis = 0; buffer.kind == BufferKind::kInput && axis < buffer.shape.rank; ++axis) {
      const ScalarId size = buffer.shape.sizes[axis];
      if (scalars_.Level(size) > 0) late.push_back({buffer.index, axis, size});
    }
  }
  return late;
}

absl::StatusOr<uint32_t> GraphExecutor::Run(const RunArguments& arguments) const {
  if (const BoundProgram* const bound = bound_.Find(arguments)) return bound->Run(arguments);
  return RunAll(arguments, meter_.get());
}

absl::StatusOr<uint32_t> GraphExecutor::RunAll(const RunArguments& arguments,
                                               StepMeter* meter) const {
  const int known = static_cast<int>(arguments.scalars.size());
  const bool has_data_dependent = scalars_.num_data_dependent() > 0;
  if (known >= scalars_.size() && !has_data_dependent) {
    return RunSteps(arguments, known, nullptr, meter);
  }
  boost::container::small_vector<ScalarValue, 64> values(arguments.scalars.begin(),
                                                         arguments.scalars.end());
  values.resize(scalars_.size());
  absl::Span<ScalarValue> all(values.data(), values.size());
  if (!scalars_.EvaluateRest(known, all)) {
    return absl::InternalError("a size that a pass has made cannot be evaluated");
  }
  RunArguments completed = arguments;
  completed.scalars = all;
  DataDependentSizes sizes(scalars_, data_dependent_conditions_, all, arguments.late, late_inputs_,
                           arguments.inputs);
  return RunSteps(completed, known, has_data_dependent ? &sizes : nullptr, meter);
}

namespace {

// The error of the step of that number, which an ABORTED one then says.
absl::Status ErrorOf(absl::Status ended, size_t step) {
  if (absl::IsAborted(ended)) ended.SetPayload(kStepPayload, absl::Cord(absl::StrCat(step)));
  return ended;
}

}  // namespace

absl::StatusOr<uint32_t> GraphExecutor::RunSteps(const RunArguments& arguments, int known,
                                                 DataDependentSizes* sizes,
                                                 StepMeter* meter) const {
  if (offload_ != nullptr && arguments.sink != nullptr) {
    DYNACC_ASSIGN_OR_RETURN(const bool done, offload_->Replay(arguments));
    if (done) return 0;
  }
  if (meter == nullptr && flat_ != nullptr && flat_->Fits(arguments)) return flat_->Run(arguments);
  Layouts layouts;
  if (!layouts_.IsAllInCOrder(arguments.inputs)) layouts = layouts_.Run(arguments);
  RunFrame frame(buffers_, arguments, {layouts.data(), layouts.size()});
  if (sizes != nullptr)
    frame.set_data_dependent(sizes, &layouts_, {layouts.data(), layouts.size()});
  std::unique_ptr<DeviceRun> device;
  if (offload_ != nullptr) {
    DYNACC_ASSIGN_OR_RETURN(device, offload_->Start());
    frame.set_device(device.get());
  }
  platform::ScopedFpFlags callers_flags;
  uint32_t reported = 0;
  for (size_t i = 0; i < steps_.size() && !frame.ShallStop(); ++i) {
    const auto& step = steps_[i];
    absl::Status done =
        meter == nullptr ? RunStep(*step, frame) : RunMeasuredStep(i, frame, *meter);
    if (!done.ok()) return ErrorOf(std::move(done), i);
    // Collected step by step: a later step's library loop may clear what an earlier one raised.
    const uint32_t raised = platform::ErrorFlags();
    if (raised != 0) {
      if (step->reports_flags) reported |= raised & step->reported_flags;
      platform::ClearHardwareFlags();
    }
    for (const int buffer : step->releases) {
      frame.Release(buffer);
      if (device != nullptr) device->Release(buffer);
    }
  }
  if (frame.stopped()) return absl::CancelledError("told to stop");
  if (device != nullptr) DYNACC_RETURN_IF_ERROR(device->Finish(write_backs_, frame));
  if (IsRepeatable() && bound_.IsWorthBinding()) bound_.Add(Bind(arguments, known, frame));
  const uint32_t flags = FpFlagsOf(reported);
  if (arguments.sink == nullptr || !arguments.sink->MayWriteBack(flags)) return flags;
  if (device != nullptr && device->WritesBack()) {
    DYNACC_RETURN_IF_ERROR(device->WriteBack(write_backs_, frame));
  } else {
    WriteBack(frame);
  }
  return flags;
}

// Null: some step cannot be bound.
std::unique_ptr<const BoundProgram> GraphExecutor::Bind(const RunArguments& arguments, int known,
                                                        const RunFrame& frame) const {
  Binder binder(buffers_, scalars_, arguments, known, frame);
  for (const auto& step : steps_) {
    if (!binder.BindStep(*step)) return nullptr;
  }
  for (const WriteBackPlan& plan : write_backs_) {
    if (!binder.BindWriteBack(plan)) return nullptr;
  }
  for (const LayoutStep& step : layouts_.steps()) binder.Keep(step);
  return binder.Finish();
}

absl::Status GraphExecutor::RunMeasuredStep(size_t step, RunFrame& frame, StepMeter& meter) const {
  const LaunchTotals before = frame.totals();
  const int64_t start = meter.Now();
  DYNACC_RETURN_IF_ERROR(RunStep(*steps_[step], frame));
  StepMeasure run;
  run.nanoseconds = meter.Now() - start;
  const LaunchTotals after = frame.totals();
  run.bytes_read = after.bytes_read - before.bytes_read;
  run.bytes_written = after.bytes_written - before.bytes_written;
  run.work = steps_[step]->WorkIn(frame);
  meter.Add(step, run);
  return absl::OkStatus();
}

std::vector<StepMeasure> GraphExecutor::Measures() const {
  std::vector<StepMeasure> measures;
  for (size_t i = 0; meter_ != nullptr && i < steps_.size(); ++i) {
    measures.push_back(meter_->Of(i));
    measures.back().group = steps_[i]->group;
  }
  return measures;
}

std::vector<GroupRange> GraphExecutor::Groups() const {
  std::vector<GroupRange> groups;
  for (const auto& step : steps_) groups.push_back({step->group, step->last_group()});
  return groups;
}

absl::Status GraphExecutor::RunStep(const Step& step, RunFrame& frame) const {
  DeviceRun* const device = frame.device();
  if (device == nullptr || step.on_device) return step.Run(frame);
  DYNACC_RETURN_IF_ERROR(device->BeforeHostStep(step, frame));
  DYNACC_RETURN_IF_ERROR(step.Run(frame));
  device->AfterHostStep(step);
  return absl::OkStatus();
}

void GraphExecutor::WriteBack(RunFrame& frame) const {
  for (const WriteBackPlan& plan : write_backs_) {
    StridedView storage;
    const StridedView& source = frame.Resolve(plan.source, storage);
    StridedView target = frame.view(plan.target);
    for (const ViewPlan& view : plan.region) target = ApplyView(target, view, frame.scalars());
    CopyElements(source, target);
    const int64_t bytes = target.size() * ItemSize(target.dtype);
    frame.CountLaunch(bytes, bytes);
  }
}

}  // namespace dynacc::executor
