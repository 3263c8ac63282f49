#include <algorithm>

#include "absl/cleanup/cleanup.h"
#include "codegen/targets/cuda/cuda_run.h"
#include "codegen/targets/cuda/cuda_steps.h"
#include "codegen/targets/cuda/kernel_parameters.h"
#include "runtime/base/check.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

constexpr int kWarpThreads = 32;
// What every device gives a block for the asking is 48 KiB; reductions take some of it.
constexpr int64_t kSharedBytes = 44 * 1024;
constexpr int kLongRowThreads = 512;
// Rows that are longer, and so few that their blocks leave much of a device idle, are better cut.
constexpr int64_t kLongRow = 65536;
constexpr int64_t kFewRows = 64;
// Blocks of a launch with a scratch, each with a row of its own there: what is kept of their rows
// shall stay in the second-level cache.
constexpr int64_t kScratchBlocks = 256;
constexpr int64_t kMaxGrid = int64_t{1} << 20;

// How a run's rows lie. Of the nest, the axes are the rows' alone.
struct Rows {
  LoopNest nest;
  int64_t along[kMaxOperands] = {};  // strides along a row
  int64_t rows = 1, length = 1;
};

// The one stride along the axes from `from` on, which are walked as one; false if there is none.
bool FindStride(const StridedView& view, int from, int64_t& stride) {
  stride = 0;
  int64_t next = 0;
  bool is_first = true;
  for (int axis = view.rank - 1; axis >= from; --axis) {
    if (view.shape[axis] == 1) continue;
    if (is_first) stride = view.strides[axis];
    if (!is_first && view.strides[axis] != next) return false;
    is_first = false;
    next = view.strides[axis] * view.shape[axis];
  }
  return true;
}

struct Form {
  const CudaKernel* kernel = nullptr;  // null: none
  int64_t grid = 1;
  int threads = 1;
  int64_t shared = 0;
  int64_t scratch = 0;  // bytes for each block
};

int64_t RoundUp(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

// By sizes alone, so that sums are added in the same order on every device.
Form ChooseForm(const CudaRowKernels& kernels, int64_t rows, int64_t length) {
  const int64_t each = int64_t{kernels.plan.lanes} * kernels.plan.chunks;
  if (length <= kWarpThreads * each) {
    const int64_t in_block = kCudaBlockThreads / kWarpThreads;
    return {&kernels.warp, (rows + in_block - 1) / in_block, kCudaBlockThreads};
  }
  if (length <= kCudaBlockThreads * each) {
    const int64_t threads = RoundUp(length / (2 * kernels.plan.lanes), kWarpThreads);
    const int64_t least = RoundUp((length + each - 1) / each, kWarpThreads);
    return {&kernels.block, rows,
            static_cast<int>(std::clamp<int64_t>(threads, least, kCudaBlockThreads))};
  }
  const int64_t places = RoundUp(length, int64_t{kLongRowThreads} * kernels.plan.lanes);
  const int64_t kept = places * kernels.plan.kept_bytes;
  if (kept <= kSharedBytes) return {&kernels.shared, rows, kLongRowThreads, kept};
  if (length > kLongRow && rows < kFewRows) return {};
  return {&kernels.scratch, std::min(rows, kScratchBlocks), kLongRowThreads, 0,
          RoundUp(places * kernels.plan.scratch_bytes, 256)};
}

absl::Status Launch(CudaRun& run, const Form& form, const Rows& rows,
                    absl::Span<const DeviceOperand> operands) {
  KernelParameters::Rows sizes{rows.rows, rows.length, 0, form.scratch};
  CudaLaunch launch;
  launch.function = form.kernel->function;
  launch.name = form.kernel->name.c_str();
  launch.block_x = form.threads;
  launch.shared_bytes = static_cast<unsigned>(form.shared);
  launch.grid_x = static_cast<unsigned>(std::min(form.grid, kMaxGrid));
  if (form.scratch > 0) {
    DYNACC_ASSIGN_OR_RETURN(sizes.scratch, run.AllocateScratch(form.scratch * launch.grid_x));
  }
  const absl::Cleanup free = [&] {
    if (sizes.scratch != 0) run.FreeScratch(sizes.scratch);
  };
  KernelParameters parameters;
  parameters.SetRows(rows.nest, operands, {rows.along, operands.size()}, sizes);
  return run.Launch(launch, parameters.all());
}

}  // namespace

