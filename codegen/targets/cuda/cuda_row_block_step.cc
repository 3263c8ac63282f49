#include <algorithm>
#include <bit>
#include <cstdlib>

#include "absl/algorithm/container.h"
#include "absl/cleanup/cleanup.h"
#include "codegen/targets/cuda/cuda_run.h"
#include "codegen/targets/cuda/cuda_steps.h"
#include "runtime/base/check.h"
#include "runtime/base/status_macros.h"
#include "runtime/cuda/kernel_parameters.h"

namespace dynacc::cuda {
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
// Threads of a block for rows side by side, as prelude/rows.h has it, and the least rows of a
// block: what one access to memory brings is to be used.
constexpr int64_t kColumnBlockThreads = 512;
constexpr int64_t kLeastWidth = 8;

// How a run's rows lie. Of the nest, the axes are the rows' alone.
struct Rows {
  executor::LoopNest nest;
  int64_t along[executor::kMaxOperands] = {};  // strides along a run of a row
  int64_t outer[executor::kMaxOperands] = {};  // from one run to the next
  int64_t rows = 1, length = 1, run = 1;
};

// The one stride along the axes [from, to), which are walked as one; false if there is none.
bool FindStride(const StridedView& view, int from, int to, int64_t& stride) {
  stride = 0;
  int64_t next = 0;
  bool is_first = true;
  for (int axis = to - 1; axis >= from; --axis) {
    if (view.shape[axis] == 1) continue;
    if (is_first) stride = view.strides[axis];
    if (!is_first && view.strides[axis] != next) return false;
    is_first = false;
    next = view.strides[axis] * view.shape[axis];
  }
  return true;
}

// The axes of rows: runs go along [cut, to), from one run to the next along [from, cut).
struct RowAxes {
  int from = 0, cut = 0, to = 0;
};

// The strides along the axes of a row; of those with one element a row, which have axes of size 1
// or none, zeros. False: a run, or the runs, do not lie at even distances.
bool FindStrides(const StridedView& view, int whole_rank, const RowAxes& axes, int64_t& along,
                 int64_t& outer) {
  along = outer = 0;
  if (view.rank != whole_rank) return true;
  return FindStride(view, axes.cut, axes.to, along) && FindStride(view, axes.from, axes.cut, outer);
}

// Rows whose axes are these of a shape, which has others.
Rows RowsOf(const StridedView& whole, const RowAxes& axes) {
  Rows rows;
  int64_t shape[kMaxRank];
  int rank = 0;
  for (int axis = 0; axis < whole.rank; ++axis) {
    const bool is_along = axis >= axes.from && axis < axes.to;
    (is_along ? rows.length : rows.rows) *= whole.shape[axis];
    if (axis >= axes.cut && axis < axes.to) rows.run *= whole.shape[axis];
    if (!is_along) shape[rank++] = whole.shape[axis];
  }
  executor::StartNest(rows.nest, rank, shape);
  return rows;
}

// Adds an operand of whole rows, or with one element a row (OnesOf), whose elements lie so that
// FindStrides has strides.
void AddRowOperand(const StridedView& view, int whole_rank, const RowAxes& axes, Rows& rows) {
  const int k = rows.nest.num_operands;
  DYNACC_CHECK(FindStrides(view, whole_rank, axes, rows.along[k], rows.outer[k]));
  const int along = view.rank - rows.nest.rank;
  int64_t strides[kMaxRank];
  for (int axis = 0; axis < rows.nest.rank; ++axis) {
    strides[axis] = view.strides[axis < axes.from ? axis : axis + along];
  }
  executor::AddOperand(rows.nest, view.data, strides);
}

// Whether neighbours lie in neighbouring rows, rather than along one; of the inputs alone.
bool LieSideBySide(const Rows& rows) {
  executor::LoopNest nest = rows.nest;
  executor::OptimizeNest(nest);
  if (nest.rank == 0 || nest.shape[0] < kLeastWidth) return false;
  int64_t across = 0, along = 0;
  for (int k = 0; k < nest.num_operands; ++k) {
    across = std::max<int64_t>(across, std::abs(nest.strides[0][k]));
    along = std::max<int64_t>(along, std::abs(rows.along[k]));
  }
  return across < along || rows.length == 1;
}

struct Form {
  const CudaKernel* kernel = nullptr;  // null: none
  int64_t grid = 1;
  int threads = 1;  // of a row
  int64_t shared = 0;
  int64_t scratch = 0;  // bytes for each block
  int width = 1;        // rows of a block, side by side
};

int64_t RoundUp(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

int64_t PowerOfTwo(int64_t at_least) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(at_least)));
}

// A warp of rows where they are short, fewer where a row takes more threads.
Form ChooseColumns(const CudaRowKernels& kernels, int64_t rows, int64_t length) {
  const int64_t lanes = kernels.plan.lanes, each = lanes * kernels.plan.chunks;
  const int64_t least = PowerOfTwo((length + each - 1) / each);
  if (least * kLeastWidth > kColumnBlockThreads) return {};
  const int64_t wanted = PowerOfTwo((length + 2 * lanes - 1) / (2 * lanes));
  const int64_t threads = std::max(least, std::min(wanted, kColumnBlockThreads / kWarpThreads));
  const int64_t width = std::min<int64_t>(kWarpThreads, kColumnBlockThreads / threads);
  Form form{&kernels.columns, (rows + width - 1) / width, static_cast<int>(threads)};
  form.width = static_cast<int>(width);
  return form;
}

