#include "runtime/executor/flat_program.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/stats.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/loop_nest.h"
#include "runtime/executor/memory_order.h"
#include "runtime/executor/step.h"
#include "runtime/platform/fp_flags.h"

namespace dynacc::executor {
namespace {

// Work that is never split, nor asked in the middle whether to stop.
constexpr double kMostNanoseconds = 10'000;

int64_t SizeOf(const ShapePlan& shape, absl::Span<const ScalarValue> scalars) {
  int64_t size = 1;
  for (int i = 0; i < shape.rank; ++i) size *= scalars[shape.sizes[i]].i;
  return size;
}

}  // namespace

std::unique_ptr<const FlatProgram> FlatProgram::Make(
    const std::vector<BufferPlan>& buffers, const std::vector<std::unique_ptr<const Step>>& steps) {
  const bool has_temporary = std::any_of(buffers.begin(), buffers.end(), [](const auto& buffer) {
    return buffer.kind == BufferKind::kTemporary || buffer.kind == BufferKind::kPart;
  });
  if (has_temporary || buffers.size() > kMaxBuffers) return nullptr;
  std::unique_ptr<FlatProgram> program(new FlatProgram(buffers));
  for (const auto& step : steps) {
    FlatLaunch launch;
    if (step->on_device || !step->AsFlat(buffers, launch)) return nullptr;
    launch.reported_flags = step->reports_flags ? step->reported_flags : 0;
    program->launches_.push_back(std::move(launch));
  }
  return program;
}

bool FlatProgram::Fits(const RunArguments& arguments) const {
  for (const FlatLaunch& launch : launches_) {
    const int64_t size = SizeOf(launch.shape, arguments.scalars);
    if (size <= 0 || static_cast<double>(size) * launch.cost > kMostNanoseconds) return false;
  }
  return std::all_of(arguments.inputs.begin(), arguments.inputs.end(), IsContiguous);
}

absl::StatusOr<uint32_t> FlatProgram::Run(const RunArguments& arguments) const {
  char* data[kMaxBuffers];
  alignas(kMaxItemSize) char numbers[kMaxBuffers][kMaxItemSize];
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const BufferPlan& plan = buffers_[i];
    if (plan.kind == BufferKind::kInput) {
      data[i] = arguments.inputs[plan.index].data;
    } else if (plan.kind == BufferKind::kScalar) {
      const ElementCell number = NumberCell(plan, arguments.scalars);
      std::memcpy(numbers[i], number.bytes, sizeof(number.bytes));
      data[i] = numbers[i];
    }
  }
  DYNACC_ASSIGN_OR_RETURN(const uint32_t flags, Launch(arguments, data));
  if (arguments.sink != nullptr) arguments.sink->MayWriteBack(flags);
  return flags;
}

absl::StatusOr<uint32_t> FlatProgram::Launch(const RunArguments& arguments, char** data) const {
  platform::ScopedFpFlags flags;
  uint32_t reported = 0;
  for (const FlatLaunch& launch : launches_) {
    if (arguments.stop != nullptr && arguments.stop()) return absl::CancelledError("told to stop");
    for (const int output : launch.outputs) {
      DYNACC_RETURN_IF_ERROR(Allocate(output, arguments, data));
    }
    char* pointers[kMaxOperands];
    for (size_t k = 0; k < launch.operands.size(); ++k) pointers[k] = data[launch.operands[k]];
    const int64_t size = SizeOf(launch.shape, arguments.scalars);
    launch.kernel->Run(pointers, launch.strides.data(), size);
    Stats& stats = ThreadStats();
    Count(stats.kernel_launches);
    Count(stats.bytes_read, size * launch.bytes_read);
    Count(stats.bytes_written, size * launch.bytes_written);
    // Collected call by call: a library loop may clear what an earlier one raised.
    reported |= flags.Collect() & launch.reported_flags;
  }
  return FpFlagsOf(reported);
}

absl::Status FlatProgram::Allocate(int buffer, const RunArguments& arguments, char** data) const {
  const BufferPlan& plan = buffers_[buffer];
  StridedView view;
  view.dtype = plan.dtype;
  view.rank = plan.shape.rank;
  for (int i = 0; i < view.rank; ++i) view.shape[i] = arguments.scalars[plan.shape.sizes[i]].i;
  SetContiguousStrides(view);
  DYNACC_RETURN_IF_ERROR(arguments.sink->Allocate(plan.index, view));
  data[buffer] = view.data;
  return absl::OkStatus();
}

}  // namespace dynacc::executor