CudaRowsStep::CudaRowsStep(std::shared_ptr<const CudaKernelModule> module, CudaRowKernels kernels,
                           std::vector<std::unique_ptr<const CudaGroupStep>> steps)
    : module_(std::move(module)), kernels_(std::move(kernels)), steps_(std::move(steps)) {
  on_device = true;
  reports_flags = false;  // a device has none
}

absl::Status CudaRowsStep::Run(RunFrame& frame) const {
  CudaRun& run = CudaRun::Of(frame);
  {
    const CudaScope scope(run.device());
    DYNACC_RETURN_IF_ERROR(scope.status());
    const absl::StatusOr<bool> launched = TryLaunch(frame);
    DYNACC_RETURN_IF_ERROR(run.Explain(launched.status()));
    if (*launched) {
      for (const auto& step : steps_) ReleaseFor(*step, frame);
      return absl::OkStatus();
    }
  }
  return RunOneByOne(frame);
}

absl::Status CudaRowsStep::RunOneByOne(RunFrame& frame) const {
  for (const auto& step : steps_) {
    DYNACC_RETURN_IF_ERROR(step->Run(frame));
    ReleaseFor(*step, frame);
  }
  return absl::OkStatus();
}

void CudaRowsStep::ReleaseFor(const Step& step, RunFrame& frame) const {
  for (const int buffer : step.releases) {
    frame.Release(buffer);
    CudaRun::Of(frame).Release(buffer);
  }
}

// The strides of what will be written, before there is memory for it.
bool CudaRowsStep::CanWrite(RunFrame& frame) const {
  for (const auto& [step, index] : kernels_.outputs) {
    const int buffer = steps_[step]->output(index);
    frame.Describe(buffer);
    int64_t stride;
    if (!FindStride(frame.view(buffer), kernels_.axes, stride)) return false;
  }
  return true;
}

// False, and nothing has been done but that inputs are on the device, if there is no form of the
// kernel for these rows.
absl::StatusOr<bool> CudaRowsStep::TryLaunch(RunFrame& frame) const {
  CudaRun& run = CudaRun::Of(frame);
  StridedView whole;
  frame.FillShape(steps_[kernels_.shape]->iteration(), whole);
  Rows rows;
  for (int axis = 0; axis < whole.rank; ++axis) {
    (axis < kernels_.axes ? rows.rows : rows.length) *= whole.shape[axis];
  }
  if (rows.rows == 0 || rows.length == 0) return false;
  const Form form = ChooseForm(kernels_, rows.rows, rows.length);
  if (form.kernel == nullptr || !CanWrite(frame)) return false;
  const size_t num_inputs = kernels_.inputs.size();
  boost::container::small_vector<DeviceOperand, 8> operands(num_inputs + kernels_.outputs.size());
  for (size_t k = 0; k < num_inputs; ++k) {
    const auto& [step, index] = kernels_.inputs[k];
    DYNACC_RETURN_IF_ERROR(run.Read(frame, steps_[step]->input(index), operands[k]));
    if (!FindStride(operands[k].view, kernels_.axes, rows.along[k])) return false;
  }
  for (size_t i = 0; i < kernels_.outputs.size(); ++i) {
    const auto& [step, index] = kernels_.outputs[i];
    DeviceOperand& operand = operands[num_inputs + i];
    DYNACC_RETURN_IF_ERROR(run.Write(frame, steps_[step]->output(index), operand));
    DYNACC_CHECK(FindStride(operand.view, kernels_.axes, rows.along[num_inputs + i]));
  }
  int64_t shape[kMaxRank];
  std::reverse_copy(whole.shape, whole.shape + kernels_.axes, shape);
  StartNest(rows.nest, kernels_.axes, shape);
  for (const DeviceOperand& operand : operands) {
    int64_t strides[kMaxRank];
    std::reverse_copy(operand.view.strides, operand.view.strides + kernels_.axes, strides);
    AddOperand(rows.nest, operand.view.data, strides);
  }
  Coalesce(rows.nest);
  frame.CountLaunch(whole.size() * kernels_.bytes_read, whole.size() * kernels_.bytes_written);
  DYNACC_RETURN_IF_ERROR(Launch(run, form, rows, {operands.data(), operands.size()}));
  for (const auto& [step, index] : kernels_.outputs) {
    run.Wrote(steps_[step]->output(index));
  }
  return true;
}

}  // namespace dynacc