// By sizes and strides alone, so that sums are added in the same order on every device.
Form ChooseForm(const CudaRowKernels& kernels, const Rows& sizes) {
  const int64_t rows = sizes.rows, length = sizes.length;
  if (LieSideBySide(sizes)) return ChooseColumns(kernels, rows, length);
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
  KernelParameters::Rows sizes{rows.rows, rows.length, rows.run, 0, form.scratch};
  CudaLaunch launch;
  launch.function = form.kernel->function;
  launch.name = form.kernel->name.c_str();
  launch.block_x = form.width > 1 ? form.width : form.threads;
  launch.block_y = form.width > 1 ? form.threads : 1;
  launch.shared_bytes = static_cast<unsigned>(form.shared);
  launch.grid_x = static_cast<unsigned>(std::min(form.grid, kMaxGrid));
  if (form.scratch > 0) {
    DYNACC_ASSIGN_OR_RETURN(sizes.scratch, run.AllocateScratch(form.scratch * launch.grid_x));
  }
  const absl::Cleanup free = [&] {
    if (sizes.scratch != 0) run.FreeScratch(sizes.scratch);
  };
  KernelParameters parameters;
  parameters.SetRows(rows.nest, operands, {rows.along, operands.size()},
                     {rows.outer, operands.size()}, sizes);
  return run.Launch(launch, parameters.all());
}

}  // namespace

CudaRowBlockStep::CudaRowBlockStep(std::shared_ptr<const CudaKernelModule> module,
                                   CudaRowKernels kernels,
                                   std::vector<std::unique_ptr<const CudaGroupStep>> steps)
    : module_(std::move(module)), kernels_(std::move(kernels)), steps_(std::move(steps)) {
  on_device = true;
  reports_flags = false;  // a device has none
}

absl::Status CudaRowBlockStep::Run(executor::RunFrame& frame) const {
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

absl::Status CudaRowBlockStep::RunOneByOne(executor::RunFrame& frame) const {
  for (const auto& step : steps_) {
    DYNACC_RETURN_IF_ERROR(step->Run(frame));
    ReleaseFor(*step, frame);
  }
  return absl::OkStatus();
}

void CudaRowBlockStep::ReleaseFor(const executor::Step& step, executor::RunFrame& frame) const {
  for (const int buffer : step.releases) {
    frame.Release(buffer);
    CudaRun::Of(frame).Release(buffer);
  }
}

// Of what will be written the strides are known before there is memory for it.
std::optional<int> CudaRowBlockStep::FindCut(executor::RunFrame& frame,
                                             absl::Span<const DeviceOperand> inputs,
                                             int whole_rank) const {
  std::vector<const StridedView*> views;
  for (const DeviceOperand& input : inputs) views.push_back(&input.view);
  for (const auto& [step, index] : kernels_.outputs) {
    const int buffer = steps_[step]->output(index);
    frame.Describe(buffer);
    views.push_back(&frame.view(buffer));
  }
  for (int cut = kernels_.from; cut < kernels_.to; ++cut) {
    const RowAxes axes = {kernels_.from, cut, kernels_.to};
    int64_t along, outer;
    if (absl::c_all_of(views, [&](const StridedView* view) {
          return FindStrides(*view, whole_rank, axes, along, outer);
        })) {
      return cut;
    }
  }
  return std::nullopt;
}

// False, and nothing has been done but that inputs are on the device, if there is no form of the
// kernel for these rows.
absl::StatusOr<bool> CudaRowBlockStep::TryLaunch(executor::RunFrame& frame) const {
  CudaRun& run = CudaRun::Of(frame);
  StridedView whole;
  frame.FillShape(steps_[kernels_.shape]->iteration(), whole);
  if (whole.size() == 0) return false;
  const size_t num_inputs = kernels_.inputs.size();
  boost::container::small_vector<DeviceOperand, 8> operands(num_inputs + kernels_.outputs.size());
  for (size_t k = 0; k < num_inputs; ++k) {
    const auto& [step, index] = kernels_.inputs[k];
    DYNACC_RETURN_IF_ERROR(run.Read(frame, steps_[step]->input(index), operands[k]));
  }
  const std::optional<int> cut = FindCut(frame, {operands.data(), num_inputs}, whole.rank);
  if (!cut.has_value()) return false;
  const RowAxes axes = {kernels_.from, *cut, kernels_.to};
  Rows rows = RowsOf(whole, axes);
  for (size_t k = 0; k < num_inputs; ++k) AddRowOperand(operands[k].view, whole.rank, axes, rows);
  const Form form = ChooseForm(kernels_, rows);
  if (form.kernel == nullptr) return false;
  for (size_t i = 0; i < kernels_.outputs.size(); ++i) {
    const auto& [step, index] = kernels_.outputs[i];
    DeviceOperand& operand = operands[num_inputs + i];
    DYNACC_RETURN_IF_ERROR(run.Write(frame, steps_[step]->output(index), operand));
    AddRowOperand(operand.view, whole.rank, axes, rows);
  }
  executor::OptimizeNest(rows.nest);
  frame.CountLaunch(whole.size() * kernels_.bytes_read, whole.size() * kernels_.bytes_written);
  DYNACC_RETURN_IF_ERROR(Launch(run, form, rows, {operands.data(), operands.size()}));
  for (const auto& [step, index] : kernels_.outputs) {
    run.Wrote(steps_[step]->output(index));
  }
  return true;
}

}  // namespace dynacc::cuda
