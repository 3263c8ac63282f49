#include <algorithm>
#include <cstdlib>

#include "absl/algorithm/container.h"
#include "codegen/targets/cuda/copy_kernels.h"
#include "codegen/targets/cuda/cuda_run.h"
#include "codegen/targets/cuda/cuda_steps.h"
#include "runtime/base/status_macros.h"
#include "runtime/cuda/kernel_parameters.h"

namespace dynacc::cuda {
namespace {

// Whether every operand is one run of n elements without gaps, or a number.
bool IsFlat(const executor::LoopNest& nest, absl::Span<const DeviceOperand> operands,
            size_t num_inputs) {
  if (nest.rank > 1) return false;
  if (nest.rank == 0) return true;
  for (size_t k = 0; k < operands.size(); ++k) {
    const int64_t stride = nest.strides[0][k];
    const bool is_number = stride == 0 && k < num_inputs;
    if (!is_number && stride != ItemSize(operands[k].view.dtype)) return false;
  }
  return true;
}

unsigned BlocksFor(int64_t threads, const CudaKernel& kernel) {
  const int64_t blocks = (threads + kCudaBlockThreads - 1) / kCudaBlockThreads;
  return static_cast<unsigned>(std::clamp<int64_t>(blocks, 1, kernel.max_blocks));
}

int64_t BytesOf(const std::vector<DType>& dtypes) {
  int64_t bytes = 0;
  for (const DType dtype : dtypes) bytes += ItemSize(dtype);
  return bytes;
}

}  // namespace

CudaLaunchStep::CudaLaunchStep(std::shared_ptr<const CudaKernelModule> module,
                               CudaLaunchKernels kernels, executor::KernelPlan plan,
                               std::vector<int> outputs)
    : module_(std::move(module)),
      kernels_(std::move(kernels)),
      plan_(std::move(plan)),
      outputs_(std::move(outputs)),
      bytes_read_(BytesOf(plan_.input_dtypes)),
      bytes_written_(BytesOf(plan_.output_dtypes)),
      is_rolled_(absl::c_any_of(
          plan_.inputs, [](const executor::OperandPlan& input) { return !input.shifts.empty(); })) {
  on_device = true;
  reports_flags = false;  // a device has none
}

CudaCopyStep::CudaCopyStep(executor::OperandPlan source, int destination)
    : source_(std::move(source)), destination_(destination) {
  on_device = true;
  reports_flags = false;
}

absl::Status CudaCopyStep::Run(executor::RunFrame& frame) const {
  CudaRun& run = CudaRun::Of(frame);
  const CudaScope scope(run.device());
  DYNACC_RETURN_IF_ERROR(scope.status());
  return run.Explain([&]() -> absl::Status {
    DeviceOperand from, to;
    DYNACC_RETURN_IF_ERROR(run.Read(frame, source_, from));
    DYNACC_RETURN_IF_ERROR(run.Write(frame, destination_, to));
    DYNACC_RETURN_IF_ERROR(CopyOnDevice(run, from, to.view));
    run.Wrote(destination_);
    return absl::OkStatus();
  }());
}

CudaReshapeStep::CudaReshapeStep(executor::OperandPlan source, int destination)
    : source_(source), destination_(destination), host_(std::move(source), destination) {
  on_device = true;
}

absl::Status CudaReshapeStep::Run(executor::RunFrame& frame) const {
  CudaRun& run = CudaRun::Of(frame);
  DYNACC_ASSIGN_OR_RETURN(const bool done, run.Reshape(frame, source_, destination_));
  if (done) return absl::OkStatus();
  DYNACC_RETURN_IF_ERROR(run.BeforeHostStep(*this, frame));
  DYNACC_RETURN_IF_ERROR(host_.Run(frame));
  run.AfterHostStep(*this);
  return absl::OkStatus();
}

absl::Status CudaLaunchStep::Run(executor::RunFrame& frame) const {
  CudaRun& run = CudaRun::Of(frame);
  const CudaScope scope(run.device());
  DYNACC_RETURN_IF_ERROR(scope.status());
  return run.Explain(Launch(frame));
}

// Of each operand, outputs among them.
std::vector<std::array<int64_t, kMaxRank>> CudaLaunchStep::ShiftsOf(
    const executor::RunFrame& frame) const {
  std::vector<std::array<int64_t, kMaxRank>> shifts(plan_.inputs.size() + outputs_.size());
  for (size_t k = 0; k < plan_.inputs.size(); ++k) {
    const std::vector<ScalarId>& rolled = plan_.inputs[k].shifts;
    for (size_t axis = 0; axis < rolled.size(); ++axis) shifts[k][axis] = frame.Size(rolled[axis]);
  }
  return shifts;
}

absl::Status CudaLaunchStep::Launch(executor::RunFrame& frame) const {
  CudaRun& run = CudaRun::Of(frame);
  const size_t num_inputs = plan_.inputs.size();
  boost::container::small_vector<DeviceOperand, 8> operands(num_inputs + outputs_.size());
  for (size_t k = 0; k < num_inputs; ++k) {
    DYNACC_RETURN_IF_ERROR(run.Read(frame, plan_.inputs[k], operands[k]));
  }
  for (size_t k = 0; k < outputs_.size(); ++k) {
    DYNACC_RETURN_IF_ERROR(run.Write(frame, outputs_[k], operands[num_inputs + k]));
  }
  StridedView shape;
  frame.FillShape(plan_.shape, shape);
  const int64_t size = shape.size();
  frame.CountLaunch(size * bytes_read_, size * bytes_written_);
  const absl::Span<const DeviceOperand> all(operands.data(), operands.size());
  DYNACC_RETURN_IF_ERROR(is_rolled_ ? LaunchRolled(run, kernels_, all, ShiftsOf(frame), shape)
                                    : LaunchElementwise(run, kernels_, all, num_inputs, shape));
  for (const int output : outputs_) run.Wrote(output);
  return absl::OkStatus();
}

namespace {

// The shared memory that tiles may take of what every device gives without more ado.
constexpr int kTileBytes = 48 * 1024;
constexpr int kTileSide = 32;  // as in prelude/tiles.h
// Along axes that are shorter a tile is mostly empty.
constexpr int64_t kShortAxis = 16;

// How a launch of a tiled kernel goes.
struct Tiling {
  int axis = 0;                             // of the turned operands' neighbours; 0: no tiles
  int turned[executor::kMaxOperands] = {};  // where in shared memory each one's tile is, or -1
  int bytes = 0;                            // of shared memory
};

// Whether input k has neighbours along `axis`, and none along axis 0.
bool LiesAlong(const executor::LoopNest& nest, int k, int axis, int64_t item_size) {
  return nest.pointers[k] != nullptr && std::abs(nest.strides[axis][k]) == item_size &&
         std::abs(nest.strides[0][k]) > 2 * item_size;
}

// The axis along which most inputs lie that do not lie along axis 0.
Tiling FindTiling(const executor::LoopNest& nest, absl::Span<const DeviceOperand> operands,
                  size_t num_inputs) {
  Tiling tiling;
  size_t most = 0;
  for (int axis = 1; axis < nest.rank && nest.shape[0] >= kShortAxis; ++axis) {
    size_t found = 0;
    for (size_t k = 0; k < num_inputs; ++k) {
      found += LiesAlong(nest, static_cast<int>(k), axis, ItemSize(operands[k].view.dtype));
    }
    if (found <= most || nest.shape[axis] < kShortAxis) continue;
    most = found;
    tiling.axis = axis;
  }
  std::fill(std::begin(tiling.turned), std::end(tiling.turned), -1);
  for (size_t k = 0; tiling.axis > 0 && k < num_inputs; ++k) {
    const int item_size = ItemSize(operands[k].view.dtype);
    const int bytes = kTileSide * (kTileSide + 1) * item_size;
    const bool lies = LiesAlong(nest, static_cast<int>(k), tiling.axis, item_size);
    if (!lies || tiling.bytes + bytes > kTileBytes) continue;
    tiling.turned[k] = tiling.bytes;
    tiling.bytes += bytes;
  }
  return tiling;
}

absl::Status LaunchTiled(CudaRun& run, const CudaKernel& kernel, const Tiling& tiling,
                         absl::Span<const DeviceOperand> operands, executor::LoopNest& nest) {
  executor::SwapAxes(nest, 1, tiling.axis);
  int64_t tiles = 1;
  for (int axis = 0; axis < nest.rank; ++axis) {
    tiles *= axis < 2 ? (nest.shape[axis] + kTileSide - 1) / kTileSide : nest.shape[axis];
  }
  KernelParameters parameters;
  parameters.SetTiled(nest, operands, {tiling.turned, operands.size()}, tiles);
  CudaLaunch launch;
  launch.function = kernel.function;
  launch.name = kernel.name.c_str();
  launch.block_x = kCudaBlockThreads;
  launch.grid_x = static_cast<unsigned>(std::min(tiles, kernel.max_blocks));
  launch.shared_bytes = static_cast<unsigned>(tiling.bytes);
  return run.Launch(launch, parameters.all());
}

}  // namespace

absl::Status LaunchRolled(CudaRun& run, const CudaLaunchKernels& kernels,
                          absl::Span<const DeviceOperand> operands,
                          absl::Span<const std::array<int64_t, kMaxRank>> shifts,
                          const StridedView& shape) {
  const int64_t size = shape.size();
  if (size == 0) return absl::OkStatus();
  int64_t sizes[kMaxRank];
  std::reverse_copy(shape.shape, shape.shape + shape.rank, sizes);
  executor::LoopNest nest;
  executor::StartNest(nest, shape.rank, sizes);
  int64_t by_axis[kMaxRank][executor::kMaxOperands];
  for (size_t k = 0; k < operands.size(); ++k) {
    int64_t strides[kMaxRank];
    std::reverse_copy(operands[k].view.strides, operands[k].view.strides + shape.rank, strides);
    executor::AddOperand(nest, operands[k].view.data, strides);
    for (int axis = 0; axis < shape.rank; ++axis) {
      by_axis[axis][k] = shifts[k][shape.rank - 1 - axis];
    }
  }
  KernelParameters parameters;
  parameters.SetRolled(nest, operands, by_axis);
  CudaLaunch launch;
  launch.function = kernels.rolled.function;
  launch.name = kernels.rolled.name.c_str();
  launch.block_x = kCudaBlockThreads;
  launch.grid_x = BlocksFor(size, kernels.rolled);
  return run.Launch(launch, parameters.all(), &size);
}

absl::Status LaunchElementwise(CudaRun& run, const CudaLaunchKernels& kernels,
                               absl::Span<const DeviceOperand> operands, size_t num_inputs,
                               const StridedView& shape) {
  executor::LoopNest nest;
  executor::StartNest(nest, shape.rank, shape.shape);
  for (const DeviceOperand& operand : operands) {
    executor::AddOperand(nest, operand.view.data, operand.view.strides);
  }
  const int64_t size = nest.size();
  if (size == 0) return absl::OkStatus();
  executor::OptimizeNest(nest);
  if (size == 1) nest.rank = 0;
  const bool flat = IsFlat(nest, operands, num_inputs);
  if (!flat && kernels.tiled.function != nullptr) {
    const Tiling tiling = FindTiling(nest, operands, num_inputs);
    if (tiling.axis > 0) return LaunchTiled(run, kernels.tiled, tiling, operands, nest);
  }
  const CudaKernel& kernel = flat ? kernels.flat : kernels.strided;
  KernelParameters parameters;
  if (flat) {
    parameters.SetFlat(nest, operands);
  } else {
    parameters.SetStrided(nest, operands);
  }
  CudaLaunch launch;
  launch.function = kernel.function;
  launch.name = kernel.name.c_str();
  launch.block_x = kCudaBlockThreads;
  launch.grid_x = BlocksFor(flat ? (size + kernels.lanes - 1) / kernels.lanes : size, kernel);
  return run.Launch(launch, parameters.all(), &size);
}

}  // namespace dynacc::cuda
