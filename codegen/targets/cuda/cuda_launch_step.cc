#include <algorithm>

#include "codegen/targets/cuda/copy_kernels.h"
#include "codegen/targets/cuda/cuda_run.h"
#include "codegen/targets/cuda/cuda_steps.h"
#include "codegen/targets/cuda/kernel_parameters.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

// Whether every operand is one run of n elements without gaps, or a number.
bool IsFlat(const LoopNest& nest, absl::Span<const DeviceOperand> operands, size_t num_inputs) {
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
                               CudaLaunchKernels kernels, KernelPlan plan, std::vector<int> outputs)
    : module_(std::move(module)),
      kernels_(std::move(kernels)),
      plan_(std::move(plan)),
      outputs_(std::move(outputs)),
      bytes_read_(BytesOf(plan_.input_dtypes)),
      bytes_written_(BytesOf(plan_.output_dtypes)) {
  on_device = true;
  reports_flags = false;  // a device has none
}

CudaCopyStep::CudaCopyStep(OperandPlan source, int destination)
    : source_(std::move(source)), destination_(destination) {
  on_device = true;
  reports_flags = false;
}

absl::Status CudaCopyStep::Run(RunFrame& frame) const {
  CudaRun& run = CudaRun::Of(frame);
  const CudaScope scope(run.device());
  DYNACC_RETURN_IF_ERROR(scope.status());
  return run.Explain([&]() -> absl::Status {
    DeviceOperand from, to;
    DYNACC_RETURN_IF_ERROR(run.Read(frame, source_, from));
    DYNACC_RETURN_IF_ERROR(run.Write(frame, destination_, to));
    DYNACC_RETURN_IF_ERROR(CopyOnDevice(run, from, to.view));
    return run.Wrote(frame, destination_);
  }());
}

CudaReshapeStep::CudaReshapeStep(OperandPlan source, int destination)
    : source_(source), destination_(destination), host_(std::move(source), destination) {
  on_device = true;
}

absl::Status CudaReshapeStep::Run(RunFrame& frame) const {
  CudaRun& run = CudaRun::Of(frame);
  DYNACC_ASSIGN_OR_RETURN(const bool done, run.Reshape(frame, source_, destination_));
  if (done) return absl::OkStatus();
  DYNACC_RETURN_IF_ERROR(run.BeforeHostStep(*this, frame));
  DYNACC_RETURN_IF_ERROR(host_.Run(frame));
  run.AfterHostStep(*this);
  return absl::OkStatus();
}

absl::Status CudaLaunchStep::Run(RunFrame& frame) const {
  CudaRun& run = CudaRun::Of(frame);
  const CudaScope scope(run.device());
  DYNACC_RETURN_IF_ERROR(scope.status());
  return run.Explain(Launch(frame));
}

absl::Status CudaLaunchStep::Launch(RunFrame& frame) const {
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
  DYNACC_RETURN_IF_ERROR(
      LaunchElementwise(run, kernels_, {operands.data(), operands.size()}, num_inputs, shape));
  for (const int output : outputs_) DYNACC_RETURN_IF_ERROR(run.Wrote(frame, output));
  return absl::OkStatus();
}

absl::Status LaunchElementwise(CudaRun& run, const CudaLaunchKernels& kernels,
                               absl::Span<const DeviceOperand> operands, size_t num_inputs,
                               const StridedView& shape) {
  LoopNest nest;
  StartNest(nest, shape.rank, shape.shape);
  for (const DeviceOperand& operand : operands) {
    AddOperand(nest, operand.view.data, operand.view.strides);
  }
  const int64_t size = nest.size();
  if (size == 0) return absl::OkStatus();
  OptimizeNest(nest);
  if (size == 1) nest.rank = 0;
  const bool flat = IsFlat(nest, operands, num_inputs);
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
  return run.Launch(launch, parameters, &size);
}

}  // namespace dynacc
